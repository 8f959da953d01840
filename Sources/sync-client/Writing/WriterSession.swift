import CanvasCRDT

/// One who writes to a room without looking at it: a bot, a pipe. No canvas is kept and what others do is not even
/// decoded, so that hundreds fit into one process.
///
/// As a state machine: the host tells what happens, and does what it is asked for in return. Nothing is lost on the way:
/// each group of operations is stamped once, when it is first sent, and is sent again, under the same stamps, after a
/// connection was lost, which changes nothing where it had arrived.
struct WriterSession: Sendable {
  enum State: Hashable, Sendable {
    case offline
    case waiting(untilMonotonicMilliseconds: UInt64)
    case connecting
    case greeting
    case joined
    /// For good: the server will not have it.
    case closed(code: UInt16)
  }

  enum Effect: Hashable, Sendable {
    case connect
    case send([UInt8])
    case disconnect
    case wake(atMonotonicMilliseconds: UInt64)
    case state(State)
    /// The server has answered for a group, for good.
    case answered(WriterAnswer)
    case error(code: Text, message: Text)
  }

  private struct Group: Sendable {
    let number: UInt64
    var operations: [ProposedOperation]
    /// Which of the stamps are ours to give.
    let isUnstamped: [Bool]
    var isStamped = false
    var isSent = false
  }

  let name: Text
  let color: Color?
  private(set) var actor: Identifier
  private(set) var state = State.offline
  private(set) var limits = RoomLimits()
  /// How often the room has been reached.
  private(set) var joins = 0

  private var groups: [Group] = []
  private var lastNumber: UInt64 = 0
  private var clock: Clock
  private var reading: (server: UInt64, monotonic: UInt64)?
  private var bucket = TokenBucket(perSecond: 1, capacity: 1, at: 0)
  private var pausedUntil: UInt64?
  private var connectBackoff = Backoff()
  private var sendBackoff = Backoff()
  private var random: SplitMix
  private var greetedAt: UInt64?
  private var effects: [Effect] = []
  private var wakeTold: UInt64?

  /// As many groups as are on their way at a time: so many that a disk's sync, which answers many at once, is kept busy.
  static let sentGroupsMax = 64
  private static let welcomeMillisecondsMax: UInt64 = 15_000

  init(name: Text, color: Color?, seed: UInt64) {
    var random = SplitMix(seed: seed)
    self.name = name
    self.color = color
    actor = Identifier.random(using: &random)
    clock = Clock(actor: actor)
    self.random = random
  }

  /// Groups that the server has not yet answered for.
  var unansweredCount: Int { groups.count }

  // MARK: - Writing

  /// Takes operations to be sent as one message, taken whole or not at all; each without a stamp gets one. The number
  /// names them in the answer.
  mutating func submit(_ operations: [ProposedOperation], at now: Moment) -> (number: UInt64, effects: [Effect]) {
    lastNumber += 1
    groups.append(Group(number: lastNumber, operations: operations, isUnstamped: operations.map { $0.at == nil }))
    return (lastNumber, finish(at: now))
  }

  private mutating func sendPending(at now: Moment) {
    let time = now.monotonicMilliseconds
    if let pausedUntil, time < pausedUntil { return }
    pausedUntil = nil
    var index = 0
    while index < groups.count, index < WriterSession.sentGroupsMax {
      defer { index += 1 }
      guard !groups[index].isSent else { continue }
      let tokens = min(UInt64(groups[index].operations.count), bucket.capacity)
      guard bucket.take(tokens, at: time) else {
        pausedUntil = time + bucket.millisecondsUntil(tokens, at: time)
        return
      }
      stamp(at: index, now)
      groups[index].isSent = true
      let submission = Submission(id: MessageIdentifier(groups[index].number), operations: groups[index].operations)
      effects.append(.send(BinaryEncoding.encode(.operations(submission))))
    }
  }

  private mutating func stamp(at index: Int, _ now: Moment) {
    guard !groups[index].isStamped else { return }
    groups[index].isStamped = true
    var milliseconds = now.wallMilliseconds
    if let reading { milliseconds = reading.server &+ (now.monotonicMilliseconds &- reading.monotonic) }
    for place in groups[index].operations.indices where groups[index].isUnstamped[place] {
      groups[index].operations[place].at = clock.tick(milliseconds: milliseconds)
    }
  }

  // MARK: - Coming and going

  mutating func start(at now: Moment) -> [Effect] {
    enter(.connecting)
    effects.append(.connect)
    return finish(at: now)
  }

  mutating func stop(at now: Moment) -> [Effect] {
    if state == .connecting || state == .greeting || state == .joined { effects.append(.disconnect) }
    loseConnection()
    enter(.offline)
    return finish(at: now)
  }

