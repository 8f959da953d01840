/// Two canvases: the confirmed one, and the shown one, which includes the client's unanswered edits.
///
/// A shape without pending edits is the same on both, so it is stored once. Only a shape with pending edits has a
/// second, confirmed record, on `base`.
struct OptimisticCanvas: Sendable {
  var shown: Canvas

  /// The confirmed records of the shapes that have pending edits, and no other shapes.
  private(set) var base: Canvas

  /// How many operations are pending on each shape. Shapes without pending operations are not in the map.
  private(set) var pending = IdentifierMap<Int>()

  /// After a reset, the room's whole state is received again. This is the part that has arrived. The screen shows the
  /// old canvas until the state is complete.
  private var arriving: Canvas
  private(set) var isArriving = false

  private let seed: UInt64

  init(seed: UInt64, confirmed: Canvas? = nil) {
    self.seed = seed
    shown = confirmed ?? Canvas(seed: seed)
    base = Canvas(seed: seed)
    arriving = base
  }
}

// MARK: - The client's own operations

extension OptimisticCanvas {
  /// Counts one more pending operation on `shape`. To be called before the operation is written to the shown canvas.
  mutating func hold(_ shape: Identifier) {
    guard let count = pending[shape] else {
      base.replace(shape, from: shown)
      pending[shape] = 1
      return
    }
    pending[shape] = count + 1
  }

  /// Whether the room has the live shape.
  func isStored(_ shape: Identifier) -> Bool { (pending.contains(shape) ? base : shown).contains(shape) }

  /// Counts `count` operations on `shape` as no longer pending, because they are confirmed, superseded, or no longer
  /// shown.
  mutating func release(_ shape: Identifier, count: Int = 1) {
    guard let standing = pending[shape] else { return }
    if standing > count {
      pending[shape] = standing - count
    } else {
      pending[shape] = nil
      base.forget(shape)
    }
  }

  /// The server has stored one of the client's own operations, which is already shown.
  mutating func confirm(_ operation: Operation) {
    if pending.contains(operation.shape) { base.apply(operation) }
    if isArriving { arriving.apply(operation) }
  }

  /// Rebuilds `shapes` on the shown canvas from their confirmed records and their pending operations.
  mutating func rebuild(_ shapes: IdentifierSet, pending outbox: Outbox) -> [Change] {
    let before = shown
    for shape in shapes.members where pending.contains(shape) { shown.replace(shape, from: base) }
    outbox.forEach { pending in
      if shapes.contains(pending.operation.shape) { shown.apply(pending.operation) }
    }
    var changes: [Change] = []
    for shape in shapes.members.sorted() {
      let change = shown.change(of: shape, since: before)
      if !change.isEmpty { changes.append(change) }
    }
    return changes
  }
}

// MARK: - The room's operations

extension OptimisticCanvas {
  /// Applies an operation that the room has sent. Returns how the shown canvas has changed.
  mutating func receive(_ operation: borrowing Operation) -> Change {
    if isArriving {
      arriving.apply(operation)
      return Change(shape: operation.shape)
    }
    if !pending.isEmpty, pending.contains(operation.shape) { base.apply(operation) }
    return shown.apply(operation)
  }

  /// Merges one shape's record from the room's state. Returns how the shown canvas has changed.
  mutating func receive(_ record: borrowing ShapeRecord) -> Change {
    if isArriving {
      arriving.merge(record, place: 0)
      return Change(shape: record.shape)
    }
    if !pending.isEmpty, pending.contains(record.shape) { base.merge(record, place: 0) }
    return shown.merge(record, place: 0)
  }

  /// Called when the room is about to send its whole state.
  mutating func beginReset() {
    arriving = Canvas(seed: seed)
    isArriving = true
  }

  /// Called when the connection was lost before the whole state had arrived.
  mutating func abandonReset() {
    arriving = Canvas(seed: seed)
    isArriving = false
  }

  /// Called when the room's state has arrived completely. The state replaces the confirmed canvas, and the pending
  /// operations are then applied to the shown canvas.
  mutating func finishReset(pending outbox: Outbox) {
    guard isArriving else { return }
    showArriving(pending: outbox)
    abandonReset()
  }

  /// The number of shapes in the arrived part of the state, minus the number of shown shapes. 0 if no state is
  /// arriving.
  var gainOfArriving: Int { isArriving ? arriving.liveCount - shown.liveCount : 0 }

  /// Shows the part of the state that has arrived, as if it were the whole state.
  mutating func showArriving(pending outbox: Outbox) {
    shown = arriving
    base = Canvas(seed: seed)
    for shape in pending.keys { base.replace(shape, from: arriving) }
    outbox.forEach { shown.apply($0.operation) }
  }
}

// MARK: - The confirmed canvas

extension OptimisticCanvas {
  var confirmedDigest: UInt64 {
    var digest = shown.digest &+ base.digest
    for shape in pending.keys { digest &-= shown.digest(of: shape) }
    return digest
  }

  /// A copy of the confirmed canvas, to be saved or compared.
  var confirmed: Canvas {
    var confirmed = shown
    for shape in pending.keys { confirmed.replace(shape, from: base) }
    return confirmed
  }

  /// Whether at least one register of the newest confirmed state has the operation's value.
  func confirmedHolds(_ operation: Operation) -> Bool {
    if isArriving { return arriving.holds(operation) }
    return pending.contains(operation.shape) ? base.holds(operation) : shown.holds(operation)
  }
}

extension Canvas {
  fileprivate func holds(_ operation: Operation) -> Bool {
    holdsAny(of: operation.set.assigned, in: operation.shape, at: operation.at)
  }
}
