import CSQLite
import Glibc
import Synchronization
import Testing

@testable import RoomLog

@Suite("A log with a damaged page")
struct DamagedPageTests {
  private let bench: LogBench

  init() throws {
    bench = try LogBench(.sqlite)
    for room in ["demo", "other"] { try bench.append(room, (0..<20).map { bytes("record \($0) of \(room)") }) }
  }

  private var path: String { bench.directory + "/canvas.db" }

  /// Creates rooms with one record each.
  private func append(to rooms: [String]) throws {
    let requests = rooms.map { LogRequest.append(LogBench.append(bench.nextId(), $0, [bytes("record of \($0)")])) }
    bench.log.submit(requests)
    for request in requests { try #require(bench.events.answer(to: request.id)?.appended != nil) }
  }

  private func expectNothingUnavailable() {
    #expect(!bench.events.all.contains { $0.isAvailability })
  }

  @Test("a page of rubbish affects only the rooms on it")
  func rubbishPage() throws {
    try bench.append("demo", (0..<400).map { _ in [UInt8](repeating: 0xA7, count: 500) })
    try bench.append("other", (0..<400).map { _ in [UInt8](repeating: 0x5B, count: 500) })
    bench.close()
    // A leaf page of the table that contains almost only this room's records.
    try overwrite(path) { $1[0] == 13 && $1.count { $0 == 0xA7 } > 3_000 }
    #expect {
      try LogBackup.make(of: path, to: bench.directory + "/copy.db")
    } throws: { error in
      if case .damaged(path, _)? = error as? StorageFault { true } else { false }
    }
    try bench.reopen()
    let answer = try bench.ask { .read(ReadRequest(id: $0, room: "demo", after: 0, bytesMax: 10_000_000)) }
    guard case .damaged("demo", let position) = answer.error else {
      Issue.record("\(answer)")
      return
    }
    #expect(position > 20)
    #expect(try bench.records("other").count == 420)
    #expect(try bench.append("other", [bytes("goes on")]).appended != nil)
    #expect(try bench.append("demo", [bytes("more")]).error == .damaged(room: "demo", position: position))
  }

  /// Overwrites the beginning of the last page that satisfies the condition.
  private func overwrite(_ path: String, pageWhere isWanted: (_ number: Int, _ page: [UInt8]) -> Bool) throws {
    let file = open(path, O_RDWR)
    defer { close(file) }
    var page = [UInt8](repeating: 0, count: 4_096)
    var found: Int?
    for index in 1..<(SystemCalls.file(at: path)?.bytes ?? 0) / 4_096 {
      try #require(pread(file, &page, page.count, index * 4_096) == page.count)
      if isWanted(index + 1, page) { found = index }
    }
    let rubbish = [UInt8](repeating: 0xEE, count: 64)
    try #require(pwrite(file, rubbish, rubbish.count, try #require(found) * 4_096) == rubbish.count)
  }

  private func root(of table: String, in path: String) throws -> Int {
    let database = try Database(path: path, mayCreate: false, mayWrite: false, fileSystem: nil)
    return Int(try database.number("SELECT rootpage FROM sqlite_schema WHERE name='\(table)'"))
  }

  @Test("a snapshot is stored though the page of its last record is damaged", arguments: [true, false])
  func snapshotOverRubbish(hasAllRecords: Bool) throws {
    var options = SQLiteOptions()
    options.checkpointPages = 64
    let bench = try LogBench(.sqlite, options: options)
    try bench.append("demo", (0..<400).map { _ in [UInt8](repeating: 0xA7, count: 500) })
    // The writer's cache must not have the damaged page any more.
    for _ in 0..<40 { try bench.append("other", (0..<800).map { _ in [UInt8](repeating: 0x5B, count: 500) }) }
    try overwrite(bench.directory + "/canvas.db") { $1[0] == 13 && $1.count { $0 == 0xA7 } > 3_000 }
    guard case .damaged("demo", let damaged) = try bench.ask({ .verify(id: $0, room: "demo") }).error else {
      Issue.record("the damage isn't met")
      return
    }
    let position = hasAllRecords ? 400 : damaged
    let stored = try bench.snapshot("demo", at: position, bytes("state"))
    #expect(stored == .snapshotted(id: bench.lastId, room: "demo", position: position))
    #expect(try bench.append("other", [bytes("goes on")]).appended != nil)
    #expect(!bench.events.all.contains { $0.isAvailability })
    let snapshot = try #require(bench.load("demo").loaded?.snapshot)
    #expect(snapshot.bytes == bytes("state") && snapshot.place.milliseconds == 1_000)
  }

