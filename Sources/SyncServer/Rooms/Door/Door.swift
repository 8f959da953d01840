import CanvasCRDT

/// Decides which operations may enter a room's log. Operations in the log are merged without another check.
///
/// What always holds:
/// - An admitted batch is pending until the log has answered for it. The log answers once.
/// - The room's limits apply to the canvas as it will be with all pending batches.
/// - The log is in doubt from its first refusal of a batch until it stores a batch. The refused batches may have been
///   stored all the same.
struct Door: Sendable {
  private let limits: Limits
  private var underWay: [UInt64: Passage] = [:]
  private var nextBatch: UInt64 = 1
  private var fullness: Fullness
  private var shares: MemoryShares
  private var textSpace: TextSpace
  private var isLogInDoubt = false
  private var lead = Lead()

  /// A pending batch, and the writer that the answer is for.
  struct Passage: Sendable {
    enum Origin: Sendable {
      case member(MemberID, MessageIdentifier?)
      case request(UInt64)
    }

    let origin: Origin
    let operationCount: UInt64
    /// The shapes that the batch might make or delete.
    fileprivate let counted: [Identifier]
    /// What the batch's payer was charged of the memory for deletions.
    fileprivate var use = MemoryUse()
    fileprivate var payer: Payer?
    /// All operations of the message, if only some of them are stored because the room has the others already.
    fileprivate(set) var message: [ProposedOperation]?
    /// Whether a record of the batch came too late. The room had already forgotten deletions that the record might
    /// conflict with.
    fileprivate(set) var isTooOld = false
  }

  init(limits: Limits) {
    self.limits = limits
    fullness = Fullness(limits: limits)
    shares = MemoryShares(limits: limits)
    textSpace = TextSpace(limits: limits)
  }

  // MARK: Admission

  /// Admits operations as one batch and stamps those without a stamp, or refuses all of them.
  /// - Returns: `nil` if nothing has to be stored.
  mutating func admit(
    _ proposed: [ProposedOperation],
    by actor: Identifier,
    from origin: Passage.Origin,
    _ allowance: Allowance,
    to fold: inout Fold,
    now: Moment
  ) throws(Rejection) -> Batch? {
    let edge = now.wallMilliseconds.addingReportingOverflow(limits.clockAheadMilliseconds)
    lead.note(newest: fold.clockTime >> 16, edge: edge.overflow ? .max : edge.partialValue, now: now)
    for (index, operation) in proposed.enumerated() {
      // What clients send was checked when it was decoded. What the server makes is checked here, because a record with
      // a value that isn't allowed can't be read again.
      if case .request = origin { try check(operation, index: index) }
      try checkName(in: operation, index: index, canvas: fold.canvas)
      guard let at = operation.at else { continue }
      if case .member = origin, at.actor != actor {
        throw Rejection(operation: index, code: .badStamp, message: "the stamp in at must have this connection's actor")
      }
      try checkTime(of: operation, at: at, index: index, fold: fold, now: now)
    }
    guard try !allowance.isKnown(proposed, on: fold.canvas) else { return nil }
    let textGrowth = try textSpace.check(proposed, on: fold.canvas, isLogInDoubt: isLogInDoubt)
    let use = try fullness.check(proposed, on: fold.canvas, isLogInDoubt: isLogInDoubt)
    try shares.check(use, for: allowance.payer, taken: fullness.remembered(on: fold.canvas), now: now)
    var new = proposed
    if allowance.storesOnlyNew { new.removeAll { fold.canvas.hasAll(of: $0) } }
    let operations = fold.stamp(new, actor: actor, now: now)
    let number = letIn(operations, from: origin, on: fold.canvas)
    if new.count < proposed.count { underWay[number]?.message = proposed }
    charge(use, to: allowance.payer, for: number, now: now)
    textSpace.add(textGrowth, batch: number)
    return Batch(number: number, operations: operations, payer: allowance.payer)
  }

