/// Checks whether the replica's state equals the server's, when both are at the same place in the log.
///
/// What always holds:
/// - While the replica is live, a check is planned, or an answer is on its way.
/// - The host gets one verdict for each check that it asked for. Of other checks it only hears when a difference is
///   repaired.
struct DigestCheck: Sendable {
  /// A busy room may move on between question and answer. Then the question is repeated, at most this often.
  static let triesMax = 10
  static let pauseMilliseconds: UInt64 = 500

  /// A cursor that the server has misread makes a difference from the start, so a replica that came back asks soon. But
  /// first the drawing has to be shown, and unsent edits have to be sent. When thousands come back together, their
  /// questions are spread over this time.
  static let returnMilliseconds: UInt64 = 2_000
  static let returnSpread: UInt64 = 10_000
  /// How long a difference may go unnoticed. An answer has forty bytes, and a digest that is kept up to date costs
  /// neither side a walk over the drawing.
  static let intervalMilliseconds: UInt64 = 300_000
  static let intervalSpread: UInt64 = 60_000
  /// Loading the whole state again repairs a difference that had a single cause. If it didn't help, for example because
  /// the server computes the digest differently, it is repeated at most this often.
  static let healPauseMilliseconds: UInt64 = 3_600_000

  /// When to ask next. `nil` while the replica isn't live or the answer is on its way.
  private(set) var dueAt: UInt64?
  private(set) var isAsked = false
  /// Whether the host waits for the verdict.
  private(set) var isWanted = false
  private var triesLeft = 0

  /// When the replica last loaded the whole state because of a difference. `nil` if an answer has agreed since.
  private var healedAt: UInt64?

  /// Operations that the server has accepted and not yet sent back. They are confirmed here, but their place in the log
  /// may come after the place of the server's answer.
  private var unechoed = IdentifierMap<[Operation]>()
  private var unechoedCount = 0

  /// Operations that were overwritten may never be sent back. If there are more than this, the list is searched for
  /// those, and they are dropped.
  private static let unechoedMax = 4_096

  /// The host asks for a check now.
  mutating func want(at time: UInt64) {
    isWanted = true
    triesLeft = DigestCheck.triesMax
    if !isAsked { dueAt = time }
  }

  /// The replica is live, or has got the whole state again.
  /// - Parameter isDoubtful: whether the replica may have something that this state doesn't have.
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

  /// Plans another question. Returns false if it was asked often enough.
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

  /// Whether to load the state again because of a difference.
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

  /// Whether the confirmed canvas has operations that haven't come back in the log yet.
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
  /// Checks now whether server and replica agree. A `digest` effect brings the verdict. A difference is repaired by
  /// loading the whole state again; unsent edits are kept.
  ///
  /// The replica also checks by itself: soon after it has come back, and every few minutes.
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
    // An operation that has not come back after this many checks never will: its shape was deleted before the state was
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
