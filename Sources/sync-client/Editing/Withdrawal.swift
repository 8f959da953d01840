import CanvasCRDT

/// The part of an edit that the server had not answered when the edit's command ended. No later command sends it: a
/// user who interrupts a command doesn't want the edit any more, and a script that tries again would make the edit
/// twice.
struct Withdrawal: Hashable, Sendable {
  /// How many of the edit's operations have no answer, and how many operations the edit has.
  let unanswered: Int
  let count: Int
  let end: SettleEnd
  let delay: Delay
  let patience: UInt64
  /// Whether a part of the edit is stored, or may be stored because it was sent and never answered.
  let mayBeStored: Bool

  @ClientLoop
  init(_ end: SettleEnd, of count: Int, in client: RoomClient, patience: UInt64) {
    self.end = end
    self.count = count
    self.patience = patience
    unanswered = client.replica.unsentCount
    delay = client.delay
    mayBeStored = unanswered < count || client.replica.postponement == nil || client.replica.awaitsAnswer
  }

  var words: String {
    let why =
      switch end {
      case .answered, .interrupted: "interrupted"
      case .closed: delay.words
      case .tooLate: "gave up after \(Figures.duration(microseconds: patience * 1_000)): \(delay.words)"
      }
    let what = unanswered == count ? "The edit is" : "\(unanswered) of the edit's \(count) operations are"
    let doubt = unanswered == count && mayBeStored ? ", unless the server has stored it" : ""
    return "\(why). \(what) withdrawn\(doubt); no later command sends it."
  }

  /// The error's name for programs.
  var code: String { end == .interrupted ? "interrupted" : delay.code }

  var exitCode: ExitCode {
    switch end {
    case .answered: .success
    case .interrupted: Signals.exitCode
    case .closed: .failed
    case .tooLate: .tryAgainLater
    }
  }
}
