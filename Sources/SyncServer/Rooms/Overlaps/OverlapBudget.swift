import CanvasCRDT

/// How much work may go into one room's overlaps, in the steps of `OverlapIndex`, each of about ten nanoseconds.
///
/// The work grows with the pairs that come near each other, not only with those that overlap. So a few thousand thin shapes
/// could keep a processor busy for minutes. A room that has used up its steps counts as having too many pairs (R9), and is
/// looked at again after a pause that is long beside what the looking takes.
struct OverlapBudget: Sendable {
  private let stepsPerShape: UInt64
  private(set) var steps = 0
  private var capacity = 0
  private var grownAt: UInt64?
  private var looksAfter: UInt64 = 0

  init(stepsPerShape: UInt64) { self.stepsPerShape = stepsPerShape }

  /// - Parameter shapes: how many shapes there are now.
  mutating func grow(shapes: Int, now: Moment) {
    capacity = OverlapBudget.most(shapes: shapes, stepsPerShape: stepsPerShape)
    let time = now.monotonicMilliseconds
    let passed = Int(clamping: time - min(time, grownAt ?? 0))
    // At first, and after a pause, all of it is there.
    let perMillisecond = max(1, Int(clamping: stepsPerShape) * OverlapBudget.shapesPerMillisecond)
    let grown = passed > 1_000_000 ? capacity : steps + passed * perMillisecond
    steps = min(capacity, grownAt == nil ? capacity : max(0, grown))
    grownAt = time
  }

  /// The most that a room may use up at once.
  static func most(shapes: Int, stepsPerShape: UInt64) -> Int {
    OverlapIndex.stepsMax(shapes: shapes, perShape: Int(clamping: stepsPerShape))
  }

  mutating func spent(left: Int, isCrowded: Bool, now: Moment) {
    let spent = steps - left
    steps = left
    guard isCrowded else { return }
    let pause = max(OverlapBudget.pauseMilliseconds, UInt64(max(0, spent)) / OverlapBudget.stepsPerPauseMillisecond)
    looksAfter = now.monotonicMilliseconds &+ pause
    // The next look has what it needs.
    steps = max(steps, 0)
  }

  /// Whether the pause since the room was last found to have too many pairs is over. Then all steps are there again.
  func mayLook(_ now: Moment) -> Bool { now.monotonicMilliseconds >= looksAfter }

  /// The work of this many shapes is allowed again each millisecond. By default that is a twentieth of a processor.
  private static let shapesPerMillisecond = 10
  private static let pauseMilliseconds: UInt64 = 2_000
  /// The pause is twenty times as long as the work was.
  private static let stepsPerPauseMillisecond: UInt64 = 5_000
}
