/// The way of an elbow line (S17): horizontal and vertical pieces that keep clear of the shapes at its ends.
///
/// There are few ways to try: each end can leave its shape through a side, and there are few places where a piece can
/// turn. The way with the least cost is taken; of equal ones, the one that is tried first.
struct ElbowRoute {
  /// An end of the line.
  enum End {
    /// The end is tied to no shape.
    case free(Point)
    /// The end is tied to a place of a shape.
    case placed(Point, on: Shape)
    /// The end is tied to the middle of a shape, so it can be at any side.
    case anywhere(on: Shape)
  }

  /// The points of the way, with both ends.
  private(set) var points: [Point] = []
  private var cost = Double.infinity
  /// The way that is tried.
  private var way: [Point] = []
  private let fromBox: Box?
  private let toBox: Box?
  /// How far the line leads away from a shape before it turns.
  private let distance: Double

  /// The cost of crossing a shape at an end, or of going back over the same piece.
  private static let crossingCost = 1e9

  /// - Parameter strokeWidth: the width of the line. A wide line has long arrowheads, so it turns later.
  init(from: End, to: End, strokeWidth: Double) {
    distance = Swift.min(16 + 2 * strokeWidth, 100)
    fromBox = from.box
    toBox = to.box
    let (starts, ends) = (exits(of: from), exits(of: to))
    // More turns are needed only where every way with few turns crosses a shape.
    for hasManyTurns in [false, true] where cost >= ElbowRoute.crossingCost {
      for start in starts { for end in ends { tryWays(from: start, to: end, hasManyTurns) } }
    }
  }

  // MARK: - Leaving a shape

  /// A place where the line can end: `end` is on the shape, and `turn` is where the line can turn first. `way` leads
  /// from one to the other and is as long as 1; it is 0 for a free end.
  private struct Exit {
    var end: Point
    var turn: Point
    var way = Point(x: 0, y: 0)
  }

  private func exits(of end: End) -> [Exit] {
    switch end {
    case .free(let point): return [Exit(end: point, turn: point)]
    case .anywhere(let shape): return exits(of: shape, from: shape.point(of: .middle))
    case .placed(let point, let shape):
      // Through the nearest side, the line is within the shape for the shortest way.
      var exits = exits(of: shape, from: point)
      for index in 1..<4 where exits[index].turn.distance(to: point) < exits[0].turn.distance(to: point) {
        exits[0] = exits[index]
      }
      return [Exit(end: point, turn: exits[0].turn, way: exits[0].way)]
    }
  }