  @Test("a snapshot that can't be stored for a damaged page is refused alone")
  func unstorableSnapshot() throws {
    try bench.snapshot("demo", at: 10, bytes("as of 10"))
    bench.close()
    let root = try root(of: "snapshot_parts", in: path)
    try overwrite(path) { number, _ in number == root }
    try bench.reopen()
    #expect(try bench.snapshot("demo", at: 15, bytes("as of 15")).isUnavailable)
    #expect(try bench.append("other", [bytes("goes on")]).appended != nil)
    #expect(!bench.events.all.contains { $0.isAvailability })
  }

  @Test("if the page to which all rooms are written is damaged, the log stays unavailable and no room is blamed")
  func rubbishEnd() throws {
    bench.close()
    try overwrite(path) { $1[0] == 13 && String(decoding: $1, as: Unicode.ASCII.self).contains("record 19 of other") }
    var options = SQLiteOptions()
    options.probeMilliseconds = 0
    let told = Mutex<[LogEvent]>([])
    let halves = try LogHalves(directory: bench.directory, options: options) { events in
      told.withLock { $0 += events }
    }
    halves.writing.add([
      .append(LogBench.append(1, "demo", [bytes("a")])), .append(LogBench.append(2, "other", [bytes("b")])),
    ])
    // The second turn tries to write again.
    for _ in 0..<2 { _ = halves.writer.turn() }
    let fault = StorageFault.damaged(path: path, detail: "where records are added")
    #expect(
      told.withLock(\.self).dropFirst() == [
        .availability(room: nil, fault), .failed(id: 1, room: "demo", .unavailable(fault)),
        .failed(id: 2, room: "other", .unavailable(fault)),
      ]
    )
    #expect(halves.writer.connection == nil && halves.shared.statistics.damagedRooms == 0)
    halves.letGo()
  }

  @Test("where a page of the table of rooms is damaged, only the rooms on it can't be read")
  func rowsOfRooms() throws {
    let rooms = try roomsBesideDamage()
    let isTold = { (event: LogEvent) in
      if case .concern(let words) = event { words.contains("the rows of") } else { false }
    }
    #expect(bench.events.first(where: isTold) != nil)
    for _ in 0..<2 {
      let summaries = try bench.summaries()
      #expect(summaries.map(\.room) == (["demo", "other"] + rooms).sorted())
      let refused = summaries.filter { $0.damage != nil }
      #expect((1..<300).contains(refused.count) && bench.log.statistics().damagedRooms == refused.count)
      for room in summaries {
        let damage = room.damage
        #expect(damage == nil || damage == .damaged(room: room.room, position: 0))
        #expect(try bench.load(room.room).error == damage)
        if damage != nil { #expect(try bench.append(room.room, [bytes("more")]).error == damage) }
      }
      #expect(try bench.append("demo", [bytes("more")]).appended != nil)
      try bench.reopen()
    }
    let inspection = try LogInspection(of: path)
    #expect(!inspection.faults.isEmpty && inspection.findings.contains { $0.room == "room250" && !$0.opens })
    #expect(try bench.append("new", [bytes("goes on")]).appended != nil)
    expectNothingUnavailable()
  }

  @Test("a room whose row has no space beside a damaged page is refused, but not for good, and can be read")
  func fullPageBesideRubbish() throws {
    _ = try roomsBesideDamage()
    let sound = try bench.summaries().filter { $0.damage == nil }.map(\.room)
    // Greater numbers make the rows longer, and full pages are shared out with the pages beside them.
    let records = (0..<200).map { bytes("\($0)") }
    let refused = try sound.filter { room in
      let answer = try bench.append(room, records)
      if answer.appended == nil { #expect(answer.isUnavailable, "\(answer)") }
      return answer.appended == nil
    }
    #expect(!refused.isEmpty)
    for room in refused { #expect(try bench.load(room).loaded != nil) }
    expectNothingUnavailable()
  }

  /// Makes many rooms, and damages the page of the table of rooms that has `room250`.
  private func roomsBesideDamage() throws -> [String] {
    let rooms = (100..<500).map { "room\($0)" }
    try append(to: rooms)
    bench.close()
    try overwrite(path) { _, page in
      let words = String(decoding: page, as: Unicode.ASCII.self)
      return page[0] == 13 && words.contains("room250") && !words.contains("record of")
    }
    try bench.reopen()
    return rooms
  }

  /// Overwrites a leaf of a table or an index, while the log is closed.
  /// - Parameter index: the leaf's index among the children of a page. If it is `nil`, the last leaf of all.
  private func damageLeaf(_ index: Int? = nil, of name: String, in bench: LogBench) throws {
    let path = bench.directory + "/canvas.db"
    bench.close()
    var number = try root(of: name, in: path)
    let file = open(path, O_RDWR)
    defer { close(file) }
    var page = [UInt8](repeating: 0, count: 4_096)
    while true {
      try #require(pread(file, &page, page.count, (number - 1) * 4_096) == page.count)
      // Interior pages name their last child behind the eight bytes that all pages begin with. Then follow the places
      // of their cells, each of which begins with the number of another child.
      guard page[0] == 2 || page[0] == 5 else { break }
      let place = index.map { Int(page[12 + 2 * $0]) << 8 | Int(page[13 + 2 * $0]) } ?? 8
      if let index { try #require(Int(page[3]) << 8 | Int(page[4]) > index, "so many cells has the page") }
      number = page[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let rubbish = [UInt8](repeating: 0xEE, count: 64)
    try #require(pwrite(file, rubbish, rubbish.count, (number - 1) * 4_096) == rubbish.count)
  }

  @Test("a room whose snapshots are on a damaged page opens from its records, and is refused if they don't suffice")
  func hiddenSnapshots() throws {
    let rooms = (100..<300).map { "room\($0)" }
    try append(to: rooms)
    for room in rooms { try bench.snapshot(room, at: 1, bytes("state of \(room)")) }
    let trim = try bench.trim("room299", through: 1)
    try #require(trim == .trimmed(id: bench.lastId, room: "room299", through: 1))
    try damageLeaf(of: "snapshots", in: bench)
    try bench.reopen()
    #expect(bench.events.first { if case .concern(let words) = $0 { words.contains(path) } else { false } } != nil)
    #expect(try bench.load("room100").loaded?.snapshot?.bytes == bytes("state of room100"))
    let loaded = try #require(try bench.load("room298").loaded)
    #expect(loaded.snapshot == nil && loaded.summary.trimmed == 0)
    #expect(try bench.records("room298").map(\.bytes) == [bytes("record of room298")])
    #expect(try bench.load("room299").error == .damagedSnapshot(room: "room299", position: 1))
    #expect(try bench.summaries().count == 202)
    for room in rooms { #expect(try bench.append(room, [bytes("more")]).appended != nil) }

    let hidden = LogError.damagedSnapshot(room: "room298", position: 0)
    #expect(try bench.verify("room298").error == hidden)
    let part = try bench.verifyPart()
    #expect(part.rooms == 202 && part.next == nil && part.damages.last?.damagedRoom == "room299")
    #expect(bench.log.statistics().damagedRooms == part.damages.count)
    #expect(try bench.snapshot("room298", at: 2, bytes("state")).isUnavailable)
    #expect(try bench.snapshot("room100", at: 2, bytes("state")).error == nil)
    expectNothingUnavailable()
  }

  @Test("of a room with snapshots on a damaged page, those before the page count, and those behind it")
  func snapshotsOnBothSides() throws {
    // With this age, no snapshot is near enough to another to be needless.
    let bench = try LogBench(.sqlite, options: SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 0) })
    try bench.append("demo", (1...400).map { bytes("\($0)") })
    let requests = (1...400 as ClosedRange<UInt64>).map { position in
      SnapshotRequest(bench.nextId(), at: position, bytes("as of \(position)"))
    }
    bench.log.submit(requests.map { LogRequest.snapshot($0) })
    for request in requests { try #require(bench.events.answer(to: request.id)?.error == nil) }
    try damageLeaf(1, of: "snapshots", in: bench)
    try bench.reopen()
    #expect(try bench.summaries().map { $0.snapshot?.position } == [400])
    for position in [1, 400] as [UInt64] {
      let snapshot = try bench.load("demo", through: .position(position)).loaded?.snapshot
      #expect(snapshot?.bytes == bytes("as of \(position)"))
    }
  }

  @Test("where a page of the index of records is damaged, only rooms whose records belong on it are refused")
  func indexOfRecords() throws {
    try append(to: (100..<1_000).map { "room\($0)" })
    try damageLeaf(of: "sqlite_autoindex_records_1", in: bench)
    try bench.reopen()
    let rooms = ["new", "newer", "demo", "room999", "room100"]
    for _ in 0..<2 {
      let requests = rooms.map { LogRequest.append(LogBench.append(bench.nextId(), $0, [bytes("more")])) }
      bench.log.submit(requests)
      let answers = requests.map { bench.events.answer(to: $0.id) }
      #expect(answers[0]?.isUnavailable == true && answers[1]?.isUnavailable == true)
      #expect(answers[2]?.appended != nil && answers[4]?.appended != nil)
      #expect(answers[3]?.error == .damaged(room: "room999", position: 2))
    }
    #expect(bench.log.statistics().damagedRooms == 1)
    expectNothingUnavailable()
  }

  @Test("what comes in one commit with an append that meets damage is done, each thing as if it had come alone")
  func besideDamage() throws {
    try append(to: (1_000..<3_000).map { "room\($0)" })
    try damageLeaf(0, of: "sqlite_autoindex_records_1", in: bench)
    try bench.reopen()
    let ids = (0..<6).map { _ in bench.nextId() }
    let snapshot = SnapshotRequest(ids[3], of: "room2999", at: 1, bytes("state"))
    bench.log.submit([
      .append(LogBench.append(ids[0], "demo", [bytes("more")])),
      .append(LogBench.append(ids[1], "new", [bytes("one")])),
      .append(LogBench.append(ids[2], "newer", [bytes("two")])),
      .snapshot(snapshot), .delete(id: ids[4], room: "room2998"), .retain(id: ids[5], milliseconds: 1_000),
    ])
    let answers = ids.map { bench.events.answer(to: $0) }
    #expect(answers[0]?.error == .damaged(room: "demo", position: 21))
    #expect(answers[1]?.appended != nil && answers[2]?.appended != nil)
    #expect(answers[3] == .snapshotted(id: ids[3], room: "room2999", position: 1))
    #expect(answers[4] == .deleted(id: ids[4], room: "room2998", epoch: LogBench.epoch))
    #expect(answers[5] == .retained(id: ids[5]))
    try bench.reopen()
    #expect(try bench.records("new").map(\.bytes) == [bytes("one")])
    #expect(try bench.records("newer").map(\.bytes) == [bytes("two")])
    #expect(try bench.load("room2999").loaded?.snapshot?.bytes == bytes("state"))
    #expect(try bench.load("room2998").error == .noSuchRoom(room: "room2998"))
  }

  @Test("what was written of a snapshot that can't be completed is deleted")
  func unfinishedSnapshot() throws {
    bench.close()
    let root = try root(of: "snapshots", in: path)
    let halves = try LogHalves(directory: bench.directory, options: SQLiteOptions()) { _ in }
    let connection = try #require(halves.writer.connection)
    func parts() throws -> Int64 { try connection.database.number("SELECT count(*) FROM snapshot_parts") }
    let state = [UInt8](repeating: 7, count: 3 * WriterBounds.snapshotPartBytes)
    halves.writing.add([.snapshot(SnapshotRequest(1, at: 20, state))])
    _ = halves.writer.turn()
    #expect(try parts() == 1)
    try #require(try connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE))
    try overwrite(path) { number, _ in number == root }
    connection.database.releaseMemory()
    while !halves.writer.isIdle { _ = halves.writer.turn() }
    #expect(halves.writer.connection != nil)
    #expect(try parts() == 0)
    halves.letGo()
  }

  @Test(
    "verification says which rooms' rows it can't read, and goes on behind them",
    arguments: ["room250", "room499"]
  )
  func unreadableRooms(room: String) throws {
    try append(to: (100..<500).map { "room\($0)" })
    try bench.reopen()
    try overwrite(path) { _, page in
      let words = String(decoding: page, as: Unicode.ASCII.self)
      return page[0] == 13 && words.contains(room) && !words.contains("record of")
    }
    let part = try bench.verifyPart()
    // Each room but the first two has one record.
    #expect(part.rooms > 100 && part.rooms < 402 && part.next == nil)
    #expect(part.records == 40 + part.rooms - 2)
    #expect(bench.events.all.count { if case .concern = $0 { true } else { false } } == 1)
  }
}
