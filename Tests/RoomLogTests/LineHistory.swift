import Basics
import Glibc
import TestSupport
import Testing

@testable import RoomLog

/// Two or three nodes of one database. A seed decides what the nodes request, and which faults happen between them and
/// the database. At the end the faults stop, and all reports are compared with what is stored.
final class LineHistory {
  /// Records are kept for such a short time that the log trims them during the history.
  private static let retention = Retention(ageMillisecondsMax: 300)
  private static let rooms = ["a", "b", "c"]
  private static let links = ["canvas writer", "canvas follower", "canvas reader", "canvas helper"]
  /// The prepared statements whose requests are cut.
  private static let statements = [
    "begin", "epoch", "newer", "look", "notify", "tell", "room", "rooms", "keep", "hold", "retained",
    "lock", "evict", "settle", "fence", "clear", "clear_dropped",
  ]

  private let url: String
  private let proxy: CuttingProxy
  private let ledger: LineLedger
  private var random: SeededGenerator
  private var nodes: [LineNode] = []
  /// The database process that is suspended now, if there is one.
  private var stopped: pid_t?
  private var isHeld = false

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    ledger = LineLedger(seed: seed)
    url = try TestDatabase.make()
    proxy = try CuttingProxy(to: url, commitsBetweenCuts: nil)
    for _ in 0..<Int.random(in: 2...3, using: &random) { nodes.append(try node()) }
    try TestDatabase.ask("CREATE TABLE public.lost(bytes bytea)", in: url)
  }

  deinit {
    if let stopped { kill(stopped, SIGCONT) }
    proxy.end()
    TestDatabase.drop(url)
  }

  private func node() throws -> LineNode {
    try LineNode(
      proxy.address(of: url),
      ledger,
      retention: LineHistory.retention,
      queueBytesMax: 12_000,
      seed: random.next()
    )
  }

  /// Runs the history.
  /// - Returns: how often each kind of event happened.
  func run(steps: Int) throws -> [String: Int] {
    for _ in 0..<steps {
      try step()
      if happens(0.3) { release() }
      for node in nodes {
        node.take(waits: false)
        if node.unanswered > LineHistory.unansweredMax { release() }
        while node.unanswered > LineHistory.unansweredMax, node.take(waits: true) {}
      }
    }
    try settle()
    try check()
    for node in nodes { node.close() }
    for cut in proxy.cuts { ledger.count(cut.way == .request ? "request cut" : "answer cut") }
    return ledger.happened
  }

  /// The limit on unanswered requests. It is large enough to fill a node's small queue.
  private static let unansweredMax = 30

  private func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  // MARK: Steps

  private func step() throws {
    guard let node = nodes.randomElement(using: &random), let room = LineHistory.rooms.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: append(node, room)
    case 30..<34: for _ in 0..<12 { append(node, room) }
    case 34..<42: node.snapshot(room)
    case 42..<46: node.trim(room)
    case 46..<51: node.askOther { .retain(id: $0, milliseconds: WallClock.milliseconds()) }
    case 51..<56: deleteAndMakeAgain(room)
    case 56..<59: node.leave(room)
    case 59..<62: node.catchUp(room)
    case 62..<64: node.askOther { .list(id: $0) }
    case 64..<66: node.tell([1, 2, 3])
    case 66..<68: node.askOther { .lock(id: $0, room: room, isLocked: true) }
    case 68..<80: cut()
    case 80..<84: hold(answersAlone: false)
    case 84..<88: hold(answersAlone: true)
    case 88..<90: try end("pg_terminate_backend")
    case 90..<92: try end("pg_cancel_backend")
    case 92..<95: try stop()
    case 95..<98: try lose(room)
    default: try restart()
    }
  }

  private func append(_ node: LineNode, _ room: String) {
    let bytes = happens(0.1) ? 3_000 : Int.random(in: 0...200, using: &random)
    node.append(room, records: Int.random(in: 1...5, using: &random), bytes: bytes)
  }

  /// Deletes the room and creates it again, often while the log is doing background work for it.
  private func deleteAndMakeAgain(_ room: String) {
    if happens(0.5) { for node in nodes { node.snapshot(room) } }
    if happens(0.5) { nodes[0].askOther { .retain(id: $0, milliseconds: WallClock.milliseconds()) } }
    nodes.randomElement(using: &random)?.askOther { .delete(id: $0, room: room) }
    if let node = nodes.randomElement(using: &random) { append(node, room) }
  }

  private func cut() {
    let way: Cut.Way = Bool.random(using: &random) ? .request : .answer
    let place = [0, Int.random(in: 1...80, using: &random), Int.random(in: 80...2_000, using: &random)]
    proxy.cut([
      Cut(
        statement: LineHistory.statements.randomElement(using: &random)!,
        way: way,
        place: place.randomElement(using: &random)!
      )
    ])
  }

  private func hold(answersAlone: Bool) {
    release()
    let link = LineHistory.links.randomElement(using: &random)
    isHeld = true
    if answersAlone { proxy.holdAnswers(link) } else { proxy.hold(link) }
    ledger.count(answersAlone ? "late answers" : "delay")
  }

  /// Releases all held connections.
  private func release() {
    if isHeld {
      proxy.hold(nil)
      proxy.holdAnswers(nil)
      isHeld = false
    }
    if let stopped { kill(stopped, SIGCONT) }
    stopped = nil
  }

  private static let ours = "datname = current_database() AND application_name LIKE 'canvas %'"

  private func end(_ way: String) throws {
    release()
    ledger.count(way)
    try TestDatabase.ask(
      "SELECT \(way)(pid) FROM pg_stat_activity WHERE \(LineHistory.ours) ORDER BY random() LIMIT 1",
      in: url
    )
  }

  /// Suspends a database process.
  private func stop() throws {
    release()
    let rows = try TestDatabase.rows(
      "SELECT pid FROM pg_stat_activity WHERE \(LineHistory.ours) ORDER BY random() LIMIT 1",
      in: url
    )
    guard let process = rows.first.flatMap({ pid_t($0) }), kill(process, SIGSTOP) == 0 else { return }
    stopped = process
    ledger.count("stopped")
  }

  /// Removes the last records of a room, and ends all connections, as in a failover to a standby that lacks these
  /// records. Keeps records that a snapshot covers.
  private func lose(_ room: String) throws {
    release()
    try TestDatabase.ask(
      """
      BEGIN;
      LOCK TABLE canvas.fence IN ACCESS EXCLUSIVE MODE;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(LineHistory.ours);
      LOCK TABLE canvas.rooms, canvas.snapshots IN EXCLUSIVE MODE;
      CREATE TEMPORARY TABLE gone ON COMMIT DROP AS SELECT number, position, bytes FROM canvas.rooms
        JOIN canvas.records ON room = number WHERE name = '\(room)' AND position > greatest(trimmed, last - 4,
          (SELECT max(position) FROM canvas.snapshots WHERE room = number), 1);
      DELETE FROM canvas.records USING gone WHERE room = number AND records.position = gone.position;
      UPDATE canvas.rooms SET last = last - count, operations = operations - count
        FROM (SELECT number, count(*) FROM gone GROUP BY number) AS gone WHERE rooms.number = gone.number;
      INSERT INTO public.lost SELECT bytes FROM gone;
      COMMIT
      """,
      in: url
    )
    ledger.count("takeover")
  }

  private func restart() throws {
    release()
    proxy.cut([])
    nodes.randomElement(using: &random)?.close()
    nodes.removeAll { $0.isClosed }
    nodes.append(try node())
    ledger.count("restart")
  }

  // MARK: The end

  /// Ends all faults. Waits until every request is answered and every node has the stored content of every room.
  private func settle() throws {
    release()
    proxy.cut([])
    for node in nodes { while node.unanswered > 0, node.take(waits: true) {} }
    #expect(nodes.allSatisfy { $0.unanswered == 0 }, "\(ledger): every request is answered")
    for node in nodes {
      for room in LineHistory.rooms {
        for _ in 0..<1_000 {
          // The node might have missed records of an open room, so it catches up.
          if node.records(of: room) == nil { node.open(room) } else { node.catchUp(room) }
          while node.unanswered > 0, node.take(waits: true) {}
          if node.isUpToDate(room) { break }
          usleep(5_000)
        }
      }
    }
  }

  private func check() throws {
    let log = try StoredLog(url, LineHistory.retention)
    defer { log.close() }
    let lost = Set(
      try TestDatabase.rows("SELECT encode(substr(bytes, 1, 8), 'hex') FROM public.lost", in: url)
        .compactMap { UInt64($0, radix: 16) }
    )
    ledger.note(lost.count, "record lost")
    var stored: [String: StoredLog.Room] = [:]
    for name in LineHistory.rooms { stored[name] = try log.room(name) }
    for (index, node) in nodes.enumerated() {
      for name in LineHistory.rooms {
        #expect(node.records(of: name) == stored[name]?.records ?? [], "\(ledger): node \(index), room \(name)")
      }
    }
    for (place, record) in ledger.acknowledged where !lost.contains(record) && !ledger.ended.contains(place.epoch) {
      let room = stored[place.room]
      #expect(room?.epoch == place.epoch, "\(ledger): room \(place.room) is gone that nobody has deleted")
      #expect(room?.records.dropFirst(Int(place.position) - 1).first == record, "\(ledger): acknowledged, at \(place)")
    }
    for append in ledger.appends where !append.contains(where: lost.contains) {
      for room in stored.values {
        let there = room.records.filter(append.contains)
        #expect(there.isEmpty || there == append, "\(ledger): half of an append is stored")
      }
    }
    try log.verify(LineHistory.rooms.filter { stored[$0] != nil })
  }
}

