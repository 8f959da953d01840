/// Checks whether the replica holds what the server holds, when both are at the same place in the log.
///
/// What always holds:
/// - While the replica is live a question is planned, or the answer to one is on its way.
/// - The host gets one verdict for each check that it asked for. Of other checks it learns only if a difference is
///   healed.
struct DigestCheck: Sendable {
  /// A busy room may move on between question and answer. Then the question is asked again, up to this often.
  static let triesMax = 10
  static let pauseMilliseconds: UInt64 = 500

  /// A cursor that the server has misread shows from the first moment on, so a replica that came back asks soon. First the
  /// drawing is to be shown and unsent edits are to be sent. Thousands that come back together ask over so long a time.
  static let returnMilliseconds: UInt64 = 2_000
  static let returnSpread: UInt64 = 10_000
  /// How long a difference may go unnoticed. An answer is forty bytes, and a digest that is kept costs neither side a
  /// walk over the drawing.
  static let intervalMilliseconds: UInt64 = 300_000
  static let intervalSpread: UInt64 = 60_000
  /// Loading the whole state again helps against what went wrong once. Where it did not help, as with a server that counts
  /// otherwise, it is tried again only so often.
  static let healPauseMilliseconds: UInt64 = 3_600_000

  /// When to ask next. Nil while the replica isn't live or the answer is on its way.
  private(set) var dueAt: UInt64?
  private(set) var isAsked = false
  /// Whether the host waits for the verdict.
  private(set) var isWanted = false
  private var triesLeft = 0

  /// When the replica last asked for the whole state again after a difference. Nil where an answer has agreed since.
  private var healedAt: UInt64?

  /// Operations that the server has taken and not yet sent back. They are confirmed here, but may come later in the log
  /// than the place that the server's answer is about.
  private var unechoed = IdentifierMap<[Operation]>()
  private var unechoedCount = 0

  /// Overwritten operations may never be sent back. Above this many, they are looked for and forgotten.
  private static let unechoedMax = 4_096

  /// The host wants to know now.
  mutating func want(at time: UInt64) {
    isWanted = true
    triesLeft = DigestCheck.triesMax
    if !isAsked { dueAt = time }
  }

  /// The replica is live, or has got the whole state again.
  /// - Parameter isDoubtful: whether it may hold what that state hasn't.
  mutating func begin(isDoubtful: Bool, actor: Identifier, at time: UInt64) {
    guard isDoubtful else { return planNext(actor: actor, at: time) }
    plan(at: time &+ DigestCheck.returnMilliseconds &+ actor.packed % DigestCheck.returnSpread)
  }

  private mutating func planNext(actor: Identifier, at time: UInt64) {
    plan(at: time &+ DigestCheck.intervalMilliseconds &+ actor.packed % DigestCheck.intervalSpread)
  }

  private mutating func plan(at time: UInt64) {
    guard !isWanted else { return }
    triesLeft = DigestCheck.triesMax
    dueAt = time
  }

  mutating func ask(at time: UInt64) -> Bool {
    guard let due = dueAt, time >= due else { return false }
    dueAt = nil
    isAsked = true
    return true
  }

  mutating func answered() -> Bool {
    defer { isAsked = false }
    return isAsked
  }

  /// Plans another question. False where it was asked often enough.
  mutating func askAgain(at time: UInt64) -> Bool {
    triesLeft -= 1
    guard triesLeft > 0 else { return false }
    dueAt = time &+ DigestCheck.pauseMilliseconds
    return true
  }

  /// The check is over, and the next is planned.
  /// - Returns: whether the host waits for the verdict.
  mutating func finish(actor: Identifier, at time: UInt64) -> Bool {
    defer {
      isWanted = false
      planNext(actor: actor, at: time)
    }
    return isWanted
  }

  mutating func agreed() { healedAt = nil }

  /// Whether the state is to be loaded again because of a difference.
  mutating func heals(at time: UInt64) -> Bool {
    if let healedAt, time &- healedAt < DigestCheck.healPauseMilliseconds { return false }
    healedAt = time
    return true
  }

  mutating func connectionLost() {
    dueAt = isWanted ? 0 : nil
    isAsked = false
  }

  mutating func awaitEcho(of operation: Operation) {
    unechoed[operation.shape, default: []].append(operation)
    unechoedCount += 1
  }

  mutating func echoed(_ stamp: Stamp, of shape: Identifier) {
    if !unechoed.isEmpty, unechoed.contains(shape) { forgetUnechoed(of: shape) { $0.at == stamp } }
  }

  mutating func forgetUnechoed() {
    unechoed.removeAll()
    unechoedCount = 0
  }

  private mutating func forgetUnechoed(of shape: Identifier, where isForgotten: (Operation) -> Bool) {
    guard let before = unechoed[shape] else { return }
    let rest = before.filter { !isForgotten($0) }
    unechoedCount -= before.count - rest.count
    unechoed[shape] = rest.isEmpty ? nil : rest
  }

  /// Whether the confirmed canvas holds operations that the log has not brought yet.
  mutating func awaitsEcho(on canvas: OptimisticCanvas) -> Bool {
    forgetUnechoed(overwrittenOn: canvas)
    return !unechoed.isEmpty
  }

  mutating func forgetOverwritten(on canvas: OptimisticCanvas) {
    if unechoedCount > DigestCheck.unechoedMax { forgetUnechoed(overwrittenOn: canvas) }
  }

  private mutating func forgetUnechoed(overwrittenOn canvas: OptimisticCanvas) {
    for shape in unechoed.keys { forgetUnechoed(of: shape) { !canvas.confirmedHolds($0) } }
  }
}

extension Replica {
  /// Asks now whether server and replica agree. A `digest` effect brings the answer. A difference is healed by loading the
  /// whole state again, and what is unsent is kept.
  ///
  /// The replica also asks by itself: soon after it came back, and every few minutes.
  public mutating func askDigest(at now: Moment) -> [ReplicaEffect] {
    digestCheck.want(at: now.monotonicMilliseconds)
    return finish(at: now)
  }

  mutating func sendDigest(at now: Moment) {
    digestCheck.forgetOverwritten(on: optimistic)
    if digestCheck.ask(at: now.monotonicMilliseconds) { send(.digest) }
  }

  mutating func receiveDigest(_ cursor: Cursor, hash: UInt64, at now: Moment) {
    guard digestCheck.answered() else { return }
    let time = now.monotonicMilliseconds
    guard state == .live, cursor == self.cursor else {
      guard !digestCheck.askAgain(at: time) else { return }
      if digestCheck.finish(actor: actor, at: time) { effects.append(.digest(.inconclusive)) }
      return
    }
    // An operation that has not come back after this many checks never will: the shape was deleted before its state was
    // sent, and the room has forgotten the deletion. Only the whole state shows that.
    if digestCheck.awaitsEcho(on: optimistic), digestCheck.askAgain(at: time) { return }
    let isWanted = digestCheck.finish(actor: actor, at: time)
    optimistic.shown.countDigest()
    if hash == optimistic.confirmedDigest {
      digestCheck.agreed()
      if isWanted { effects.append(.digest(.agrees)) }
      return
    }
    let heals = digestCheck.heals(at: time)
    if isWanted || heals { effects.append(.digest(.disagrees)) }
    guard heals else { return }
    self.cursor = nil
    retry(at: now)
  }
}
