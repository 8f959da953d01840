import CanvasCRDT

/// A client that only writes to a room: a bot, a pipe. It stores no canvas and doesn't even decode other people's
/// changes, so that hundreds of clients fit into one process.
///
/// It is a state machine, like `Replica`: the host tells it what happened, and carries out the effects that it returns.
/// No operation is lost. Each group of operations is stamped once, when it is first sent. After a lost connection the
/// group is sent again under the same stamps, which changes nothing if the server already has it.
struct Submitter: Sendable {
  enum Effect: Hashable, Sendable {
    case connect
    case send([UInt8])
    case disconnect
    case wake(atMonotonicMilliseconds: UInt64)
    case state(ClientConnection.State)
    /// The final answer to a group.
    case answered(WriterAnswer)
    /// The server can't store changes. Reported once, and again only after it could in between.
    case postponed(Postponement)
    case error(code: Text, message: Text)
  }

  private struct Group: Sendable {
    let number: UInt64
    var operations: [ProposedOperation]
    /// For each operation, whether it was submitted without a stamp.
    let isUnstamped: [Bool]
    var isStamped = false
    var isSent = false
  }

  let name: Text
  let color: Color?

  private var connection = ClientConnection()
  private var clock: Clock
  /// The greatest time among the stamps that the room has accepted, as far as this writer knows.
  private var confirmedTime: UInt64 = 0
  private var stampTrust = StampTrust.full
  private var random: SplitMix
  private var groups: [Group] = []
  private var lastNumber: UInt64 = 0
  /// Until when nothing more may be sent, because the room limits the rate or has refused a message for now.
  private var blockedUntil: UInt64?
  private var isUnavailableTold = false

  private var effects: [Effect] = []
  private var stateTold = ClientConnection.State.offline
  private var wakeTold: UInt64?

  /// The upper bound on groups that are sent and not answered: enough to keep a disk busy, since one sync stores many
  /// of them.
  static let sentGroupsMax = 64

  init(name: Text, color: Color?, seed: UInt64) {
    var random = SplitMix(seed: seed)
    self.name = name
    self.color = color
    clock = Clock(actor: Identifier.random(using: &random))
    self.random = random
    connection.askForNewActor()
  }

  var actor: Identifier { clock.actor }
  var state: ClientConnection.State { connection.state }
  var limits: RoomLimits { connection.limits }

  /// How many times this client has reached the room.
  var joins: Int { connection.joins }

  /// How many groups the server has not answered yet.
  var unansweredCount: Int { groups.count }

  // MARK: - Writing

  /// Submits operations as one message, which the room takes as a whole or not at all. Operations without a stamp get
  /// one. The answer will have the returned number.
  mutating func submit(_ operations: [ProposedOperation], at now: Moment) -> (number: UInt64, effects: [Effect]) {
    lastNumber += 1
    groups.append(Group(number: lastNumber, operations: operations, isUnstamped: operations.map { $0.at == nil }))
    return (lastNumber, finish(at: now))
  }

  private mutating func sendPending(at now: Moment) {
    blockedUntil = connection.sendingPause(at: now)
    guard blockedUntil == nil else { return }
    for index in groups.indices.prefix(Submitter.sentGroupsMax) where !groups[index].isSent {
      blockedUntil = connection.spend(groups[index].operations.count, at: now)
      guard blockedUntil == nil else { return }
      stamp(at: index, now)
      groups[index].isSent = true
      let submission = Submission(id: MessageIdentifier(groups[index].number), operations: groups[index].operations)
      effects.append(.send(BinaryEncoding.encode(.operations(submission))))
    }
  }

  private mutating func stamp(at index: Int, _ now: Moment) {
    guard !groups[index].isStamped else { return }
    groups[index].isStamped = true
    let milliseconds = connection.serverTime.milliseconds(at: now)
    for place in groups[index].operations.indices where groups[index].isUnstamped[place] {
      groups[index].operations[place].at = clock.tick(milliseconds: milliseconds)
    }
  }

  // MARK: - Coming and going

  mutating func start(at now: Moment) -> [Effect] {
    carryOut(connection.start())
    return finish(at: now)
  }

  mutating func stop(at now: Moment) -> [Effect] {
    carryOut(connection.stop(at: now))
    return finish(at: now)
  }

  mutating func connected(at now: Moment) -> [Effect] {
    guard var hello = connection.opened(as: actor, at: now) else { return finish(at: now) }
    tellState()
    hello.name = name
    hello.color = color
    effects.append(.send(BinaryEncoding.encode(.hello(hello))))
    return finish(at: now)
  }

  mutating func disconnected(closeCode: UInt16, at now: Moment) -> [Effect] {
    if closeCode == CloseCode.tooLarge.rawValue { refuseLongest() }
    _ = connection.closed(closeCode, at: now, using: &random)
    return finish(at: now)
  }

  mutating func wake(at now: Moment) -> [Effect] {
    wakeTold = nil
    carryOut(connection.wake(at: now, using: &random))
    return finish(at: now)
  }

