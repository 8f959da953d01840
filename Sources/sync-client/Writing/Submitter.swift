import CanvasCRDT

/// A client that only writes to a room, such as a bot. It doesn't store the drawing or decode other people's changes,
/// so hundreds of them fit in one process.
///
/// It is a state machine, like `Replica`: the caller passes in events, and carries out the returned effects. No
/// operation is lost. A batch (`Group`) gets its stamps when it is first sent. After a lost connection it is sent again
/// with the same stamps, which is harmless if the server already has it. After a change of the actor, the stamps name
/// the new actor and keep their times.
struct Submitter: Sendable {
  enum Effect: Hashable, Sendable {
    case connect
    case send([UInt8])
    case disconnect
    case wake(atMonotonicMilliseconds: UInt64)
    case state(ClientConnection.State)
    /// The final answer to a batch.
    case answered(WriterAnswer)
    /// The server can't store changes now. Reported again only after the server has stored a change in between.
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
  /// The greatest time among the stamps that the room has accepted.
  private var confirmedTime: UInt64 = 0
  private var stampTrust = StampTrust.full
  private var random: SplitMix
  private var groups: [Group] = []
  private var lastNumber: UInt64 = 0
  /// Until when nothing may be sent, because of the room's rate limit or a temporary refusal.
  private var blockedUntil: UInt64?
  private var isPostponementTold = false

  private var effects: [Effect] = []
  private var stateTold = ClientConnection.State.offline
  private var wakeTold: UInt64?

  /// At most this many batches are sent without an answer. The server stores many batches with one sync, so this number
  /// keeps its disk busy.
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

  /// How many times the client has joined the room.
  var joins: Int { connection.joins }

  /// The number of unanswered batches.
  var unansweredCount: Int { groups.count }

  // MARK: - Writing

  /// Submits a batch of operations, which succeed or fail together. Operations without a stamp get one. The answer will
  /// carry the returned number.
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
        isPostponementTold = false
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
    connection.receive(welcome, at: now)
    // A token can name its actor. Then the server gives the same one again, even if another was asked for.
    if welcome.actor != actor || stampTrust != .full { comeBack(as: welcome.actor, at: now) }
  }

  /// Gives new stamps to the groups that were already sent, because a stamp names its writer, or because the server
  /// refuses the old ones. The new stamps are no later than the old ones, because somebody might have changed the same
  /// shapes since then.
  private mutating func comeBack(as actor: Identifier, at now: Moment) {
    let wall = connection.serverTime.milliseconds(at: now)
    // The server refuses stamps that are later than `latest`. They are replaced by new stamps at the server's time, in
    // the same order.
    let (time, latest) =
      switch stampTrust {
      case .full: (clock.time, Stamp.millisecondsMax)
      case .confirmed: (confirmedTime, max(wall, confirmedTime >> 16))
      case .none: (UInt64(0), wall)
      }
    clock = Clock(actor: actor, time: time)
    for index in groups.indices where groups[index].isStamped {
      for place in groups[index].operations.indices where groups[index].isUnstamped[place] {
        guard let old = groups[index].operations[place].at else { continue }
        var new = Stamp(time: old.time, actor: actor)
        if old.milliseconds <= latest { clock.observe(new) } else { new = clock.tick(milliseconds: wall) }
        groups[index].operations[place].at = new
      }
    }
  }

  private mutating func receive(_ rejection: Rejection, at now: Moment) {
    guard let id = rejection.id else { return }
    if rejection.code == .clockAhead, stampTrust != .none, isStampedHere(id) {
      // The server's clock was set back. Stamps must never be reused, so the writer becomes a new actor whose stamps
      // start at the server's present time.
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
    if rejection.code != .rateLimited, !isPostponementTold {
      isPostponementTold = true
      effects.append(.postponed(Postponement(code: rejection.code, message: rejection.message)))
    }
  }

  /// Refuses the longest of the sent batches, because the server closed the connection over a message that was too
  /// long. If that batch were sent again, the server would close the next connection too.
  private mutating func refuseLongest() {
    func bytes(_ group: Group) -> Int {
      BinaryEncoding.encode(.operations(Submission(id: nil, operations: group.operations))).count
    }
    guard let longest = groups.filter({ $0.isSent }).max(by: { bytes($0) < bytes($1) }) else { return }
    end(MessageIdentifier(longest.number), .refused(operation: nil, code: .badValue, message: Replica.tooLong))
  }

  /// Whether this writer made all stamps of the batch.
  private func isStampedHere(_ id: MessageIdentifier) -> Bool {
    groups.first { $0.number == id.wholeNumber }?.isUnstamped.allSatisfy(\.self) ?? false
  }

  private mutating func end(_ id: MessageIdentifier, _ outcome: WriterAnswer.Outcome) {
    guard let number = id.wholeNumber, let index = groups.firstIndex(where: { $0.number == number }) else { return }
    let group = groups.remove(at: index)
    if case .acknowledged(_, let superseded) = outcome {
      stampTrust = .full
      // Somebody with a fast clock has written with `by`. Later stamps are greater, so that the next writes win.
      for by in superseded.map(\.by) { clock.observe(by) }
      for stamp in group.operations.compactMap(\.at) + superseded.map(\.by) {
        confirmedTime = max(confirmedTime, stamp.time)
      }
    }
    effects.append(.answered(WriterAnswer(number: number, outcome: outcome)))
  }

  // MARK: - The end of every event

  private mutating func tellState() {
    guard state != stateTold else { return }
    // Sent batches without an answer are sent again over the next connection.
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

/// The server's answer to a batch.
struct WriterAnswer: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case acknowledged(cursor: Cursor, superseded: [Superseded])
    /// The whole batch was refused. `operation` is the index of the operation at fault, or `nil`.
    case refused(operation: Int?, code: RejectCode, message: Text)
  }

  let number: UInt64
  let outcome: Outcome
}