  /// Admits a layout (the shapes of an HTTP request) as one batch, or refuses all of it. The time that this takes
  /// doesn't grow with the number of shapes: they are stamped on another thread, and were checked one by one when the
  /// request was read.
  mutating func admit(
    _ layout: LayoutEdits,
    by actor: Identifier,
    request: UInt64,
    _ allowance: Allowance,
    to fold: inout Fold,
    now: Moment
  ) throws(Rejection) -> AdmittedLayout {
    _ = try allowance.isKnown(layout.moves, on: fold.canvas)
    _ = try allowance.isKnown(layout.made, on: fold.canvas)
    let made = layout.made.count
    let use = try fullness.check(layout.moves, unseen: made, on: fold.canvas, isLogInDoubt: isLogInDoubt)
    let textGrowth = try textSpace.check(layout, on: fold.canvas, isLogInDoubt: isLogInDoubt)
    try shares.check(use, for: allowance.payer, taken: fullness.remembered(on: fold.canvas), now: now)
    let moves = fold.stamp(layout.moves, actor: actor, now: now)
    let clock = fold.reserveStamps(made, actor: actor, now: now)
    let number = letIn(moves, unseen: made, from: .request(request), on: fold.canvas)
    charge(use, to: allowance.payer, for: number, now: now)
    textSpace.add(textGrowth, batch: number)
    return AdmittedLayout(
      number: number,
      request: request,
      moves: moves,
      made: layout.made,
      clock: clock,
      milliseconds: now.wallMilliseconds,
      payer: allowance.payer
    )
  }

  /// Makes a batch that tells the room to forget all deletions from before `milliseconds`, in Unix time.
  mutating func admitForgetting(
    before milliseconds: UInt64,
    from origin: Passage.Origin,
    on canvas: borrowing Canvas
  ) -> Batch {
    let number = letIn([], from: origin, on: canvas)
    return Batch(number: number, operations: [], payer: nil, forgottenBefore: milliseconds)
  }

  /// Numbers a batch and counts it against the limits.
  /// - Parameter unseen: how many shapes the batch makes in addition to `operations`. The operations that make these
  ///   shapes are stamped later.
  private mutating func letIn(
    _ operations: [Operation],
    unseen: Int = 0,
    from origin: Passage.Origin,
    on canvas: borrowing Canvas
  ) -> UInt64 {
    let number = nextBatch
    nextBatch += 1
    let counted = fullness.add(operations, batch: number, on: canvas)
    fullness.add(unseen: unseen, batch: number)
    underWay[number] = Passage(origin: origin, operationCount: UInt64(operations.count + unseen), counted: counted)
    return number
  }

  private mutating func charge(_ use: MemoryUse, to payer: Payer?, for batch: UInt64, now: Moment) {
    shares.charge(use, to: payer, now: now)
    underWay[batch]?.use = use
    underWay[batch]?.payer = payer
  }

  private func check(_ operation: ProposedOperation, index: Int) throws(Rejection) {
    do throws(PropertyProblem) { try operation.set.check() } catch {
      throw Rejection(operation: index, code: .badValue, message: error.message)
    }
  }

  /// Refuses a name that is not allowed. An operation that was accepted before the rule existed is accepted again when
  /// it is sent again (W8).
  private func checkName(
    in operation: ProposedOperation,
    index: Int,
    canvas: borrowing Canvas
  ) throws(Rejection) {
    guard Door.isMisnamed(operation) else { return }
    if canvas.hasAll(of: operation) { return }
    throw Door.badName(index: index)
  }

  /// Whether the operation writes a name that is not allowed.
  static func isMisnamed(_ operation: ProposedOperation) -> Bool {
    operation.set.assigned.contains(.name) && !PropertyRules.takesName(operation.set.name)
  }

  static func badName(index: Int) -> Rejection {
    Rejection(operation: index, code: .badValue, message: PropertyProblem(.name).message)
  }

