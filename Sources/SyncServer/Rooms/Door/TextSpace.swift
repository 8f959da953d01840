import Basics
import CanvasCRDT

/// Whether a room has space for more text, and for longer paths, which count as text.
///
/// Counts the room's text and everything that pending batches may add. A batch may add less in the end, if its values
/// lose to newer ones. So the room may count as full for a while although it is not.
///
/// What always holds:
/// - `coming` is the sum of what the pending batches may add.
/// - Text that a batch frees counts only if the batch needs the space, and only if no other pending batch touches that
///   shape's text. So freed text is counted once.
struct TextSpace: Sendable {
  private let limits: Limits
  private var batches: [UInt64: Growth] = [:]
  private var coming = 0
  /// By shape: how many pending batches write or delete the shape's text, or fit into the room only because this text
  /// becomes shorter.
  private var touched: [Identifier: Int] = [:]
  /// By shape: how many pending batches fit into the room only because the shape's text becomes shorter.
  private var freed: [Identifier: Int] = [:]

  /// The text that a batch may add to the room.
  struct Growth: Sendable {
    fileprivate var bytes = 0
    /// Whether no other operation can name the batch's shapes yet. If so, the bytes of a text no longer count as
    /// pending after that text was applied.
    fileprivate var isOfUnseen = false
    /// The shapes whose text the batch writes or deletes.
    fileprivate var written: Set<Identifier> = []
    /// The shapes whose text becomes shorter. Empty if the batch has space without that.
    fileprivate var freed: Set<Identifier> = []
  }

  init(limits: Limits) { self.limits = limits }

  /// Refuses text that the room has no space for. The operations of a message are counted together. Text is always
  /// accepted if it is no longer than the text that it replaces, or if its operation was accepted before.
  func check(
    _ proposed: [ProposedOperation],
    on canvas: borrowing Canvas,
    isLogInDoubt: Bool
  ) throws(Rejection) -> Growth {
    var growth = Growth()
    var steps: [(index: Int, bytes: Int)] = []
    for (index, operation) in proposed.enumerated() {
      // No other pending batch may use the space that this deletion frees.
      if operation.set.deleted, canvas.longBytes(in: operation.shape) > 0 { growth.written.insert(operation.shape) }
      guard !operation.set.assigned.intersection([.text, .path]).isEmpty else { continue }
      if canvas.hasAll(of: operation) { continue }
      growth.written.insert(operation.shape)
      let written = operation.set.longBytes(of: .all)
      let more = written - standing(operation.set.assigned, of: operation.shape, on: canvas)
      guard more > 0 else { continue }
      growth.bytes += more
      steps.append((index, more))
    }
    guard !steps.isEmpty, !fits(canvas.longBytes + growth.bytes + coming) else { return growth }
    let simple = growth.bytes
    takeAsWhole(proposed, on: canvas, &growth)
    guard growth.bytes > 0 else { return growth }
    var standing = canvas.longBytes + growth.bytes - simple
    for step in steps {
      standing += step.bytes
      try check(step.index, standing: standing, isLogInDoubt: isLogInDoubt)
    }
    return growth
  }

  /// How many bytes of text the operation replaces: the present bytes of the properties that it writes. 0 if another
  /// batch frees them.
  private func standing(_ properties: PropertyMask, of shape: Identifier, on canvas: borrowing Canvas) -> Int {
    freed[shape] == nil ? canvas.longBytes(of: properties, in: shape) : 0
  }

  /// Counts the text that each shape has after the whole message, rather than the sum of all texts in the message.
  private func takeAsWhole(_ proposed: [ProposedOperation], on canvas: borrowing Canvas, _ growth: inout Growth) {
    var shapes: [Identifier: PropertyMask] = [:]
    for operation in proposed where touched[operation.shape] == nil { shapes[operation.shape] = .all }
    // Any seed will do, because nothing that depends on the seed is read from this canvas.
    var after = Canvas(seed: UInt64.random(in: 0...UInt64.max))
    for operation in canvas.operations(of: shapes) { after.apply(operation) }
    for (index, operation) in proposed.enumerated() where shapes[operation.shape] != nil {
      let written = operation.set.longBytes(of: .all)
      if written > 0, !canvas.hasAll(of: operation) {
        growth.bytes -= max(0, written - canvas.longBytes(of: operation.set.assigned, in: operation.shape))
      }
      // The room will give the operation a stamp that is later than all its other stamps. This stamp is late enough to
      // stand for it.
      let at = operation.at ?? Stamp(time: .max - UInt64(proposed.count - index), actor: Fullness.anyActor)
      after.apply(Operation(shape: operation.shape, at: at, set: operation.set))
    }
    for shape in shapes.keys {
      let change = after.longBytes(in: shape) - canvas.longBytes(in: shape)
      growth.bytes += change
      if change < 0 { growth.freed.insert(shape) }
    }
  }

  /// Refuses a layout (the shapes of an HTTP request) whose text the room has no space for. While there is space, this
  /// takes constant time.
  func check(_ layout: LayoutEdits, on canvas: borrowing Canvas, isLogInDoubt: Bool) throws(Rejection) -> Growth {
    let growth = Growth(bytes: layout.longBytes, isOfUnseen: true)
    guard layout.longBytes > 0, !fits(canvas.longBytes + layout.longBytes + coming) else { return growth }
    var standing = canvas.longBytes
    for (index, operation) in layout.made.enumerated() {
      let written = operation.set.longBytes(of: .all)
      guard written > 0 else { continue }
      standing += written
      try check(layout.moves.count + index, standing: standing, isLogInDoubt: isLogInDoubt)
    }
    return growth
  }

  private func fits(_ bytes: Int) -> Bool { UInt64(clamping: bytes) <= limits.textBytes }

  private func check(_ index: Int, standing: Int, isLogInDoubt: Bool) throws(Rejection) {
    guard !fits(standing + coming) else { return }
    // `room_full` is a final refusal. While the log is in doubt, pending batches might never be stored, so they must
    // not cause this refusal.
    if isLogInDoubt, fits(standing) {
      throw Rejection(operation: index, code: .unavailable, message: Door.unavailable)
    }
    let most = limits.textBytes
    let words = Text("the room is full: its shapes have \(most) bytes of text and paths, the most that they may have")
    throw Rejection(operation: index, code: .roomFull, message: words)
  }

  /// Counts what an admitted batch may add.
  mutating func add(_ growth: Growth, batch: UInt64) {
    guard growth.bytes > 0 || !growth.written.isEmpty || !growth.freed.isEmpty else { return }
    var growth = growth
    growth.bytes = max(0, growth.bytes)
    batches[batch] = growth
    coming += growth.bytes
    for shape in growth.written.union(growth.freed) { touched[shape, default: 0] += 1 }
    for shape in growth.freed { freed[shape, default: 0] += 1 }
  }

  /// A text of a batch has been applied to the canvas, and no longer counts as pending.
  mutating func arrived(_ bytes: Int, of batch: UInt64) {
    guard let growth = batches[batch], growth.isOfUnseen else { return }
    let arrived = min(bytes, growth.bytes)
    batches[batch]?.bytes -= arrived
    coming -= arrived
  }

  /// The log has stored or refused a batch, so its text no longer counts as text that is about to be added.
  mutating func remove(batch: UInt64) {
    guard let growth = batches.removeValue(forKey: batch) else { return }
    coming -= growth.bytes
    for shape in growth.written.union(growth.freed) { touched.countDown(shape) }
    for shape in growth.freed { freed.countDown(shape) }
  }
}
