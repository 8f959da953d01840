import CanvasCRDT

/// Whether a room has space for more text.
///
/// What counts is the room's text and what every batch on its way may add. A batch may turn out to add less, because it has
/// lost to newer values: the room is then found full a little early, until the log has answered.
///
/// What always holds: `coming` is the sum of what the batches on their way may add.
struct TextSpace: Sendable {
  private let limits: Limits
  private var batches: [UInt64: Int] = [:]
  private var coming = 0

  init(limits: Limits) { self.limits = limits }

  /// Refuses text that the room has no space for. Text that is no longer than what it replaces is always taken, and so is what
  /// was taken before.
  /// - Returns: how many bytes more the room may have with this message.
  func check(_ proposed: [ProposedOperation], on canvas: borrowing Canvas, isLogInDoubt: Bool) throws(Rejection) -> Int
  {
    var growth = 0
    for (index, operation) in proposed.enumerated() where operation.set.assigned.contains(.text) {
      if let at = operation.at, Door.changesNothing(operation, at: at, on: canvas) { continue }
      let more = operation.set.text.utf8Count - canvas.textBytes(of: operation.shape)
      guard more > 0 else { continue }
      growth += more
      let standing = canvas.textBytes + growth
      if UInt64(clamping: standing + coming) > limits.textBytes {
        // `room_full` is final. While the log is down, don't count batches that it may never store.
        if isLogInDoubt, UInt64(clamping: standing) <= limits.textBytes {
          throw Rejection(operation: index, code: .unavailable, message: Door.unavailable)
        }
        let most = limits.textBytes
        let words = Text("the room is full: its shapes have \(most) bytes of text, the most that they may have")
        throw Rejection(operation: index, code: .roomFull, message: words)
      }
    }
    return growth
  }

  /// To be called when a batch has been let in.
  mutating func add(_ growth: Int, batch: UInt64) {
    guard growth > 0 else { return }
    batches[batch] = growth
    coming += growth
  }

  /// To be called when a batch has been answered for.
  mutating func remove(batch: UInt64) {
    if let growth = batches.removeValue(forKey: batch) { coming -= growth }
  }
}
