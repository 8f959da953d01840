/// Finds the free place that is nearest to an occupied place.
///
/// The nearest point outside a union of convex obstacles lies on a side of one of them. It is either that side's
/// nearest point, or a point where the side leaves another obstacle. So the search walks along the sides, the nearest
/// side first, and starts at each side's nearest point. If another obstacle covers the point, the next step leads to
/// where the side leaves that obstacle. The walk ends at a point that no obstacle covers, or when a nearer place is
/// already known.
///
/// Each side is walked to the right only. That is enough: a point where two sides meet lies to the right on one of
/// them. Obstacles are collected from an ever larger area, until the area contains a free place.
struct FreePlaceSearch {
  /// Limits on the work of a search. A search that reaches one of these limits returns the best place that it has
  /// found.
  struct Limits {
    /// An upper bound on comparisons with sides. Ten million take some tens of milliseconds.
    var comparisonsMax = 10_000_000
    /// An upper bound on sides in memory at once: the sides of 100,000 rectangles or of 4,000 circles, 25 MB.
    var sidesMax = 400_000
  }

  /// The cost of one search in the tree of obstacles, in comparisons with sides.
  private static let descentComparisons = 64
  /// How deep inside an obstacle a point may lie and still count as outside. This is above rounding errors: near 10⁷,
  /// neighbouring values of a coordinate are 2·10⁻⁹ apart.
  private static let touchDepth = 1e-8

  private let index: OverlapIndex
  private let size: Size
  private let near: Point
  private let limits: Limits
  private var obstacles: Obstacles
  private var tree = BoxTree()
  private var order: [Int] = []
  private var comparisons = 0
  private(set) var best: (place: Point, square: Double)?

  init(index: OverlapIndex, size: Size, near: Point, limits: Limits) {
    self.index = index
    self.limits = limits
    self.size = size
    self.near = near
    obstacles = Obstacles(size: size, near: near)
  }

  /// Searches until a limit is reached. Returns whether `best` is certainly the nearest free place.
  mutating func run() -> Bool {
    var radius = Swift.max(size.width, size.height)
    // All positions are within `positionMax`, so a larger radius would find nothing more.
    while radius < 8 * OverlapIndex.positionMax, takeIn(radius) {
      // After this walk, every place within the radius has been tried. Places outside the radius are further away than
      // any place that was found.
      walkSides(within: radius)
      if comparisons > limits.comparisonsMax { return false }
      if best != nil { return true }
      radius *= 2
    }
    return false
  }

  /// Collects the obstacles within this distance. Returns false if there are too many.
  private mutating func takeIn(_ radius: Double) -> Bool {
    obstacles = Obstacles(size: size, near: near)
    obstacles.appendWalls(at: OverlapIndex.positionMax)
    let surroundings = Rect(
      origin: Point(x: near.x - radius, y: near.y - radius),
      size: Size(width: size.width + 2 * radius, height: size.height + 2 * radius)
    )
    // The order of identifiers decides between places that are equally near. Otherwise the order in which shapes came
    // to the index would decide.
    for identifier in index.shapes(in: surroundings) {
      guard let place = index.places[identifier], index.entries[Int(place)].placed.overlaps else { continue }
      obstacles.append(index.entries[Int(place)].placed)
      if obstacles.sides.count > limits.sidesMax { return false }
    }
    comparisons += obstacles.sides.count
    let boxes = obstacles.all.map { $0.box }
    order = HilbertOrder.offsets(of: boxes)
    tree = BoxTree(ordered: order.map { boxes[$0] }, widened: false)
    return true
  }

  // MARK: - Walking along sides

  /// A side to walk along, and the squared distance from the wanted place to the side's line.
  private struct Walk {
    let side: Int
    let obstacle: Int
    let square: Double
  }

  private mutating func walkSides(within radius: Double) {
    var walks: [Walk] = []
    for (offset, obstacle) in obstacles.all.enumerated() {
      for side in obstacle.sides {
        let reach = obstacles.sides[side].reach
        if reach.magnitude <= radius { walks.append(Walk(side: side, obstacle: offset, square: reach * reach)) }
      }
    }
    walks.sort { $0.square != $1.square ? $0.square < $1.square : $0.side < $1.side }
    for walk in walks {
      guard walk.square <= best?.square ?? .infinity, comparisons <= limits.comparisonsMax else { return }
      follow(walk, within: radius)
    }
  }

