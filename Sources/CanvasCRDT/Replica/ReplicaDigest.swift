/// Checks whether the replica's state equals the server's. The two states are compared when both are at the same place
/// in the log.
///
/// What always holds:
/// - While the replica is live, a check is planned, or the server's answer is on its way.
/// - The host gets one verdict for each check that it asked for. If the replica started a check itself, the host learns
///   of it only if a difference is repaired.
struct DigestCheck: Sendable {
  /// An upper bound on the requests in one check. In a busy room, the log may move on between a request and its answer.
  /// Then the two states can't be compared, and the request is repeated.
  static let triesMax = 10
  static let pauseMilliseconds: UInt64 = 500

  /// How long after its return a replica asks for the digest. It asks soon, because the server may have misread the
  /// cursor, and then the states differ from the start. It doesn't ask at once, because showing the drawing and sending
  /// unsent edits come first. When thousands of replicas come back together, their requests are spread over
  /// `returnSpread`.
  static let returnMilliseconds: UInt64 = 2_000
  static let returnSpread: UInt64 = 10_000
  /// How long a difference may stay unnoticed. Checks are cheap: an answer has forty bytes, and both sides keep their
  /// digests up to date, so neither has to read its whole drawing.
  static let intervalMilliseconds: UInt64 = 300_000
  static let intervalSpread: UInt64 = 60_000
  /// The shortest time between two repairs. A repair loads the whole state again, which removes a difference that arose
  /// once. If the difference comes back, for example because the server computes the digest differently, more repairs
  /// would only cost traffic.
  static let healPauseMilliseconds: UInt64 = 3_600_000

  /// When to ask for the digest next. `nil` while the replica isn't live, or while the answer is on its way.
  private(set) var dueAt: UInt64?
  private(set) var isAsked = false
  /// Whether the host waits for the verdict.
  private(set) var isWanted = false
  private var triesLeft = 0

  /// When the replica last loaded the whole state because of a difference. `nil` if the digests have agreed since.
  private var healedAt: UInt64?

  /// Operations that the server has accepted but not yet sent back. The confirmed canvas already has them. In the log,
  /// they may come after the place for which the server gives its digest.
  private var unechoed = IdentifierMap<[Operation]>()
  private var unechoedCount = 0

  /// How many operations the list may have before it is searched. The search drops operations that were overwritten,
  /// because the server may never send them back.
  private static let unechoedMax = 4_096

  /// The host asks for a check now.
  mutating func want(at time: UInt64) {
    isWanted = true
    triesLeft = DigestCheck.triesMax
    if !isAsked { dueAt = time }
  }

  /// Plans a check, because the replica has become live or has got the whole state again.
  /// - Parameter isDoubtful: whether the replica may have something that the room's state doesn't have.
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

  /// Plans to ask again. Returns false if the replica has asked often enough.
  mutating func askAgain(at time: UInt64) -> Bool {
    triesLeft -= 1
    guard triesLeft > 0 else { return false }
    dueAt = time &+ DigestCheck.pauseMilliseconds
    return true
  }

  /// Ends the check, and plans the next one.
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

  /// Whether the confirmed canvas has operations that the server hasn't sent back yet.
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
  /// Checks whether the server's and the replica's states agree. A `digest` effect brings the verdict. A difference is
  /// repaired by loading the whole state again; unsent edits are kept.
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
    // If an operation has not come back after this many checks, it never will: its shape was deleted before the state
    // was sent, and the room has forgotten the deletion. So the check goes on. If the digests differ, the whole state
    // is loaded.
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
