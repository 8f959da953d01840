import TestSupport
import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import sync_client

/// A writer and a room with an unreliable connection between them. The connection can break between any two messages,
/// and the log sometimes fails.
private struct BadLine {
  var random: SeededGenerator
  var now = Moment(wallMilliseconds: 1_763_650_000_000, monotonicMilliseconds: 1_000)
  var server = RoomBench()
  /// The index of the writer's connection at the server.
  var connection: Int?
  var submitter: Submitter
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []
  var isOpen: Bool { connection != nil }
  var wantsConnection = false
  var wakeAt: UInt64?
  var answers: [WriterAnswer] = []
  var losses = 0
  /// The upper bound on a message's length. A longer message closes the connection.
  var messageBytesMax = Int.max
  var postponements = 0
  var refusals: Int { server.clients.indices.reduce(0) { $0 + server.rejections($1).count } }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    submitter = Submitter(name: "Writer", color: nil, seed: seed)
    carryOut(submitter.start(at: now))
  }

  mutating func carryOut(_ effects: [Submitter.Effect]) {
    for effect in effects {
      switch effect {
      case .connect: wantsConnection = true
      case .send(let bytes): toServer.append(bytes)
      case .disconnect: hangUp()
      case .wake(let time): wakeAt = time
      case .answered(let answer): answers.append(answer)
      case .postponed: postponements += 1
      case .state, .error: break
      }
    }
  }

  mutating func submit(_ operations: [ProposedOperation]) -> UInt64 {
    let (number, effects) = submitter.submit(operations, at: now)
    carryOut(effects)
    return number
  }

  /// Something happens.
  mutating func step() {
    now.monotonicMilliseconds += UInt64.random(in: 0...20, using: &random)
    now.wallMilliseconds += 7
    stepServer()
    // Nothing happens before the next attempt to connect, so the clock jumps to the time of that attempt.
    if !isOpen, !wantsConnection, let due = wakeAt { now.monotonicMilliseconds = max(now.monotonicMilliseconds, due) }
    if let due = wakeAt, due <= now.monotonicMilliseconds {
      wakeAt = nil
      carryOut(submitter.wake(at: now))
    }
    if wantsConnection {
      wantsConnection = false
      hangUp()
      connection = server.connect()
      carryOut(submitter.connected(at: now))
    }
    guard let connection else { return }
    if Int.random(in: 0..<60, using: &random) == 0 {
      losses += 1
      hangUp()
      return carryOut(submitter.disconnected(closeCode: 1_006, at: now))
    }
    if Bool.random(using: &random), !toServer.isEmpty {
      let bytes = toServer.removeFirst()
      guard bytes.count <= messageBytesMax else {
        hangUp()
        return carryOut(submitter.disconnected(closeCode: CloseCode.tooLarge.rawValue, at: now))
      }
      server.say(bytes, connection)
    }
    if Bool.random(using: &random), !toClient.isEmpty {
      let bytes = toClient.removeFirst()
      let time = now
      let effects = bytes.withUnsafeBytes { submitter.received($0, at: time) }
      carryOut(effects)
    }
    if toClient.isEmpty, let code = server.clients[connection].closed, self.connection == connection {
      hangUp()
      carryOut(submitter.disconnected(closeCode: code.rawValue, at: now))
    }
  }

  /// Lets the log answer, and sends the room's messages.
  private mutating func stepServer() {
    server.now = Moment(
      wallMilliseconds: now.wallMilliseconds + 5_000,
      monotonicMilliseconds: now.monotonicMilliseconds
    )
    if !server.waiting.isEmpty {
      if Int.random(in: 0..<10, using: &random) == 0 { server.fail() } else { server.commit() }
    }
    if server.room.isFlushDue(now: server.now) { server.room.flush(now: server.now) }
    server.send()
    guard let connection else { return }
    toClient += server.clients[connection].mail
    server.clients[connection].mail = []
  }

  /// Breaks the connection. Everything in transit is lost.
  private mutating func hangUp() {
    if let connection { server.leave(connection) }
    connection = nil
    toServer = []
    toClient = []
  }
}

@Suite struct SubmitterTests {
  private func move(_ shape: Identifier, _ x: Double) -> ProposedOperation {
    let set = Properties { ($0.kind, $0.position) = (.star, Point(x: x, y: 0)) }
    return ProposedOperation(shape: shape, at: nil, set: set)
  }

