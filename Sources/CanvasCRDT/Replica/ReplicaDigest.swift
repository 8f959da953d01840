/// Checks whether the replica's state equals the server's. The two states are compared at the same position in the log.
///
/// Invariants:
/// - While the replica is live, a check is planned, or the server's answer is awaited.
/// - The host gets one verdict for each check that it asked for. It learns of other checks only if a difference is
///   repaired.
struct DigestCheck: Sendable {
  /// How many requests one check may make. In a busy room, the log may move on between a request and its answer. The
  /// two states can't be compared then, so the request is repeated.
  static let triesMax = 10
  static let pauseMilliseconds: UInt64 = 500

  /// How long after a reconnect a replica asks for the digest. Showing the drawing and sending unsent edits come first.
  /// If thousands of replicas reconnect together, their requests are spread over `returnSpread`.
  static let returnMilliseconds: UInt64 = 2_000
  static let returnSpread: UInt64 = 10_000
  /// The time between two checks, and so the longest time for which a difference stays unnoticed. Checks are cheap: an
  /// answer has forty bytes, and both sides update their digests with every change.
  static let intervalMilliseconds: UInt64 = 300_000
  static let intervalSpread: UInt64 = 60_000
  /// The shortest time between two repairs. A repair loads the whole state again. If the difference comes back, for
  /// example because the server computes the digest differently, more repairs would only cost traffic.
  static let healPauseMilliseconds: UInt64 = 3_600_000

  /// When to ask for the digest next. `nil` while the replica isn't live, or while the answer is awaited.
  private(set) var dueAt: UInt64?
  private(set) var isAsked = false
  private(set) var isWanted = false
  private var triesLeft = 0

  /// When the replica last loaded the whole state because of a difference. `nil` if the digests have agreed since then.
  private var healedAt: UInt64?

  /// Operations that the server has accepted but not yet sent back. The confirmed canvas already has them. The server's
  /// digest may lack them, because it may be for an earlier position in the log.
  private var unechoed = IdentifierMap<[Operation]>()
  private var unechoedCount = 0

  /// If `unechoed` has more operations than this, its overwritten operations are dropped. The server might never send
  /// them back.
  private static let unechoedMax = 4_096

  /// Called when the host asks for a check.
  mutating func want(at time: UInt64) {
    isWanted = true
    triesLeft = DigestCheck.triesMax
    if !isAsked { dueAt = time }
  }

  /// Plans a check when the replica has become live or has received the whole state again.
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

  /// Plans another request in this check. Returns false if the check has already made too many requests.
  mutating func askAgain(at time: UInt64) -> Bool {
    triesLeft -= 1
    guard triesLeft > 0 else { return false }
    dueAt = time &+ DigestCheck.pauseMilliseconds
    return true
  }

  /// Ends the check, and schedules the next one.
  /// - Returns: whether the caller wants to be told the result of the check.
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
  /// Checks whether the server's and the replica's states agree. The verdict comes as a `digest` effect. A difference
  /// is repaired by loading the whole state again; unsent edits are kept.
  ///
  /// The replica also checks by itself: soon after a reconnect, and every few minutes.
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
    // If an operation has not come back, the digest is requested again, up to a limit. After that, the digests are
    // compared nevertheless, because the operation might never come back.
    if digestCheck.awaitsEcho(on: optimistic), digestCheck.askAgain(at: time) { return }
    let isWanted = digestCheck.finish(actor: actor, at: time)
    optimistic.shown.countDigest()
    if hash == optimistic.confirmedDigest {
      digestCheck.agreed()
      if isWanted { effects.append(.digest(.agrees)) }
      if optimistic.shown.erasureCount > erasuresMax { loadAnew(at: now) }
      return
    }
    let heals = digestCheck.heals(at: time)
    if isWanted || heals { effects.append(.digest(.disagrees)) }
    if heals { loadAnew(at: now) }
  }

  /// Loads the room's state again, as a client without a cursor does. Unanswered edits are kept.
  private mutating func loadAnew(at now: Moment) {
    cursor = nil
    retry(at: now)
  }
}