  mutating func connected(at now: Moment) -> [Effect] {
    guard state == .connecting else { return finish(at: now) }
    enter(.greeting)
    greetedAt = now.monotonicMilliseconds
    var hello = Hello()
    hello.name = name
    hello.color = color
    hello.actor = actor
    effects.append(.send(BinaryEncoding.encode(.hello(hello))))
    return finish(at: now)
  }

  mutating func disconnected(closeCode: UInt16, at now: Moment) -> [Effect] {
    loseConnection()
    if CloseCode.isFinal(closeCode) {
      enter(.closed(code: closeCode))
    } else if state != .offline {
      retry(at: now)
    }
    return finish(at: now)
  }

  mutating func wake(at now: Moment) -> [Effect] {
    wakeTold = nil
    switch state {
    case .waiting(let until) where now.monotonicMilliseconds >= until:
      enter(.connecting)
      effects.append(.connect)
    case .greeting:
      if let greetedAt, now.monotonicMilliseconds >= greetedAt + WriterSession.welcomeMillisecondsMax {
        effects.append(.disconnect)
        retry(at: now)
      }
    default: break
    }
    return finish(at: now)
  }

  private mutating func retry(at now: Moment) {
    loseConnection()
    let pause = connectBackoff.next(using: &random)
    enter(.waiting(untilMonotonicMilliseconds: now.monotonicMilliseconds + pause))
  }

  private mutating func loseConnection() {
    greetedAt = nil
    pausedUntil = nil
    for index in groups.indices { groups[index].isSent = false }
  }

  // MARK: - Receiving

  mutating func received(_ bytes: UnsafeRawBufferPointer, at now: Moment) -> [Effect] {
    guard BinaryEncoding.isPersonal(bytes) else { return finish(at: now) }
    do throws(MessageError) {
      switch try BinaryEncoding.decodeServerMessage(bytes) {
      case .welcome(let welcome): receive(welcome, at: now)
      case .acknowledgement(let answer):
        sendBackoff.reset()
        answer.id.map { end($0, .acknowledged(cursor: answer.cursor, superseded: answer.superseded)) }
      case .rejection(let rejection): receive(rejection, at: now)
      case .error(let code, let message): effects.append(.error(code: code, message: message))
      default: break
      }
    } catch {
      effects.append(.disconnect)
      retry(at: now)
    }
    return finish(at: now)
  }

  private mutating func receive(_ welcome: Welcome, at now: Moment) {
    guard state == .greeting else { return }
    if welcome.actor != actor {
      // Stamps name their writer: whoever comes back as somebody else gives them anew.
      actor = welcome.actor
      clock = Clock(actor: actor, time: clock.time)
      for index in groups.indices { groups[index].isStamped = false }
    }
    reading = (welcome.milliseconds, now.monotonicMilliseconds)
    limits = welcome.limits
    bucket = TokenBucket(
      perSecond: limits.operationsPerSecond,
      capacity: limits.operationsPerSecond,
      at: now.monotonicMilliseconds
    )
    connectBackoff.reset()
    joins += 1
    enter(.joined)
  }

  private mutating func receive(_ rejection: Rejection, at now: Moment) {
    guard let id = rejection.id else { return }
    guard rejection.code.isPassing else {
      return end(
        id,
        .refused(operation: rejection.operation, code: rejection.code, message: rejection.message)
      )
    }
    guard let number = id.wholeNumber, let index = groups.firstIndex(where: { $0.number == number }) else { return }
    groups[index].isSent = false
    pausedUntil = now.monotonicMilliseconds + sendBackoff.next(using: &random)
  }

  private mutating func end(_ id: MessageIdentifier, _ outcome: WriterAnswer.Outcome) {
    guard let number = id.wholeNumber, let index = groups.firstIndex(where: { $0.number == number }) else { return }
    groups.remove(at: index)
    effects.append(.answered(WriterAnswer(number: number, outcome: outcome)))
  }

  // MARK: - The end of every event

  private mutating func enter(_ state: State) {
    guard state != self.state else { return }
    self.state = state
    effects.append(.state(state))
  }

  private mutating func finish(at now: Moment) -> [Effect] {
    if state == .joined { sendPending(at: now) }
    var next: UInt64?
    switch state {
    case .waiting(let until): next = until
    case .greeting: next = greetedAt.map { $0 + WriterSession.welcomeMillisecondsMax }
    case .joined: next = pausedUntil
    case .offline, .connecting, .closed: break
    }
    if next != wakeTold {
      wakeTold = next
      if let next { effects.append(.wake(atMonotonicMilliseconds: next)) }
    }
    defer { effects = [] }
    return effects
  }
}

/// What the server answered to a group of operations.
struct WriterAnswer: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case acknowledged(cursor: Cursor, superseded: [Superseded])
    /// Nothing of it is applied.
    case refused(operation: Int?, code: RejectCode, message: Text)
  }

  let number: UInt64
  let outcome: Outcome
}