  /// The exits through the four sides of a shape's box, straight ahead of a point: right, down, left, up.
  private func exits(of shape: Shape, from point: Point) -> [Exit] {
    let box = shape.outline.bounds
    var exits: [Exit] = []
    for way in [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)] {
      var turn = point
      if way.x != 0 { turn.x = (way.x > 0 ? box.maxX : box.minX) + distance * way.x }
      if way.y != 0 { turn.y = (way.y > 0 ? box.maxY : box.minY) + distance * way.y }
      exits.append(Exit(end: shape.entry(from: turn) ?? point, turn: turn, way: way))
    }
    return exits
  }

  // MARK: - Ways between two exits

  private mutating func tryWays(from start: Exit, to end: Exit, _ hasManyTurns: Bool) {
    var (from, to) = (start.turn, end.turn)
    // Two exits that face each other across a narrow gap turn in the middle of the gap.
    let gap = (to.x - from.x) * start.way.x + (to.y - from.y) * start.way.y
    if start.way.x * end.way.x + start.way.y * end.way.y < 0, gap < 0, gap > -2 * distance {
      from = Point(x: from.x + gap / 2 * start.way.x, y: from.y + gap / 2 * start.way.y)
      to = Point(x: to.x + gap / 2 * end.way.x, y: to.y + gap / 2 * end.way.y)
    }
    // No way between these two is shorter, and each has two points at least.
    let least = (to.x - from.x).magnitude + (to.y - from.y).magnitude + 4 * distance
    guard least < cost else { return }
    let columns = places(from.x, to.x, fromBox?.minX, fromBox?.maxX, toBox?.minX, toBox?.maxX)
    let rows = places(from.y, to.y, fromBox?.minY, fromBox?.maxY, toBox?.minY, toBox?.maxY)
    func take(_ corners: Point...) {
      way.removeAll(keepingCapacity: true)
      lead(to: start.end)
      lead(to: from)
      for corner in corners { lead(to: corner) }
      lead(to: to)
      lead(to: end.end)
      takeIfBetter()
    }
    if hasManyTurns {
      // Every way from within the other shape crosses it.
      if fromBox?.contains(to) == true || toBox?.contains(from) == true { return }
      for x in columns {
        for y in rows {
          take(Point(x: x, y: from.y), Point(x: x, y: y), Point(x: to.x, y: y))
          take(Point(x: from.x, y: y), Point(x: x, y: y), Point(x: x, y: to.y))
        }
      }
      return
    }
    for x in columns { take(Point(x: x, y: from.y), Point(x: x, y: to.y)) }
    for y in rows { take(Point(x: from.x, y: y), Point(x: to.x, y: y)) }
    take(Point(x: to.x, y: from.y))
    take(Point(x: from.x, y: to.y))
  }

  /// Where a piece between two places can lie: halfway, halfway between the shapes, and beside each shape.
  private func places(
    _ from: Double,
    _ to: Double,
    _ low: Double?,
    _ high: Double?,
    _ otherLow: Double?,
    _ otherHigh: Double?
  ) -> [Double] {
    var places = [(from + to) / 2]
    if let high, let otherLow, high < otherLow { places.append((high + otherLow) / 2) }
    if let low, let otherHigh, otherHigh < low { places.append((otherHigh + low) / 2) }
    for low in [low, otherLow] { if let low { places.append(low - distance) } }
    for high in [high, otherHigh] { if let high { places.append(high + distance) } }
    return places
  }

  /// Adds a point to the way. Points that come twice and points in the middle of a piece are left out.
  private mutating func lead(to point: Point) {
    guard let last = way.last else { return way.append(point) }
    if last == point { return }
    if way.count > 1 {
      let before = way[way.count - 2]
      let isStraight = before.x == last.x && last.x == point.x || before.y == last.y && last.y == point.y
      if isStraight, ElbowRoute.progress(before, last, point) > 0 { way.removeLast() }
    }
    way.append(point)
  }

  /// How far the second of two pieces leads on in the direction of the first. It is negative if it leads back.
  private static func progress(_ before: Point, _ point: Point, _ after: Point) -> Double {
    (point.x - before.x) * (after.x - point.x) + (point.y - before.y) * (after.y - point.y)
  }

  private mutating func takeIfBetter() {
    // A turn counts as much as a detour of twice the distance.
    var sum = Double(way.count) * 2 * distance
    for index in 1..<Swift.max(1, way.count) {
      let (from, to) = (way[index - 1], way[index])
      sum += (to.x - from.x).magnitude + (to.y - from.y).magnitude
      if index > 1, ElbowRoute.progress(way[index - 2], from, to) < 0 { sum += ElbowRoute.crossingCost }
      // The first and the last piece begin within the shape that they leave.
      let left = index == 1 ? fromBox : nil
      let reached = index == way.count - 1 ? toBox : nil
      for box in [fromBox, toBox] where box != left && box != reached {
        if let box, box.isCrossed(from, to) { sum += ElbowRoute.crossingCost }
      }
      // Rounding must not decide between ways that are equally good.
      if sum >= cost - 0.01 { return }
    }
    if way.count == 1 { way.append(way[0]) }
    cost = sum
    points = way
  }
}

extension ElbowRoute.End {
  fileprivate var box: Box? {
    switch self {
    case .free: nil
    case .placed(_, let shape), .anywhere(let shape): Box(shape.outline.bounds)
    }
  }
}

extension Box {
  /// Whether a horizontal or vertical piece goes through the inside of the box.
  fileprivate func isCrossed(_ from: Point, _ to: Point) -> Bool {
    Swift.min(from.x, to.x) < maxX && Swift.max(from.x, to.x) > minX && Swift.min(from.y, to.y) < maxY
      && Swift.max(from.y, to.y) > minY
  }
}