/// What is stored at the end, read from the database without the proxy.
private final class StoredLog {
  struct Room {
    let epoch: UInt64
    /// All records that the room ever had.
    let records: [UInt64]
  }

  private let log: PostgresLog
  private let events = EventCollector()
  private var lastId: UInt64 = 0

  init(_ url: String, _ retention: Retention) throws {
    let events = events
    log = try PostgresLog(url, retention: retention) { events.take($0) }
    try events.untilOpened()
  }

  func close() {
    log.close()
    _ = events.closed()
  }

  private func ask(_ make: (UInt64) -> LogRequest) throws -> LogEvent {
    lastId += 1
    log.submit(make(lastId))
    return try #require(events.answer(to: lastId))
  }

  private func load(_ name: String, through bound: LogBound) throws -> LoadedRoom? {
    let answer = try ask { .load(LoadRequest(id: $0, room: name, through: bound)) }
    if case .noSuchRoom = answer.error { return nil }
    let loaded: LoadedRoom = try #require(answer.loaded, "\(answer)")
    return loaded
  }

  /// Reads a room with all its records, even trimmed ones, and checks that its snapshots match the records.
  func room(_ name: String) throws -> Room? {
    guard let summary = try load(name, through: .end)?.summary else { return nil }
    var records: [UInt64] = []
    if summary.trimmed > 0 {
      let base = try #require(try load(name, through: .position(summary.trimmed))?.snapshot)
      #expect(base.place.position == summary.trimmed)
      records = LineNode.numbers(of: base.bytes)
    }
    while records.count < summary.last {
      let answer = try ask {
        .read(ReadRequest(id: $0, room: name, epoch: summary.epoch, after: UInt64(records.count)))
      }
      for record in try #require(answer.page, "\(answer)").records {
        try #require(record.position == UInt64(records.count) + 1)
        records.append(LineNode.number(of: record.bytes))
      }
    }
    #expect(Set(records).count == records.count, "a record is stored once")
    var bound = summary.last
    while bound > 0, let snapshot = try load(name, through: .position(bound))?.snapshot {
      #expect(LineNode.numbers(of: snapshot.bytes).elementsEqual(records.prefix(Int(snapshot.place.position))))
      guard snapshot.place.position > max(summary.trimmed, 1) else { break }
      bound = snapshot.place.position - 1
      if bound < summary.trimmed { break }
    }
    return Room(epoch: summary.epoch, records: records)
  }

  func verify(_ rooms: [String]) throws {
    for room in rooms {
      let answer = try ask { .verify(id: $0, room: room) }
      guard case .verified = answer else {
        Issue.record("\(answer)")
        continue
      }
    }
    let part = try ask {
      .verifyPart(VerifyRequest(id: $0, start: nil, bytesMax: 1 << 24, microsecondsMax: 10_000_000))
    }
    guard case .verifiedPart(_, let found) = part else {
      Issue.record("\(part)")
      return
    }
    #expect(found.damages.isEmpty && found.next == nil)
  }
}