  private func checkTime(
    of operation: ProposedOperation,
    at stamp: Stamp,
    index: Int,
    fold: borrowing Fold,
    now: Moment
  ) throws(Rejection) {
    switch Clock.standing(
      of: stamp,
      wallMilliseconds: now.wallMilliseconds,
      aheadMillisecondsMax: limits.clockAheadMilliseconds,
      horizonMilliseconds: limits.horizonMilliseconds
    ) {
    case .plausible: break
    // An operation that was accepted before is accepted again, even if the server's clock has been set back since (W8).
    case .ahead where fold.canvas.hasAll(of: operation): break
    case .tooOld
    where fold.canvas.holdsAny(of: operation.set.assigned, in: operation.shape, at: stamp)
      && fold.canvas.hasAll(of: operation):
      break
    // After the server's clock was set back, the room may have values with stamps that are ahead of that clock. To
    // overwrite these values, a writer needs stamps that are a little later still.
    case .ahead where lead.takes(stamp): break
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
    guard fold.mightConflict(operation.set.assigned, in: operation.shape, at: stamp) else { return }
    throw Rejection(operation: index, code: .tooOld, message: Door.forgotten)
  }

  static let forgotten: Text = "the stamp is older than the deletions that this room remembers"

  /// Forgets the addresses and tokens that have used none of the memory for deletions lately. To be called now and
  /// then.
  mutating func rest(now: Moment) { shares.forgetFaded(now: now) }

  // MARK: Pending batches

  /// Whether no batch is pending.
  var isClear: Bool { underWay.isEmpty }

  /// The pending batches, in the order in which they were admitted.
  var batches: [UInt64] { underWay.keys.sorted() }

  func origin(of batch: UInt64) -> Passage.Origin? { underWay[batch]?.origin }

  /// The log has stored a batch.
  /// - Returns: `nil` if the batch is not pending, for example because it was refused.
  mutating func stored(_ batch: UInt64, on canvas: borrowing Canvas) -> Passage? {
    guard let passage = land(batch, on: canvas) else { return nil }
    isLogInDoubt = false
    return passage
  }

  /// To be called when a record of the batch came too late: the room had already forgotten deletions with which the
  /// record might conflict.
  mutating func markTooOld(_ batch: UInt64?) {
    if let batch { underWay[batch]?.isTooOld = true }
  }

  /// The log could not store a batch, or can't say whether it has stored the batch. If the log has stored the batch,
  /// the batch still arrives as a record, before any batch that the log stores later.
  mutating func refused(_ batch: UInt64, on canvas: borrowing Canvas) -> Passage? {
    guard let passage = withdrawn(batch, on: canvas) else { return nil }
    isLogInDoubt = true
    return passage
  }

  /// A batch is not sent to the log after all, because its writer lost the right to write.
  mutating func withdrawn(_ batch: UInt64, on canvas: borrowing Canvas) -> Passage? {
    guard let passage = land(batch, on: canvas) else { return nil }
    shares.giveBack(passage.use, to: passage.payer)
    return passage
  }

  /// To be called when the room is opened while the log can't be written.
  mutating func doubtLog() { isLogInDoubt = true }

  /// To be called when an operation has been applied to the canvas. From now on it counts as part of the canvas, rather
  /// than of its batch.
  mutating func arrived(_ change: Change, of batch: UInt64?, on canvas: borrowing Canvas) {
    fullness.changed(change.shape, on: canvas)
    guard let batch else { return }
    if change.changed.contains(.kind) { fullness.seen(1, batch: batch) }
    if change.changed.contains(.text) || change.changed.contains(.path) {
      textSpace.arrived(canvas.longBytes(in: change.shape), of: batch)
    }
  }

  private mutating func land(_ batch: UInt64, on canvas: borrowing Canvas) -> Passage? {
    guard let passage = underWay.removeValue(forKey: batch) else { return nil }
    textSpace.remove(batch: batch)
    fullness.remove(passage.counted, batch: batch, on: canvas)
    return passage
  }

  /// The reason for refusing a batch that the log didn't store.
  static let unavailable: Text = "the server can't store changes now"
}