  private mutating func carryOut(_ action: ClientConnection.SocketAction) {
    switch action {
    case .nothing: break
    case .open:
      tellState()
      effects.append(.connect)
    case .close: effects.append(.disconnect)
    }
  }

  // MARK: - Receiving

  mutating func received(_ bytes: UnsafeRawBufferPointer, at now: Moment) -> [Effect] {
    guard BinaryEncoding.isPersonal(bytes) else { return finish(at: now) }
    do throws(MessageError) {
      switch try BinaryEncoding.decodeServerMessage(bytes) {
      case .welcome(let welcome): receive(welcome, at: now)
      case .acknowledgement(let answer):
        connection.resetPauses()
        isUnavailableTold = false
        answer.id.map { end($0, .acknowledged(cursor: answer.cursor, superseded: answer.superseded)) }
      case .rejection(let rejection): receive(rejection, at: now)
      case .error(let code, let message): effects.append(.error(code: code, message: message))
      default: break
      }
    } catch {
      effects.append(.disconnect)
      connection.retry(at: now, using: &random)
    }
    return finish(at: now)
  }

  private mutating func receive(_ welcome: Welcome, at now: Moment) {
    guard state == .greeting else { return }
    if welcome.actor != actor {
      // A stamp names its writer, so a writer that comes back as a new actor makes new stamps for its waiting groups.
      let time =
        switch stampTrust {
        case .full: clock.time
        case .confirmed: confirmedTime
        case .none: UInt64(0)
        }
      clock = Clock(actor: welcome.actor, time: time)
      for index in groups.indices { groups[index].isStamped = false }
    }
    connection.receive(welcome, at: now)
  }

  private mutating func receive(_ rejection: Rejection, at now: Moment) {
    guard let id = rejection.id else { return }
    if rejection.code == .clockAhead, stampTrust != .none, isStampedHere(id) {
      // The server's clock has been set back since the welcome. A stamp that was used must never stand for another
      // operation. So this writer becomes a new actor, whose stamps follow the server's clock as it is now.
      stampTrust = stampTrust == .full ? .confirmed : .none
      connection.askForNewActor()
      effects.append(.disconnect)
      connection.retry(at: now, using: &random)
      return
    }
    guard rejection.code.isPassing else {
      return end(
        id,
        .refused(operation: rejection.operation, code: rejection.code, message: rejection.message)
      )
    }
    guard let number = id.wholeNumber, let index = groups.firstIndex(where: { $0.number == number }) else { return }
    groups[index].isSent = false
    connection.pauseSending(at: now, using: &random)
    if rejection.code == .unavailable, !isUnavailableTold {
      isUnavailableTold = true
      effects.append(.postponed(Postponement(code: rejection.code, message: rejection.message)))
    }
  }

  /// Refuses the longest group that was sent, because the connection was closed over a message that was too long. A
  /// group can't be divided, since the room takes it as a whole or not at all. If it were sent again, it would close
  /// the next connection too.
  private mutating func refuseLongest() {
    func bytes(_ group: Group) -> Int {
      BinaryEncoding.encode(.operations(Submission(id: nil, operations: group.operations))).count
    }
    guard let longest = groups.filter({ $0.isSent }).max(by: { bytes($0) < bytes($1) }) else { return }
    end(MessageIdentifier(longest.number), .refused(operation: nil, code: .badValue, message: Replica.tooLong))
  }

  /// Whether this writer made all stamps of the group.
  private func isStampedHere(_ id: MessageIdentifier) -> Bool {
    groups.first { $0.number == id.wholeNumber }?.isUnstamped.allSatisfy(\.self) ?? false
  }

  private mutating func end(_ id: MessageIdentifier, _ outcome: WriterAnswer.Outcome) {
    guard let number = id.wholeNumber, let index = groups.firstIndex(where: { $0.number == number }) else { return }
    let group = groups.remove(at: index)
    if case .acknowledged(_, let superseded) = outcome {
      stampTrust = .full
      for stamp in group.operations.compactMap(\.at) + superseded.map(\.by) {
        confirmedTime = max(confirmedTime, stamp.time)
      }
    }
    effects.append(.answered(WriterAnswer(number: number, outcome: outcome)))
  }

  // MARK: - The end of every event

  private mutating func tellState() {
    guard state != stateTold else { return }
    // Sent groups without an answer are sent again over the next connection.
    if stateTold == .joined { for index in groups.indices { groups[index].isSent = false } }
    stateTold = state
    effects.append(.state(state))
  }

  private mutating func finish(at now: Moment) -> [Effect] {
    tellState()
    blockedUntil = nil
    if state == .joined { sendPending(at: now) }
    let next = connection.wakeAt ?? blockedUntil
    if next != wakeTold {
      wakeTold = next
      if let next { effects.append(.wake(atMonotonicMilliseconds: next)) }
    }
    defer { effects = [] }
    return effects
  }
}

/// The server's answer to a group of operations.
struct WriterAnswer: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case acknowledged(cursor: Cursor, superseded: [Superseded])
    /// The group was refused, and none of it is applied.
    case refused(operation: Int?, code: RejectCode, message: Text)
  }

  let number: UInt64
  let outcome: Outcome
}