  @Test("over a bad line every group is answered once, and the last write of each shape stands", arguments: 0..<60)
  func badLine(seed: Int) {
    var line = BadLine(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed) + 1_000)
    let shapes = (0..<5).map { _ in Identifier.random(using: &random) }
    var last: [Identifier: Double] = [:]
    var numbers: [UInt64] = []
    for step in 0..<20_000 {
      if numbers.count < 200, Int.random(in: 0..<4, using: &random) == 0 {
        let shape = shapes.randomElement(using: &random)!
        last[shape] = Double(step)
        numbers.append(line.submit([move(shape, Double(step))]))
      }
      line.step()
      if numbers.count == 200, line.submitter.unansweredCount == 0 { break }
    }
    #expect(line.submitter.unansweredCount == 0)
    #expect(line.answers.map { $0.number }.sorted() == numbers)
    for answer in line.answers { if case .refused = answer.outcome { Issue.record("refused for good: \(answer)") } }
    for (shape, x) in last { #expect(line.server.room.canvas[shape]?.properties.position.x == x) }
    #expect(line.losses > 0 && line.refusals > 0, "the faults have happened")
  }

  @Test("stamps follow the server's clock, and an explicit one stays") func stamps() throws {
    var line = BadLine(seed: 1)
    let shape = Identifier(packed: 7)!
    // The writer learns its actor from the server's welcome.
    while line.submitter.joins == 0 { line.step() }
    let own = line.submitter.actor
    let early = Stamp(milliseconds: RoomBench.epoch - 3_600_000, counter: 0, actor: own)!
    let set = Properties { $0.kind = .ellipse }
    _ = line.submit([ProposedOperation(shape: shape, at: early, set: set), move(Identifier(packed: 8)!, 1)])
    while line.submitter.unansweredCount > 0 { line.step() }
    #expect(line.server.room.canvas.stamp(of: .kind, in: shape) == early)
    let stamp = try #require(line.server.room.canvas.stamp(of: .kind, in: Identifier(packed: 8)!))
    #expect(stamp.actor == own && stamp.milliseconds > 1_763_650_004_000)
  }

  @Test("a group that no message can carry is refused, and those around it are taken", arguments: 0..<5)
  func tooLong(seed: Int) {
    var line = BadLine(seed: UInt64(seed))
    line.messageBytesMax = 1_000
    let numbers = [1, 100, 1].enumerated().map { place, count in
      line.submit((0..<count).map { move(Identifier(packed: UInt64(1_000 * place + $0 + 1))!, 1) })
    }
    for _ in 0..<20_000 where line.submitter.unansweredCount > 0 { line.step() }
    #expect(line.submitter.unansweredCount == 0)
    let refused = line.answers.filter { if case .refused(_, .badValue, _) = $0.outcome { true } else { false } }
    #expect(refused.map(\.number) == [numbers[1]])
    #expect(line.server.room.canvas.liveCount == 2)
  }

  @Test("a final close ends it, with what is unanswered still there") func final() {
    var line = BadLine(seed: 2)
    _ = line.submit([move(Identifier(packed: 7)!, 1)])
    line.carryOut(line.submitter.connected(at: line.now))
    line.carryOut(line.submitter.disconnected(closeCode: CloseCode.noSuchRoom.rawValue, at: line.now))
    #expect(line.submitter.state == .closed(code: CloseCode.noSuchRoom.rawValue))
    #expect(line.submitter.unansweredCount == 1)
    line.carryOut(line.submitter.wake(at: line.now))
    #expect(line.submitter.state == .closed(code: CloseCode.noSuchRoom.rawValue))
  }

