import CanvasCRDT

/// The way into a room's log: what may enter is asked here, once. Merging asks nothing.
///
/// What always holds:
/// - A batch that was handed out is under way until the log has answered for it, and is answered for once.
/// - The newcomers that count against the room's limits are those of the batches under way, but for what is on the canvas
///   already.
/// - The log is in doubt from the first batch that it refuses until it takes one: what it has stored is not all known.
struct Door: Sendable {
  private let limits: Limits
  private var underWay: [UInt64: Passage] = [:]
  private var nextBatch: UInt64 = 1
  private var fullness: Fullness
  private var isLogInDoubt = false

  /// A batch on its way to the log, and who is to hear of it.
  struct Passage: Sendable {
    enum Origin: Sendable {
      case member(MemberID, MessageIdentifier?)
      case request(UInt64)
    }

    let origin: Origin
    let operationCount: UInt64
    fileprivate let newcomers: Newcomers
  }

  init(limits: Limits) {
    self.limits = limits
    fullness = Fullness(limits: limits)
  }

  // MARK: In

  /// Lets operations pass as one batch, stamped, or refuses all of them.
  mutating func admit(
    _ proposed: [ProposedOperation],
    by actor: Identifier,
    from origin: Passage.Origin,
    to fold: inout Fold,
    now: Moment
  ) throws(Rejection) -> Batch {
    for (index, operation) in proposed.enumerated() {
      guard let at = operation.at else { continue }
      if case .member = origin, at.actor != actor {
        throw Rejection(operation: index, code: .badStamp, message: "the stamp in at must have this connection's actor")
      }
      try checkTime(of: operation, at: at, index: index, canvas: fold.canvas, now: now)
    }
    let newcomers = try fullness.newcomers(in: proposed, on: fold.canvas, isLogInDoubt: isLogInDoubt)
    let operations = fold.stamp(proposed, actor: actor, now: now)
    let number = nextBatch
    nextBatch += 1
    fullness.add(newcomers)
    underWay[number] = Passage(origin: origin, operationCount: UInt64(operations.count), newcomers: newcomers)
    return Batch(number: number, operations: operations)
  }

  private func checkTime(
    of operation: ProposedOperation,
    at stamp: Stamp,
    index: Int,
    canvas: borrowing Canvas,
    now: Moment
  ) throws(Rejection) {
    switch Clock.standing(
      of: stamp,
      wallMilliseconds: now.wallMilliseconds,
      aheadMillisecondsMax: limits.clockAheadMilliseconds,
      horizonMilliseconds: limits.horizonMilliseconds
    ) {
    case .plausible: break
    // What was taken once is taken again, whatever clocks have done since (W8).
    case .ahead where Door.changesNothing(operation, at: stamp, on: canvas): break
    case .tooOld where Door.isHeld(operation, at: stamp, by: canvas): break
    case .ahead(let by):
      throw Rejection(
        operation: index,
        code: .clockAhead,
        message: Text("the stamp is \(by) ms ahead of the server's clock")
      )
    case .tooOld(let by):
      throw Rejection(
        operation: index,
        code: .tooOld,
        message: Text("the stamp is \(by) ms behind the server's clock")
      )
    }
  }

  /// Whether the canvas has all of an operation, or newer values: so it is with any that was taken before.
  private static func changesNothing(
    _ operation: ProposedOperation,
    at stamp: Stamp,
    on canvas: borrowing Canvas
  ) -> Bool {
    for property in operation.set.assigned {
      guard let winner = canvas.winner(of: property, in: operation.shape), winner >= stamp else { return false }
    }
    return true
  }

  /// Whether any value on the canvas was written by this operation.
  private static func isHeld(_ operation: ProposedOperation, at stamp: Stamp, by canvas: borrowing Canvas) -> Bool {
    for property in operation.set.assigned where canvas.stamp(of: property, in: operation.shape) == stamp {
      return true
    }
    return false
  }

  // MARK: Through

  /// Whether no batch is under way.
  var isClear: Bool { underWay.isEmpty }

  /// The batches under way, in the order in which they were let in.
  var batches: [UInt64] { underWay.keys.sorted() }

  /// The log has stored a batch.
  /// - Returns: nothing where the batch is not under way, as after it was refused.
  mutating func stored(_ batch: UInt64) -> Passage? {
    guard let passage = land(batch) else { return nil }
    isLogInDoubt = false
    return passage
  }

  /// The log could not take a batch. Where the log can't say whether it has stored it, the batch may still turn up, as one
  /// that nobody asked for, before any batch that is taken later.
  mutating func refused(_ batch: UInt64) -> Passage? {
    guard let passage = land(batch) else { return nil }
    isLogInDoubt = true
    return passage
  }

  /// The log could not be written when the room was opened.
  mutating func doubtLog() { isLogInDoubt = true }

  /// An operation on a shape is on the canvas now, and counts there.
  mutating func arrived(_ shape: Identifier, on canvas: borrowing Canvas) {
    if fullness.isWaiting { fullness.arrived(shape, on: canvas) }
  }

  private mutating func land(_ batch: UInt64) -> Passage? {
    guard let passage = underWay.removeValue(forKey: batch) else { return nil }
    fullness.remove(passage.newcomers)
    return passage
  }

  /// Why a batch that the log didn't take is refused.
  static let unavailable: Text = "the server can't store changes now"
}
