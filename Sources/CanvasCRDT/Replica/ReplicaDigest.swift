/// Checks whether the replica holds what the server holds, when both are at the same place in the log.
struct DigestCheck: Sendable {
  /// A busy room may move on between question and answer. Then the question is asked again, up to this often.
  static let triesMax = 10
  static let pauseMilliseconds: UInt64 = 500

  /// When to ask next. Nil while no check is wanted or the answer is on its way.
  private(set) var dueAt: UInt64?
  private(set) var isAsked = false
  private var triesLeft = 0

  /// After a difference the replica asked for the whole state again, and no answer has agreed since.
  var hasHealed = false

  /// Operations that the server has taken and not yet sent back. They are confirmed here, but may come later in the log
  /// than the place that the server's answer is about.
  private var unechoed = IdentifierMap<[Operation]>()
  private var unechoedCount = 0

  /// Overwritten operations may never be sent back. Above this many, they are looked for and forgotten.
  private static let unechoedMax = 4_096

  mutating func want(at time: UInt64) {
    triesLeft = DigestCheck.triesMax
    if !isAsked { dueAt = time }
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

  mutating func connectionLost() {
    if isAsked { dueAt = 0 }
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
  /// Asks whether server and replica agree. A `digest` effect brings the answer. A difference is repaired once, by
  /// loading the whole state again.
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
    guard state == .live, cursor == self.cursor, !digestCheck.awaitsEcho(on: optimistic) else {
      if !digestCheck.askAgain(at: now.monotonicMilliseconds) { effects.append(.digest(.inconclusive)) }
      return
    }
    optimistic.shown.countDigest()
    if hash == optimistic.confirmedDigest {
      digestCheck.hasHealed = false
      effects.append(.digest(.agrees))
      return
    }
    effects.append(.digest(.disagrees))
    guard !digestCheck.hasHealed else { return }
    digestCheck.hasHealed = true
    self.cursor = nil
    retry(at: now)
  }
}