  @Test("any bytes from the other end are survived", arguments: 0..<20) func garbage(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var line = BadLine(seed: UInt64(seed))
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let now = line.now
      line.carryOut(line.submitter.connected(at: now))
      let effects = bytes.withUnsafeBytes { line.submitter.received($0, at: now) }
      line.carryOut(effects)
      line.step()
    }
  }

  /// Passes a made-up message to the writer.
  private func hear(_ message: ServerMessage, _ line: inout BadLine) {
    let now = line.now
    let effects = BinaryEncoding.encode(message).withUnsafeBytes { line.submitter.received($0, at: now) }
    line.carryOut(effects)
  }

  private func welcome(_ actor: Identifier, _ line: BadLine) -> ServerMessage {
    .welcome(
      Welcome(
        room: "demo",
        actor: actor,
        key: "key",
        role: .editor,
        milliseconds: line.now.wallMilliseconds,
        limits: RoomLimits(),
        peers: []
      )
    )
  }

  /// A writer that is connected and has received the server's welcome.
  private func welcomed(seed: UInt64) -> BadLine {
    var line = BadLine(seed: seed)
    line.carryOut(line.submitter.connected(at: line.now))
    hear(welcome(line.submitter.actor, line), &line)
    return line
  }

  @Test("an edit that is refused for now is sent again unchanged, over the same connection") func refusedForNow() throws
  {
    var line = welcomed(seed: 3)
    let number = line.submit([move(Identifier(packed: 7)!, 1)])
    let sent = try #require(line.toServer.last)
    line.toServer = []
    hear(.rejection(Rejection(id: MessageIdentifier(number), code: .unavailable, message: "not now")), &line)
    #expect(line.toServer.isEmpty)
    line.now.monotonicMilliseconds += 60_000
    line.carryOut(line.submitter.wake(at: line.now))
    #expect(line.toServer == [sent])
    #expect(line.answers.isEmpty)
  }

  @Test(
    "pauses grow while a group is refused for now, and are short again once one is taken",
    arguments: [RejectCode.unavailable, .storageLow]
  )
  func pauses(code: RejectCode) throws {
    var line = welcomed(seed: 5)
    var pauses: [UInt64] = []
    for round in 0..<40 {
      let number = line.submit([move(Identifier(packed: 7)!, 1)])
      for _ in 0..<(round == 0 ? 20 : 1) {
        hear(.rejection(Rejection(id: MessageIdentifier(number), code: code, message: "not now")), &line)
        let due = try #require(line.wakeAt)
        if round > 0 { pauses.append(due - line.now.monotonicMilliseconds) }
        line.now.monotonicMilliseconds = due
        line.carryOut(line.submitter.wake(at: line.now))
      }
      hear(.acknowledgement(Acknowledgement(id: MessageIdentifier(number), cursor: Cursor("1-1"))), &line)
    }
    #expect(line.answers.count == 40)
    // Each successful write resets the pause before a retry. Without the reset, the pause would have grown to fifteen
    // seconds.
    #expect(pauses.allSatisfy { $0 <= Backoff.firstMilliseconds })
    // If several writes fail in a row, only the first failure is reported. Each of the forty writes failed first and
    // then succeeded, so there are forty reports.
    #expect(line.postponements == 40)
  }

  @Test("whoever loses to a stamp that is ahead of the server's clock wins with the next write")
  func lostToFastClock() throws {
    var line = welcomed(seed: 6)
    let shape = Identifier(packed: 7)!
    let number = line.submit([move(shape, 1)])
    let by = Stamp(milliseconds: line.now.wallMilliseconds + 50_000, counter: 3, actor: Identifier(packed: 99)!)!
    let loss = Superseded(operation: 0, property: .position, by: by)
    let answer = Acknowledgement(id: MessageIdentifier(number), cursor: Cursor("1-1"), superseded: [loss])
    _ = try sent(&line)
    hear(.acknowledgement(answer), &line)
    _ = line.submit([move(shape, 2)])
    let next = try #require(sent(&line).first?.at)
    #expect(next > by)
  }

  /// The operations of the messages that the writer has sent since the last call, and that are still on the line.
  private func sent(_ line: inout BadLine) throws -> [ProposedOperation] {
    defer { line.toServer = [] }
    var operations: [ProposedOperation] = []
    for bytes in line.toServer {
      if case .operations(let submission) = try BinaryEncoding.decodeClientMessage(bytes) {
        operations += submission.operations
      }
    }
    return operations
  }

  @Test("a writer that comes back as another actor wins over nobody who wrote meanwhile") func otherActor() throws {
    var line = welcomed(seed: 4)
    _ = line.submit([move(Identifier(packed: 7)!, 1), move(Identifier(packed: 8)!, 1)])
    let first = try sent(&line).compactMap(\.at)
    line.carryOut(line.submitter.disconnected(closeCode: CloseCode.actorElsewhere.rawValue, at: line.now))
    line.now.monotonicMilliseconds += 60_000
    line.now.wallMilliseconds += 60_000
    line.carryOut(line.submitter.wake(at: line.now))
    line.carryOut(line.submitter.connected(at: line.now))
    let other = Identifier(packed: 99)!
    hear(welcome(other, line), &line)
    #expect(try sent(&line).map(\.at) == first.map { Stamp(time: $0.time, actor: other) })
    #expect(first.count == 2)
    _ = line.submit([move(Identifier(packed: 7)!, 2)])
    let next = try #require(sent(&line).first?.at)
    #expect(next > first[1] && next.actor == other)
  }

  /// A token that names its actor has the server give the same one again.
  @Test(
    "stamps that a clock that was set back refuses come to be at its time, in their order",
    arguments: [false, true]
  )
  func setBack(asSameActor: Bool) throws {
    var line = welcomed(seed: 4)
    let numbers = (1...3).map { line.submit([move(Identifier(packed: 7)!, Double($0))]) }
    let first = try sent(&line).compactMap(\.at)
    let refusal = Rejection(id: MessageIdentifier(numbers[1]), operation: 0, code: .clockAhead, message: "ahead")
    hear(.rejection(refusal), &line)
    line.now.monotonicMilliseconds += 60_000
    line.now.wallMilliseconds -= 3_600_000
    line.carryOut(line.submitter.wake(at: line.now))
    line.carryOut(line.submitter.connected(at: line.now))
    hear(welcome(asSameActor ? line.submitter.actor : Identifier(packed: 99)!, line), &line)
    let again = try sent(&line).compactMap(\.at)
    #expect(again.count == 3 && again == again.sorted() && Set(again).count == 3)
    for (old, new) in zip(first, again) { #expect(new < old && new.milliseconds <= line.now.wallMilliseconds) }
  }
}
