/// Two intersecting rectangles of a list: their indices, the smaller index first, and their common area.
public struct RectIntersection: Hashable, Sendable {
  public let first: Int
  public let second: Int
  public let common: Rect

  public init(first: Int, second: Int, common: Rect) {
    self.first = first
    self.second = second
    self.common = common
  }
}

extension Collection where Element == Rect {
  /// All intersections of the rectangles, ordered by the first index and then by the second.
  ///
  /// - Complexity: for rectangles of similar size O(*n* log *n* + *k*), where *k* is the number of pairs whose bounds
  ///   meet.
  public func intersections() -> [RectIntersection] {
    let boxes = map(Box.init)
    let rects = Array(self)
    // A rectangle without area, or with a NaN, intersects nothing.
    let usable = boxes.indices.filter { boxes[$0].isFinite && rects[$0].intersects(rects[$0]) }
    let order = HilbertOrder.offsets(of: usable.map { boxes[$0] }).map { usable[$0] }
    let tree = BoxTree(ordered: order.map { boxes[$0] }, widened: false)
    var found: [RectIntersection] = []
    var candidates: [Int32] = []
    for first in usable {
      candidates.removeAll(keepingCapacity: true)
      tree.collect(touching: boxes[first], into: &candidates)
      let start = found.count
      for candidate in candidates {
        let second = order[Int(candidate)]
        guard second > first, let common = Rect(intersecting: rects[first], rects[second]) else { continue }
        found.append(RectIntersection(first: first, second: second, common: common))
      }
      found[start...].sort { $0.second < $1.second }
    }
    return found
  }
}
