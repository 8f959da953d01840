/// Computes the common areas of many pairs of shapes, until that takes too long.
public struct CommonAreas {
  private let workMax: Int
  private var work = 0

  /// - Parameter workMax: an upper bound on the parts of edges that are computed. The usual number takes about a second.
  ///   A room of ordinary shapes stays far below it.
  public init(workMax: Int = 5_000_000) { self.workMax = workMax }

  /// Whether no further area is computed.
  public var isUsedUp: Bool { work >= workMax }

  /// The common area of two shapes. `nil` if it takes too long, by itself or together with those before.
  public mutating func loops(_ first: Outline, _ second: Outline) -> [[Point]]? {
    guard !isUsedUp else { return nil }
    work += CommonAreas.workOfPair
    return first.commonRegion(with: second, work: &work)
  }

  /// What each pair costs, however few edges it has: two rectangles take as long as 30 parts of edges.
  private static let workOfPair = 30
}
