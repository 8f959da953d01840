import CanvasCRDT

/// Whether a room has space for more text, and for longer paths, which count as text.
///
/// What counts is the room's text and what every batch on its way may add. A batch may turn out to add less, because it has
/// lost to newer values: the room is then found full a little early, until the log has answered.
///
/// What always holds: `coming` is the sum of what the batches on their way may add.
struct TextSpace: Sendable {
  private let limits: Limits
  private var batches: [UInt64: Growth] = [:]
  private var coming = 0

  private struct Growth {
    var bytes: Int
    /// Whether all of it is of shapes that nobody else can name yet. Then each text that arrives is so much of it.
    let isOfUnseen: Bool
  }

  init(limits: Limits) { self.limits = limits }

  /// Refuses text that the room has no space for. Text that is no longer than what it replaces is always taken, and so is what
  /// was taken before.
  /// - Returns: how many bytes more the room may have with this message.
  func check(_ proposed: [ProposedOperation], on canvas: borrowing Canvas, isLogInDoubt: Bool) throws(Rejection) -> Int
  {
    var growth = 0
    for (index, operation) in proposed.enumerated() {
      let written = operation.set.longBytes(of: .all)
      guard written > 0 else { continue }
      if let at = operation.at, Door.changesNothing(operation, at: at, on: canvas) { continue }
      let more = written - canvas.longBytes(of: operation.set.assigned, in: operation.shape)
      guard more > 0 else { continue }
      growth += more
      try check(index, standing: canvas.longBytes + growth, isLogInDoubt: isLogInDoubt)
    }
    return growth
  }

  /// The same for a layout. It takes as long for many texts as for few, as long as there is space.
  func check(_ layout: LayoutEdits, on canvas: borrowing Canvas, isLogInDoubt: Bool) throws(Rejection) -> Int {
    guard layout.longBytes > 0, !fits(canvas.longBytes + layout.longBytes + coming) else { return layout.longBytes }
    var standing = canvas.longBytes
    for (index, operation) in layout.made.enumerated() {
      let written = operation.set.longBytes(of: .all)
      guard written > 0 else { continue }
      standing += written
      try check(layout.moves.count + index, standing: standing, isLogInDoubt: isLogInDoubt)
    }
    return layout.longBytes
  }

  private func fits(_ bytes: Int) -> Bool { UInt64(clamping: bytes) <= limits.textBytes }

  private func check(_ index: Int, standing: Int, isLogInDoubt: Bool) throws(Rejection) {
    guard !fits(standing + coming) else { return }
    // `room_full` is final. While the log is down, don't count batches that it may never store.
    if isLogInDoubt, fits(standing) {
      throw Rejection(operation: index, code: .unavailable, message: Door.unavailable)
    }
    let most = limits.textBytes
    let words = Text("the room is full: its shapes have \(most) bytes of text and paths, the most that they may have")
    throw Rejection(operation: index, code: .roomFull, message: words)
  }

  /// To be called when a batch has been let in.
  mutating func add(_ growth: Int, batch: UInt64, isOfUnseen: Bool = false) {
    guard growth > 0 else { return }
    batches[batch] = Growth(bytes: growth, isOfUnseen: isOfUnseen)
    coming += growth
  }

  /// To be called when a text of a batch has reached the canvas.
  mutating func arrived(_ bytes: Int, of batch: UInt64) {
    guard let growth = batches[batch], growth.isOfUnseen else { return }
    let arrived = min(bytes, growth.bytes)
    batches[batch]?.bytes -= arrived
    coming -= arrived
  }

  /// To be called when a batch has been answered for.
  mutating func remove(batch: UInt64) {
    if let growth = batches.removeValue(forKey: batch) { coming -= growth.bytes }
  }
}