  private mutating func follow(_ walk: Walk, within radius: Double) {
    let side = obstacles.sides[walk.side]
    let line = Line(along: side)
    let own = part(of: line, inside: walk.obstacle, except: walk.side)
    guard own.start <= own.end else { return }
    var turn = Swift.max(0, own.start)
    var left: ObstacleSide?
    // The tolerance is for a gap into which the box fits exactly: rounding can put the place a little beyond the side's
    // end.
    while turn <= own.end + FreePlaceSearch.touchDepth {
      guard line.square(at: turn) <= Swift.min(best?.square ?? .infinity, radius * radius) else { return }
      let place = self.place(at: line.point(at: turn), side, left)
      guard let blocker = obstacle(at: Point(x: place.x - near.x, y: place.y - near.y)) else {
        settle(on: place)
        return
      }
      let blocked = part(of: line, inside: blocker, except: -1)
      guard blocked.end > turn, blocked.end.isFinite, comparisons <= limits.comparisonsMax else { return }
      turn = blocked.end
      left = blocked.endSide
    }
  }

  private mutating func part(of line: Line, inside obstacle: Int, except own: Int) -> Line.Part {
    comparisons += obstacles.all[obstacle].sides.count
    return line.part(inside: obstacles.all[obstacle], of: obstacles.sides, except: own)
  }

  /// A point on a side, as a place on the canvas. If the side is parallel to an axis, the result has the side's exact
  /// coordinate.
  private func place(at point: Point, _ side: ObstacleSide, _ left: ObstacleSide?) -> Point {
    Point(x: side.exactX ?? left?.exactX ?? near.x + point.x, y: side.exactY ?? left?.exactY ?? near.y + point.y)
  }

  private mutating func obstacle(at point: Point) -> Int? {
    var found: Int?
    var compared = 0
    _ = tree.contains(touching: Box(minX: point.x, minY: point.y, maxX: point.x, maxY: point.y)) { leaf in
      let obstacle = order[Int(leaf)]
      for side in obstacles.all[obstacle].sides {
        compared += 1
        if obstacles.sides[side].depth(of: point) <= FreePlaceSearch.touchDepth { return false }
      }
      found = obstacle
      return true
    }
    comparisons += compared + FreePlaceSearch.descentComparisons
    return found
  }

  /// Considers a place. If it overlaps a shape only because of rounding, considers the places right beside it instead.
  private mutating func settle(on place: Point) {
    if consider(place) { return }
    let nudge = Swift.max(1, place.x.magnitude, place.y.magnitude, size.width, size.height) * 0x1p-49
    for (x, y) in [(0.0, -1.0), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
      if consider(Point(x: place.x + x * nudge, y: place.y + y * nudge)) { return }
    }
  }

  /// Returns whether the place is free. If it is also better than `best`, it becomes `best`.
  private mutating func consider(_ place: Point) -> Bool {
    guard place.x.magnitude <= OverlapIndex.positionMax, place.y.magnitude <= OverlapIndex.positionMax,
      index.isFree(Rect(origin: place, size: size))
    else { return false }
    let x = place.x - near.x
    let y = place.y - near.y
    let square = x * x + y * y
    if let best {
      let isBetter = square != best.square ? square < best.square : (place.y, place.x) < (best.place.y, best.place.x)
      guard isBetter else { return true }
    }
    best = (place, square)
    return true
  }
}

/// The line that contains a side. A position on the line is its distance from the line's point that is nearest to the
/// wanted place. Positions grow to the right, as seen from outside.
private struct Line {
  let outward: Point
  let reach: Double

  init(along side: ObstacleSide) {
    outward = side.outward
    reach = side.reach
  }

  func point(at turn: Double) -> Point {
    Point(x: outward.x * reach - outward.y * turn, y: outward.y * reach + outward.x * turn)
  }

  func square(at turn: Double) -> Double { reach * reach + turn * turn }

  struct Part {
    var start = -Double.infinity
    var end = Double.infinity
    var endSide: ObstacleSide?
  }

  /// The part of the line that lies inside an obstacle, ignoring the obstacle's side `own`. The part is empty if its
  /// start is beyond its end.
  func part(inside obstacle: Obstacle, of sides: [ObstacleSide], except own: Int) -> Part {
    var part = Part()
    for index in obstacle.sides where index != own {
      let side = sides[index]
      let rise = side.outward.y * outward.x - side.outward.x * outward.y
      let room = side.reach - reach * (side.outward.x * outward.x + side.outward.y * outward.y)
      if rise.magnitude < 1e-14 {
        // The line is nearly parallel to this side, so the two don't meet on the canvas. If the line lies outside of
        // the side, no part of it is inside the obstacle.
        if room < 0 { part.end = -.infinity }
        continue
      }
      let turn = room / rise
      if rise > 0, turn < part.end {
        part.end = turn
        part.endSide = side
      } else if rise < 0, turn > part.start {
        part.start = turn
      }
    }
    return part
  }
}
