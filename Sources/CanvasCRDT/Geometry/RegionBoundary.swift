/// The sides of many trapezoids, as steps between numbered nodes. Sides that two trapezoids share cancel out, and the
/// remaining sides form loops.
///
/// The nodes on one cut (a vertical line between trapezoids) have consecutive numbers from the top. So a vertical side
/// is a run of steps from one number to the next, and each step can be shared with another trapezoid.
struct RegionBoundary {
  private(set) var nodes: [Point] = []
  /// For each node: the number of steps down to the next node, minus the number of steps up.
  private var descents: [Int] = []
  private var sides: [(from: Int, to: Int)] = []
  private let snap: Double

  init(snap: Double) { self.snap = snap }

  var lastHeight: Double { nodes[nodes.count - 1].y }

  mutating func addNode(_ point: Point) {
    nodes.append(point)
    descents.append(0)
  }

  /// The number of the node at this height on the newest cut. `first` is the number of that cut's first node.
  func node(at height: Double, from first: Int) -> Int {
    var low = first
    var high = nodes.count
    while low < high {
      let middle = low + (high - low) / 2
      if nodes[middle].y <= height { low = middle + 1 } else { high = middle }
    }
    return Swift.max(first, low - 1)
  }

  mutating func addTrapezoid(topLeft: Int, topRight: Int, bottomRight: Int, bottomLeft: Int) {
    if topLeft == bottomLeft, topRight == bottomRight { return }
    sides.append((topLeft, topRight))
    sides.append((bottomRight, bottomLeft))
    descend(from: topRight, to: bottomRight, by: 1)
    descend(from: topLeft, to: bottomLeft, by: -1)
  }

  private mutating func descend(from: Int, to: Int, by count: Int) {
    // Rounding may swap the two ends of a very short side. The side then counts in the other direction.
    if from <= to {
      for node in from..<to { descents[node] += count }
    } else {
      for node in to..<from { descents[node] -= count }
    }
  }

  // MARK: - Loops

  /// The loops. At each node, equally many sides begin and end. So following the sides always leads back to the start.
  func loops() -> [[Point]] {
    var sides = self.sides
    for (node, count) in descents.enumerated() where count != 0 {
      for _ in 0..<count.magnitude { sides.append(count > 0 ? (node, node + 1) : (node + 1, node)) }
    }
    var firstSide = Array(repeating: -1, count: nodes.count)
    var nextSide = Array(repeating: -1, count: sides.count)
    for index in sides.indices.reversed() {
      nextSide[index] = firstSide[sides[index].from]
      firstSide[sides[index].from] = index
    }
    var isUsed = Array(repeating: false, count: sides.count)
    var loops: [[Point]] = []
    for start in sides.indices where !isUsed[start] {
      var loop: [Point] = []
      var side = start
      while side >= 0, !isUsed[side] {
        isUsed[side] = true
        loop.append(nodes[sides[side].from])
        var next = -1
        var candidate = firstSide[sides[side].to]
        while candidate >= 0 {
          if !isUsed[candidate], next < 0 || turnsMore(sides[side], sides[candidate], than: sides[next]) {
            next = candidate
          }
          candidate = nextSide[candidate]
        }
        side = next
      }
      let simplified = simplifying(loop)
      if simplified.count > 2 { loops.append(simplified) }
    }
    return loops
  }

  /// Whether `one` turns further right after `side` than `other` does. The boundary always takes the rightmost side. So
  /// two loops that only touch at a corner stay separate, because the inside is on the right.
  private func turnsMore(_ side: (from: Int, to: Int), _ one: (from: Int, to: Int), than other: (from: Int, to: Int))
    -> Bool
  {
    turn(side, one) > turn(side, other)
  }

  /// A measure of the turn from one side to the next: from −2 (a U-turn to the left) to 2 (a U-turn to the
  /// right).
  private func turn(_ side: (from: Int, to: Int), _ next: (from: Int, to: Int)) -> Double {
    let x = nodes[side.to].x - nodes[side.from].x
    let y = nodes[side.to].y - nodes[side.from].y
    let nextX = nodes[next.to].x - nodes[next.from].x
    let nextY = nodes[next.to].y - nodes[next.from].y
    let lengths = ((x * x + y * y) * (nextX * nextX + nextY * nextY)).squareRoot()
    guard lengths > 0 else { return 0 }
    let ahead = (x * nextX + y * nextY) / lengths
    return x * nextY - y * nextX >= 0 ? 1 - ahead : ahead - 1
  }

  /// The loop without the corners at which its direction doesn't change. Empty if no area is left.
  private func simplifying(_ loop: [Point]) -> [Point] {
    var kept: [Point] = []
    for corner in loop {
      while kept.count > 1, isStraight(kept[kept.count - 2], kept[kept.count - 1], corner) { kept.removeLast() }
      kept.append(corner)
    }
    while kept.count > 2, isStraight(kept[kept.count - 2], kept[kept.count - 1], kept[0]) { kept.removeLast() }
    while kept.count > 2, isStraight(kept[kept.count - 1], kept[0], kept[1]) { kept.removeFirst() }
    return kept
  }

  private func isStraight(_ before: Point, _ corner: Point, _ after: Point) -> Bool {
    let x = after.x - before.x
    let y = after.y - before.y
    let length = (x * x + y * y).squareRoot()
    return (x * (corner.y - before.y) - y * (corner.x - before.x)).magnitude <= 4 * snap * length + snap * snap
  }
}
