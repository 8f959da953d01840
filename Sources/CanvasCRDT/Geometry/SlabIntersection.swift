/// The intersection of two simple polygons, computed slab by slab.
///
/// Vertical cuts at the x of every corner and every crossing divide the canvas into slabs. Within a slab no edges
/// cross, so the area inside both polygons is a set of trapezoids. They are found by counting edges from the top. Their
/// corners are numbered nodes, one for each height at which an edge meets a cut. Heights that differ only by rounding
/// share a node. Sides that two trapezoids share cancel out by number rather than by coordinates. So the remaining
/// sides always form closed loops, even if polygons are equal, share edges or have corners on each other's edges.
struct SlabIntersection {
  /// A part of an edge between two neighbouring crossings, from left to right.
  private struct Piece {
    var from: Point
    var to: Point
    var isOfFirst: Bool
    /// The indices of the cuts at the piece's ends.
    var start = 0
    var end = 0

    func height(at x: Double) -> Double {
      if x <= from.x { return from.y }
      if x >= to.x { return to.y }
      return from.y + (to.y - from.y) * ((x - from.x) / (to.x - from.x))
    }
  }

  private var pieces: [Piece] = []
  /// The x of each cut.
  private var cuts: [Double] = []
  /// Coordinates that differ by less than this count as equal. It is some thousand times the rounding error of the
  /// polygons' coordinates.
  private var snap = 0.0
  /// Whether the polygons have too many edges and crossings for their intersection to be computed.
  private(set) var isTooIntricate = false
  /// How much work the intersection is, in parts of edges in slabs.
  private(set) var work = 0
  /// To compare this many pairs of edges takes about as long as to compute one part.
  private static let pairsPerPart = 64

  /// The greatest number of crossings, and of parts of edges in slabs. Two stars with 20 tips have fewer. Two with 64
  /// tips have ten times as many, which take a tenth of a second.
  private static let (crossingsMax, partsMax) = (4_000, 50_000)

  init(_ first: [Point], _ second: [Point]) {
    var firstBox = Box.empty
    for corner in first { firstBox.extend(to: corner) }
    var secondBox = Box.empty
    for corner in second { secondBox.extend(to: corner) }
    guard firstBox.overlaps(secondBox) else { return }
    let common = Box(
      minX: Swift.max(firstBox.minX, secondBox.minX),
      minY: Swift.max(firstBox.minY, secondBox.minY),
      maxX: Swift.min(firstBox.maxX, secondBox.maxX),
      maxY: Swift.min(firstBox.maxY, secondBox.maxY)
    )
    var extent = 0.0
    for side in [common.minX, common.maxX, common.minY, common.maxY] { extent = Swift.max(extent, side.magnitude) }
    snap = extent * 1e-13
    split(SlabIntersection.edges(of: first, within: common), SlabIntersection.edges(of: second, within: common))
    cut(common)
  }

  /// The edges whose x range meets that of the common box, each from left to right. Edges above and below the box are
  /// included, because they decide what is inside.
  private static func edges(of corners: [Point], within box: Box) -> [(from: Point, to: Point)] {
    var edges: [(from: Point, to: Point)] = []
    guard var from = corners.last else { return [] }
    for to in corners {
      let edge = from.x <= to.x ? (from: from, to: to) : (from: to, to: from)
      if edge.from.x < edge.to.x, edge.from.x < box.maxX, edge.to.x > box.minX { edges.append(edge) }
      from = to
    }
    return edges
  }

  /// Splits the edges of both polygons where they cross. The two edges are split at exactly the same point.
  private mutating func split(_ first: [(from: Point, to: Point)], _ second: [(from: Point, to: Point)]) {
    var firstCrossings: [[Point]] = Array(repeating: [], count: first.count)
    var secondCrossings: [[Point]] = Array(repeating: [], count: second.count)
    var crossings = 0
    for (index, one) in first.enumerated() {
      let top = Swift.min(one.from.y, one.to.y)
      let bottom = Swift.max(one.from.y, one.to.y)
      for (otherIndex, other) in second.enumerated() {
        guard other.from.x < one.to.x, one.from.x < other.to.x, Swift.min(other.from.y, other.to.y) <= bottom,
          Swift.max(other.from.y, other.to.y) >= top,
          let crossing = SlabIntersection.crossing(one, other)
        else { continue }
        firstCrossings[index].append(crossing)
        secondCrossings[otherIndex].append(crossing)
        crossings += 1
      }
    }
    work = first.count * second.count / SlabIntersection.pairsPerPart + crossings
    isTooIntricate = crossings > SlabIntersection.crossingsMax
    guard !isTooIntricate else { return }
    for (index, edge) in first.enumerated() { append(edge, crossings: firstCrossings[index], isOfFirst: true) }
    for (index, edge) in second.enumerated() { append(edge, crossings: secondCrossings[index], isOfFirst: false) }
  }

  private mutating func append(_ edge: (from: Point, to: Point), crossings: [Point], isOfFirst: Bool) {
    var from = edge.from
    for crossing in crossings.sorted(by: { $0.x < $1.x }) where crossing.x > from.x && crossing.x < edge.to.x {
      pieces.append(Piece(from: from, to: crossing, isOfFirst: isOfFirst))
      from = crossing
    }
    pieces.append(Piece(from: from, to: edge.to, isOfFirst: isOfFirst))
  }

