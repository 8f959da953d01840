import CanvasCRDT

/// How much work a room's overlaps may take, in the steps that `OverlapIndex` counts. A step takes about ten
/// nanoseconds.
///
/// The work grows with the pairs that come near each other, even if they don't overlap. So a few thousand thin shapes
/// could keep a processor busy for minutes. A room that has used up its steps counts as having too many pairs (R9). It
/// is checked again after a pause that is long compared with the check.
struct OverlapBudget: Sendable {
  private let stepsPerShape: UInt64
  private(set) var steps = 0
  private var capacity = 0
  private var grownAt: UInt64?
  private var looksAfter: UInt64 = 0

  init(stepsPerShape: UInt64) { self.stepsPerShape = stepsPerShape }

  /// Adds steps to the budget, for the time that has passed since the last call of this function.
  /// - Parameter shapes: how many shapes there are now.
  mutating func grow(shapes: Int, now: Moment) {
    capacity = OverlapBudget.most(shapes: shapes, stepsPerShape: stepsPerShape)
    let time = now.monotonicMilliseconds
    let passed = Int(clamping: time - min(time, grownAt ?? 0))
    // Each millisecond adds this many steps.
    let perMillisecond = max(1, Int(clamping: stepsPerShape) * OverlapBudget.shapesPerMillisecond)
    let grown = passed > 1_000_000 ? capacity : steps + passed * perMillisecond
    steps = min(capacity, grownAt == nil ? capacity : max(0, grown))
    grownAt = time
  }

  /// The most steps that a room may take without a pause.
  static func most(shapes: Int, stepsPerShape: UInt64) -> Int {
    OverlapIndex.stepsMax(shapes: shapes, perShape: Int(clamping: stepsPerShape))
  }

  mutating func spent(left: Int, isCrowded: Bool, now: Moment) {
    let spent = steps - left
    steps = left
    guard isCrowded else { return }
    let pause = max(OverlapBudget.pauseMilliseconds, UInt64(max(0, spent)) / OverlapBudget.stepsPerPauseMillisecond)
    looksAfter = now.monotonicMilliseconds &+ pause
    // The pause already makes up for the steps that were too many, so a negative budget is set to 0.
    steps = max(steps, 0)
  }

  /// Whether a room with too many pairs may be checked again, because the pause is over. The check may use the whole
  /// budget.
  func mayLook(_ now: Moment) -> Bool { now.monotonicMilliseconds >= looksAfter }

  /// Each millisecond adds the steps for this many shapes to the budget. By default that is a twentieth of a
  /// processor's time.
  private static let shapesPerMillisecond = 10
  private static let pauseMilliseconds: UInt64 = 2_000
  /// Each 5,000 steps make the pause a millisecond longer. They take a twentieth of a millisecond, so the pause is
  /// twenty times as long as the work.
  private static let stepsPerPauseMillisecond: UInt64 = 5_000
}
