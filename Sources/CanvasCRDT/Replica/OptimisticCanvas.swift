/// What is shown, one's own unanswered edits included, and beside it what of the same is confirmed.
///
/// There are not two whole canvases. Where nothing is pending the two agree, so only the shapes that have pending
/// edits have a confirmed record of their own, on `base`.
struct OptimisticCanvas: Sendable {
  var shown: Canvas

  /// The confirmed records of the shapes that have pending edits, and of no others.
  private(set) var base: Canvas

  /// How many operations are pending on each shape that has any.
  private(set) var pending = IdentifierMap<Int>()

  /// The room's state on its way, after a reset, until it is whole. What was shown stays meanwhile.
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

// MARK: - One's own

extension OptimisticCanvas {
  /// One more operation on `shape` is pending. To be said before it is written to what is shown.
  mutating func hold(_ shape: Identifier) {
    guard let count = pending[shape] else {
      base.replace(shape, from: shown)
      pending[shape] = 1
      return
    }
    pending[shape] = count + 1
  }

  /// So many operations on `shape` are pending no more. Their values are confirmed, superseded or have been taken off
  /// what is shown.
  mutating func release(_ shape: Identifier, count: Int = 1) {
    guard let standing = pending[shape] else { return }
    if standing > count {
      pending[shape] = standing - count
    } else {
      pending[shape] = nil
      base.forget(shape)
    }
  }

  /// The server has made one's own operation durable. It is shown already.
  mutating func confirm(_ operation: Operation) {
    if pending.contains(operation.shape) { base.apply(operation) }
    if isArriving { arriving.apply(operation) }
  }

  /// Builds what is shown of `shapes` again, from what is confirmed and what is still pending.
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

// MARK: - The room's

extension OptimisticCanvas {
  /// Takes in an operation that the room has. The change is to what is shown.
  mutating func receive(_ operation: borrowing Operation) -> Change {
    if isArriving {
      arriving.apply(operation)
      return Change(shape: operation.shape)
    }
    if !pending.isEmpty, pending.contains(operation.shape) { base.apply(operation) }
    return shown.apply(operation)
  }

  /// Takes in what the room has of one shape.
  mutating func receive(_ record: borrowing ShapeRecord) -> Change {
    if isArriving {
      arriving.merge(record, place: 0)
      return Change(shape: record.shape)
    }
    if !pending.isEmpty, pending.contains(record.shape) { base.merge(record, place: 0) }
    return shown.merge(record, place: 0)
  }

  /// The room's state comes from the beginning.
  mutating func beginReset() {
    arriving = Canvas(seed: seed)
    isArriving = true
  }

  /// The connection was lost in the middle of it.
  mutating func abandonReset() {
    arriving = Canvas(seed: seed)
    isArriving = false
  }

  /// The state is whole: it replaces what was confirmed, and what is pending is shown over it.
  mutating func finishReset(pending outbox: Outbox) {
    guard isArriving else { return }
    shown = arriving
    base = Canvas(seed: seed)
    for shape in pending.keys { base.replace(shape, from: arriving) }
    abandonReset()
    outbox.forEach { shown.apply($0.operation) }
  }
}

// MARK: - What is confirmed

extension OptimisticCanvas {
  var confirmedDigest: UInt64 {
    var digest = shown.digest &+ base.digest
    for shape in pending.keys { digest &-= shown.digest(of: shape) }
    return digest
  }

  /// A canvas of its own: to be saved, or compared.
  var confirmed: Canvas {
    var confirmed = shown
    for shape in pending.keys { confirmed.replace(shape, from: base) }
    return confirmed
  }

  /// Whether any register is confirmed to hold what `operation` wrote, as far as the newest state tells.
  func confirmedHolds(_ operation: Operation) -> Bool {
    if isArriving { return arriving.holds(operation) }
    return pending.contains(operation.shape) ? base.holds(operation) : shown.holds(operation)
  }
}

extension Canvas {
  /// Whether any register has the stamp of `operation`.
  fileprivate func holds(_ operation: Operation) -> Bool {
    for property in operation.set.assigned where stamp(of: property, in: operation.shape) == operation.at {
      return true
    }
    return false
  }
}