  /// The point where two edges cross. `nil` unless the ends of each edge lie on different sides of the other edge.
  private static func crossing(_ one: (from: Point, to: Point), _ other: (from: Point, to: Point)) -> Point? {
    let oneX = one.to.x - one.from.x
    let oneY = one.to.y - one.from.y
    let otherX = other.to.x - other.from.x
    let otherY = other.to.y - other.from.y
    let start = oneX * (other.from.y - one.from.y) - oneY * (other.from.x - one.from.x)
    let end = oneX * (other.to.y - one.from.y) - oneY * (other.to.x - one.from.x)
    guard (start < 0 && end > 0) || (start > 0 && end < 0) else { return nil }
    let oneStart = otherX * (one.from.y - other.from.y) - otherY * (one.from.x - other.from.x)
    let oneEnd = otherX * (one.to.y - other.from.y) - otherY * (one.to.x - other.from.x)
    guard (oneStart < 0 && oneEnd > 0) || (oneStart > 0 && oneEnd < 0) else { return nil }
    // The point is computed along the shorter edge, because that loses fewer digits.
    if oneX.magnitude + oneY.magnitude < otherX.magnitude + otherY.magnitude {
      let part = oneStart / (oneStart - oneEnd)
      return Point(x: one.from.x + part * oneX, y: one.from.y + part * oneY)
    }
    let part = start / (start - end)
    return Point(x: other.from.x + part * otherX, y: other.from.y + part * otherY)
  }

  /// Makes the cuts, and finds the cuts at both ends of each piece. A piece with both ends on one cut is vertical. It
  /// is dropped because it crosses no slab.
  private mutating func cut(_ common: Box) {
    var wanted = [common.minX, common.maxX]
    for piece in pieces {
      for x in [piece.from.x, piece.to.x] where x > common.minX && x < common.maxX { wanted.append(x) }
    }
    wanted.sort()
    for x in wanted where cuts.isEmpty || x - cuts[cuts.count - 1] > snap { cuts.append(x) }
    for index in pieces.indices {
      pieces[index].start = nearestCut(pieces[index].from.x)
      pieces[index].end = nearestCut(pieces[index].to.x)
    }
    pieces.removeAll { $0.start >= $0.end }
    let parts = pieces.reduce(0) { $0 + $1.end - $1.start }
    isTooIntricate = isTooIntricate || parts > SlabIntersection.partsMax
    work += isTooIntricate ? pieces.count : parts
  }

  /// The last cut at or before x. If the cut at x was merged into a neighbour, the result is that neighbour.
  private func nearestCut(_ x: Double) -> Int {
    var low = 0
    var high = cuts.count
    while low < high {
      let middle = low + (high - low) / 2
      if cuts[middle] <= x { low = middle + 1 } else { high = middle }
    }
    return Swift.max(0, low - 1)
  }
}

// MARK: - Trapezoids

extension SlabIntersection {
  /// The part of a piece that lies in one slab: its heights at both cuts, and its node numbers there.
  private struct Crosser {
    var piece: Int
    var left = 0.0
    var right = 0.0
    var leftNode = 0
    var rightNode = 0
  }

  /// The loops around the area inside both polygons, clockwise as seen.
  func loops() -> [[Point]] {
    guard cuts.count > 1 else { return [] }
    var slabs = crossers()
    var boundary = RegionBoundary(snap: snap)
    number(&slabs, in: &boundary)
    for slab in slabs.indices {
      let crossers = slabs[slab].sorted { $0.left + $0.right < $1.left + $1.right }
      var insideFirst = false
      var insideSecond = false
      var top: Crosser?
      for crosser in crossers {
        if pieces[crosser.piece].isOfFirst { insideFirst.toggle() } else { insideSecond.toggle() }
        if insideFirst, insideSecond {
          top = crosser
        } else if let above = top {
          boundary.addTrapezoid(
            topLeft: above.leftNode,
            topRight: above.rightNode,
            bottomRight: crosser.rightNode,
            bottomLeft: crosser.leftNode
          )
          top = nil
        }
      }
    }
    return boundary.loops()
  }

  /// For each slab, the pieces that cross the slab.
  private func crossers() -> [[Crosser]] {
    var slabs: [[Crosser]] = Array(repeating: [], count: cuts.count - 1)
    for (index, piece) in pieces.enumerated() {
      var left = piece.height(at: cuts[piece.start])
      for slab in piece.start..<piece.end {
        // In the slab where a piece ends, its height is that of its end point. The height computed at the cut would be
        // wrong for a steep piece, because the cut may lie a rounding error before the end point.
        let endsHere = slab + 1 == piece.end && piece.to.x - cuts[piece.end] <= snap
        let right = endsHere ? piece.to.y : piece.height(at: cuts[slab + 1])
        slabs[slab].append(Crosser(piece: index, left: left, right: right))
        left = right
      }
    }
    return slabs
  }

  /// Gives each height at a cut a number, from the top down. Heights that differ only by rounding get the same number.
  private func number(_ slabs: inout [[Crosser]], in boundary: inout RegionBoundary) {
    for cut in cuts.indices {
      var heights: [Double] = []
      if cut > 0 { for crosser in slabs[cut - 1] { heights.append(crosser.right) } }
      if cut < slabs.count { for crosser in slabs[cut] { heights.append(crosser.left) } }
      heights.sort()
      let first = boundary.nodes.count
      for height in heights where boundary.nodes.count == first || height - boundary.lastHeight > snap {
        boundary.addNode(Point(x: cuts[cut], y: height))
      }
      if cut > 0 {
        for index in slabs[cut - 1].indices {
          slabs[cut - 1][index].rightNode = boundary.node(at: slabs[cut - 1][index].right, from: first)
        }
      }
      if cut < slabs.count {
        for index in slabs[cut].indices {
          slabs[cut][index].leftNode = boundary.node(at: slabs[cut][index].left, from: first)
        }
      }
    }
  }
}
