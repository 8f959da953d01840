import CanvasCRDT

/// The unanswered part of an edit whose command has ended. No later command sends it again. A user who interrupts a
/// command doesn't want the edit any more. A script that retries would make the edit twice.
struct Withdrawal: Hashable, Sendable {
  /// How many of the edit's operations are unanswered, and how many operations it has.
  let unanswered: Int
  let count: Int
  let end: SettleEnd
  let delay: Delay
  let patience: UInt64
  /// Whether a part of the edit is stored, or could be stored because it was sent.
  let mayBeStored: Bool

  @ClientLoop
  init(_ end: SettleEnd, of count: Int, in client: RoomClient, patience: UInt64) {
    self.end = end
    self.count = count
    self.patience = patience
    unanswered = client.replica.unsentCount
    delay = client.delay
    mayBeStored = unanswered < count || client.replica.awaitsAnswer || client.hasLostAnswers
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

  /// The error code for programs. After `not_answered` a script must not simply repeat the edit.
  var code: String {
    if end == .interrupted { return "interrupted" }
    return mayBeStored ? "not_answered" : delay.code
  }

  var exitCode: ExitCode {
    switch end {
    case .answered: .success
    case .interrupted: Signals.isReaderGone ? .failed : Signals.exitCode
    case .closed: .failed
    case .tooLate: .tryAgainLater
    }
  }
}
