import CSQLite
import Glibc
import Testing

@testable import RoomLog

@Suite("A log in which something is damaged")
struct DamageTests {
  private let bench: LogBench
  private let all: [LogRecord]

  init() throws {
    bench = try LogBench(.sqlite)
    all = try #require(try bench.append("demo", (0..<20).map { bytes("record \($0) of demo") }).appended).records
    try bench.append("other", (0..<20).map { bytes("record \($0) of other") })
  }

  private var path: String { bench.directory + "/canvas.db" }

  /// Changes the database without the log's knowledge.
  private func change(_ statement: String) throws {
    bench.close()
    let database = try Database(path: path, mayCreate: false, fileSystem: nil)
    try database.run(statement)
  }

  /// Changes the database without the log's knowledge, and opens the log again.
  private func spoil(_ statement: String) throws {
    try change(statement)
    try bench.reopen()
  }

  private func expectOthersGoOn() throws {
    #expect(try bench.records("other").count == 20)
    #expect(try bench.append("other", [bytes("goes on")]).appended != nil)
  }

  private func expectRefused(at position: UInt64) throws {
    let damage = LogError.damaged(room: "demo", position: position)
    #expect(try bench.read("demo").error == damage)
    #expect(try bench.load("demo").error == damage)
    #expect(try bench.append("demo", [bytes("more")]).error == damage)
    #expect(try bench.summaries().map(\.damage) == [damage, nil])
    #expect(bench.log.statistics().damagedRooms == 1)
  }

  @Test(
    "it names the room and the position of a record that isn't what was stored",
    arguments: [
      "UPDATE records SET bytes=CAST('record x of demo' AS BLOB) WHERE room=1 AND position=8",
      "UPDATE records SET milliseconds=milliseconds+1 WHERE room=1 AND position=8",
      "UPDATE records SET checksum=checksum+1 WHERE room=1 AND position=8",
      "DELETE FROM records WHERE room=1 AND position=8", "DELETE FROM records WHERE room=1 AND position>=8",
      "UPDATE records SET bytes=(SELECT bytes FROM records WHERE room=2 AND position=8) WHERE room=1 AND position=8",
    ]
  )
  func record(statement: String) throws {
    try spoil(statement)
    try expectRefused(at: 8)
    let prefix = try bench.read("demo", after: 0, through: .position(7))
    #expect(prefix.page?.records == Array(all[..<7]))
    try expectOthersGoOn()
    let refused = try bench.repair("demo", .snapshot)
    #expect(refused.error == .damageNotCovered(room: "demo", position: 8))

    let cut = try bench.repair("demo", .cutting(newEpoch: 5))
    #expect(cut == .repaired(id: bench.lastId, room: "demo", epoch: 5, first: 0, last: 7))
    #expect(try bench.records("demo") == Array(all[..<7]))
    #expect(try bench.append("demo", [bytes("more")], epoch: 5).appended?.records[0].position == 8)
    try bench.reopen()
    #expect(try bench.records("demo").count == 8)
    #expect(try bench.load("demo").loaded?.summary.operations == 8)
    #expect(bench.log.statistics().damagedRooms == 0)
  }

  @Test("records of a room that has lost its entry are found, those of a deleted room are not")
  func recordsWithoutRoom() throws {
    let sound = try LogInspection(of: path)
    #expect(sound.isSound && sound.rooms == 2 && sound.records == 40)
    try bench.delete("other")
    try change("DELETE FROM rooms WHERE name='demo'")
    #expect(try LogInspection(of: path).faults == ["20 records up to position 20 belong to no room"])
    // As if the log hadn't had the time to delete them.
    try Database(path: path, mayCreate: false, fileSystem: nil).run("INSERT INTO dropped VALUES(1)")
    #expect(try LogInspection(of: path).isSound)
  }

  @Test("an inspection asks whoever knows what records mean about each sound room, and tells of the others")
  func inspection() throws {
    try bench.append("third", [bytes("a")])
    try change("UPDATE records SET bytes=x'00' WHERE room=2 AND position=8")
    let inspection = try LogInspection(of: path) { room, answer in
      let last = answer(.load(LoadRequest(id: 1, room: room))).loaded?.summary.last ?? 0
      return last > 1 ? ["\(room) ends at \(last)"] : []
    }
    let damage = LogError.damaged(room: "other", position: 8)
    #expect(inspection.differences == ["demo ends at 20"] && !inspection.isSound)
    #expect(inspection.findings == [LogInspection.Finding(room: "other", error: damage, opens: false)])
    #expect(inspection.rooms == 3 && inspection.records == 21)
  }

  @Test("a room that was cut is not trimmed to a snapshot past its end")
  func cutBelowASnapshot() throws {
    try bench.snapshot("demo", at: 15, bytes("as of 15"))
    try spoil("UPDATE records SET milliseconds=milliseconds+1 WHERE room=1 AND position=8")
    _ = try bench.read("demo")
    let cut = try bench.repair("demo", .cutting(newEpoch: 5))
    #expect(cut == .repaired(id: bench.lastId, room: "demo", epoch: 5, first: 0, last: 7))
    try bench.append("demo", (0..<13).map { bytes("more \($0)") }, epoch: 5)
    let trimmed = try bench.trim("demo", epoch: 5, through: 20)
    #expect(trimmed == .trimmed(id: bench.lastId, room: "demo", through: 0))
    #expect(try bench.records("demo").count == 20)
  }

  @Test("a snapshot past the end of a room that is cut while it is being written is refused, and the room goes on")
  func cutWhileASnapshotIsWritten() throws {
    try spoil("UPDATE records SET milliseconds=milliseconds+1 WHERE room=1 AND position=8")
    try expectRefused(at: 8)
    let parts = [UInt8](repeating: 7, count: 3 * WriterBounds.snapshotPartBytes)
    let snapshot = SnapshotRequest(bench.nextId(), at: 15, parts)
    let cut = RepairRequest(id: bench.nextId(), room: "demo", means: .cutting(newEpoch: 5))
    // Both are taken in one commit, before the first part is written.
    bench.log.submit([.snapshot(snapshot), .repair(cut)])
    #expect(bench.events.answer(to: cut.id) == .repaired(id: cut.id, room: "demo", epoch: 5, first: 0, last: 7))
    #expect(bench.events.answer(to: snapshot.id)?.error == .otherEpoch(room: "demo", epoch: 5))
    try bench.reopen()
    #expect(try bench.records("demo") == Array(all[..<7]))
    #expect(try bench.append("demo", [bytes("more")], epoch: 5).appended?.records[0].position == 8)
  }

  @Test("damaged rows of deleted rooms keep nothing from opening, nor new rooms from being made")
  func numbersOfDeletedRooms() throws {
    try spoil(
      "INSERT INTO dropped VALUES(99), (9223372036854775807);"
        + "INSERT INTO records VALUES(99, 9223372036854775807, 0, 0, 0, x'')"
    )
    #expect(try bench.append("new", [bytes("a")]).appended != nil)
    #expect(try bench.append("demo", [bytes("goes on")]).appended != nil)
  }

  @Test("a damaged row of deleted rooms deletes no living room, and a missing one gives its number to no new room")
  func numbersOfLivingRooms() throws {
    let records = try bench.records("demo", after: 0)
    try spoil(
      "INSERT INTO dropped SELECT number FROM rooms WHERE name='demo';"
        + "INSERT INTO records SELECT max(number) + 1, 1, 0, 0, 0, x'' FROM rooms"
    )
    #expect(try bench.append("new", [bytes("a")]).appended != nil)
    try bench.reopen()
    #expect(try bench.records("demo", after: 0) == records)
  }

  @Test("damage that a snapshot covers is only history: the room opens, and can be repaired without a loss")
  func covered() throws {
    try bench.snapshot("demo", at: 15, bytes("as of 15"))
    try spoil("UPDATE records SET bytes=x'00' WHERE room=1 AND position=8")
    let damage = LogError.damaged(room: "demo", position: 8)
    #expect(try bench.read("demo").error == damage)
    #expect(try bench.verify("demo").error == damage)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 15"))
    #expect(try bench.records("demo", after: 15) == Array(all[15...]))
    #expect(try bench.append("demo", [bytes("more")]).appended != nil)
    let repaired = try bench.repair("demo", .snapshot)
    #expect(repaired == .repaired(id: bench.lastId, room: "demo", epoch: LogBench.epoch, first: 15, last: 21))
    #expect(try bench.verify("demo") == .verified(id: 0, room: "demo", records: 6, of: bench))
    #expect(bench.log.statistics().damagedRooms == 0)
  }

  @Test("a snapshot that is damaged too repairs nothing: an older one does, or none")
  func coveredByDamage() throws {
    try bench.snapshot("demo", at: 10, bytes("as of 10"))
    try bench.snapshot("demo", at: 15, bytes("as of 15"))
    try spoil(
      """
      UPDATE records SET bytes=x'00' WHERE room=1 AND position=8;
      UPDATE snapshot_parts SET bytes=CAST('as of 1_' AS BLOB) WHERE position=15
      """
    )
    _ = try bench.verify("demo")
    let repaired = try bench.repair("demo", .snapshot)
    #expect(repaired == .repaired(id: bench.lastId, room: "demo", epoch: LogBench.epoch, first: 10, last: 20))
    let loaded = try bench.load("demo").loaded
    #expect(loaded?.snapshot?.bytes == bytes("as of 10"))
    #expect(loaded?.passedOver == [.damagedSnapshot(room: "demo", position: 15)])
    #expect(try bench.records("demo", after: 10) == Array(all[10...]))
    try spoil("UPDATE records SET bytes=x'00' WHERE room=1 AND position=12")
    let damage = LogError.damaged(room: "demo", position: 12)
    #expect(try bench.verify("demo").error == damage)
    let refused = try bench.repair("demo", .snapshot)
    #expect(refused.error == .damageNotCovered(room: "demo", position: 12))
  }

  @Test(
    "a damaged snapshot is dropped where the room can be used without it, and only then",
    arguments: [
      "UPDATE snapshot_parts SET bytes=CAST('as of 2_' AS BLOB) WHERE position=20",
      "UPDATE snapshots SET shapes=shapes+1 WHERE position=20",
    ]
  )
  func droppedSnapshot(statement: String) throws {
    func drop(_ position: UInt64) throws -> LogError? {
      let means = RepairRequest.Means.droppingSnapshot(position: position)
      return try bench.repair("demo", means).error
    }
    try bench.snapshot("demo", at: 10, bytes("as of 10"))
    try bench.snapshot("demo", at: 20, bytes("as of 20"))
    #expect(try drop(20) == .notDamaged(room: "demo"))
    #expect(try drop(15) == .notDamaged(room: "demo"))
    try spoil(statement)
    let damage = LogError.damagedSnapshot(room: "demo", position: 20)
    #expect(try bench.verify("demo").error == damage)
    #expect(bench.log.statistics().damagedRooms == 1)
    #expect(try drop(20) == nil)
    #expect(bench.log.statistics().damagedRooms == 0)
    #expect(try bench.verify("demo").error == nil)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 10"))
    try bench.reopen()
    #expect(try bench.verify("demo").error == nil)

    // Drops the records that the snapshot includes, so that the room can't be opened without the snapshot.
    try bench.trim("demo", through: 10)
    try spoil("UPDATE snapshot_parts SET bytes=CAST('as of 1_' AS BLOB) WHERE position=10")
    #expect(try drop(10) == .damagedSnapshot(room: "demo", position: 10))
    try expectOthersGoOn()
  }

  @Test("an open room writes a snapshot that covers the damage, and is accepted again")
  func coveredLater() throws {
    try spoil("UPDATE records SET bytes=x'00' WHERE room=1 AND position=8")
    try expectRefused(at: 8)
    #expect(try bench.snapshot("demo", at: 20, bytes("as of 20")).error == nil)
    #expect(try bench.append("demo", [bytes("more")]).appended != nil)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 20"))
  }

  /// The second argument keeps the length unchanged, so only the checksum reveals the damage.
  @Test(
    "an older snapshot replaces a damaged one; without one, the error names the damaged one",
    arguments: ["x'00'", "CAST('as of 2_' AS BLOB)"]
  )
  func snapshot(content: String) throws {
    try bench.snapshot("demo", at: 10, bytes("as of 10"))
    try bench.snapshot("demo", at: 20, bytes("as of 20"))
    try spoil("UPDATE snapshot_parts SET bytes=\(content) WHERE position=20")
    #expect(try bench.verify("demo").error == .damagedSnapshot(room: "demo", position: 20))
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 10"))
    try spoil("UPDATE snapshots SET shapes=shapes+1 WHERE position=10")
    #expect(try bench.load("demo").loaded.map { $0.snapshot == nil } == true)
    #expect(try bench.records("demo") == all)
    let trim = try bench.trim("demo", through: 20)
    #expect(trim == .trimmed(id: bench.lastId, room: "demo", through: 0), "nothing is dropped for a damaged snapshot")
    #expect(try bench.records("demo") == all)
    try expectOthersGoOn()
  }

  @Test("a snapshot that takes the place of a damaged one is whole, also if it is shorter")
  func shorterSnapshot() throws {
    try bench.snapshot("demo", at: 20, [UInt8](repeating: 1, count: 2 * WriterBounds.snapshotPartBytes))
    try spoil("UPDATE snapshot_parts SET bytes=x'00' WHERE position=20 AND part=1")
    #expect(try bench.verify("demo").error == .damagedSnapshot(room: "demo", position: 20))
    try bench.snapshot("demo", at: 20, bytes("as of 20"))
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 20"))
  }

  @Test("history isn't trimmed to a damaged snapshot, whether or not that is known", arguments: [false, true])
  func retention(isKnown: Bool) throws {
    let bench = try LogBench(.sqlite, options: SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 0) })
    try bench.append("demo", [bytes("one"), bytes("two")])
    try bench.snapshot("demo", at: 2, bytes("as of 2"))
    bench.close()
    let path = bench.directory + "/canvas.db"
    let statement = "UPDATE snapshot_parts SET bytes=CAST('as of _' AS BLOB)"
    try Database(path: path, mayCreate: false, fileSystem: nil).run(statement)
    try bench.reopen()
    if isKnown { _ = try bench.verifyPart() }
    _ = try bench.ask { .retain(id: $0, milliseconds: 5_000) }
    #expect(try bench.records("demo").map(\.bytes) == [bytes("one"), bytes("two")])
    #expect(bench.log.statistics().damagedRooms == 1)
    let means = RepairRequest.Means.droppingSnapshot(position: 2)
    #expect(try bench.repair("demo", means).error == nil)
    try bench.snapshot("demo", at: 2, bytes("as of 2"))
    _ = try bench.ask { .retain(id: $0, milliseconds: 5_000) }
    #expect(try bench.summaries().map(\.trimmed) == [2])
  }

  @Test("history isn't trimmed to a snapshot that is damaged in the file, while the log has it in memory as it was")
  func damagedBeneathMemory() throws {
    var options = SQLiteOptions()
    options.retention = Retention(ageMillisecondsMax: 0)
    // With 0, a checkpoint copies everything into the database file at once.
    options.checkpointPages = 0
    let bench = try LogBench(.sqlite, options: options)
    try bench.append("demo", [bytes("one"), bytes("two")])
    try bench.snapshot("demo", at: 2, bytes("as of 2"))
    try bench.append("demo", [bytes("three")])
    try bench.damageInFile(bytes("as of 2"))
    _ = try bench.ask { .retain(id: $0, milliseconds: 5_000) }
    #expect(try bench.summaries().map(\.trimmed) == [0])
    #expect(try bench.records("demo").map(\.bytes) == [bytes("one"), bytes("two"), bytes("three")])
    #expect(bench.log.statistics().damagedRooms == 1)
    // Stores an intact snapshot in place of the damaged one, as an open room does.
    try bench.snapshot("demo", at: 2, bytes("as of 2"))
    _ = try bench.ask { .retain(id: $0, milliseconds: 5_000) }
    #expect(try bench.summaries().map(\.trimmed) == [2])
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 2"))
  }

  @Test("a room that is cut just after retention has read its snapshot isn't trimmed to that, past its end")
  func retentionBesideCut() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    let options = SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 0) }
    let halves = try LogHalves(directory: directory, options: options) { _ in }
    halves.writing.add([.append(LogBench.append(1, "demo", [bytes("one"), bytes("two")]))])
    _ = halves.writer.turn()
    halves.writing.add([.snapshot(SnapshotRequest(2, at: 2, bytes("as of 2")))])
    repeat { _ = halves.writer.turn() } while !halves.writer.isIdle
    halves.writing.add([.retain(id: 3, milliseconds: 5_000)])
    _ = halves.writer.turn()
    try #require(halves.writer.trims.count == 2, "the next commit is to trim the room")
    halves.shared.note(.init(room: "demo", position: 2, isHistory: false), room: 1)
    halves.writing.add([.repair(RepairRequest(id: 4, room: "demo", means: .cutting(newEpoch: 7)))])
    repeat { _ = halves.writer.turn() } while !halves.writer.isIdle
    let room = try #require(halves.writer.rooms["demo"])
    #expect(room.last == 1 && room.trimmed == 0 && room.epoch == 7)
    halves.letGo()
  }

  @Test(
    "a room with a damaged entry is refused, and its entry can be rebuilt from its records",
    arguments: ["last=5", "trimmed=13"]
  )
  func entry(change wanted: String) throws {
    try spoil("UPDATE rooms SET \(wanted) WHERE name='demo'")
    // Nothing has read the entry yet, so nothing but opening can have found the damage.
    #expect(try bench.append("demo", [bytes("more")]).error == .damaged(room: "demo", position: 0))
    try expectRefused(at: 0)
    try expectOthersGoOn()
    let repaired = try bench.repair("demo", .cutting(newEpoch: 3))
    #expect(repaired == .repaired(id: bench.lastId, room: "demo", epoch: 3, first: 0, last: 20))
    let summary = try #require(try bench.summaries().first)
    #expect(summary.operations == 20 && summary.createdMilliseconds == 1_000 && summary.changedMilliseconds == 1_000)
    #expect(try bench.records("demo") == all)
    #expect(try bench.append("demo", [bytes("more")], epoch: 3).appended?.records[0].position == 21)
  }

  /// Gives the room `demo` the entry that it had after its first twelve records.
  private func putOldEntry() throws {
    bench.close()
    let database = try Database(path: path, mayCreate: false, fileSystem: nil)
    let row = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms WHERE name='demo'")
    let isThere = try row.step()
    try #require(isThere)
    var entry = StoredRows.room(row).entry
    row.reset()
    (entry.last, entry.operations) = (12, 12)
    entry.trimmed = 0
    try WriterDatabase(database).put(entry)
  }

  @Test("where the disk has lost a newer entry of a room, the room is refused, and nothing of it is lost")
  func oldEntry() throws {
    try putOldEntry()
    try bench.reopen()
    // No read has found the damage yet. The appends find it.
    for _ in 0..<2 { #expect(try bench.append("demo", [bytes("more")]).error == .damaged(room: "demo", position: 0)) }
    #expect(!bench.events.all.contains { $0.isAvailability })
    try bench.reopen()
    #expect(try bench.verifyPart().damages == [.damaged(room: "demo", position: 0)])
    try expectRefused(at: 0)
    try expectOthersGoOn()
    #expect(try bench.repair("demo", .cutting(newEpoch: 3)).error == nil)
    #expect(try bench.records("demo") == all)
  }

  @Test("so is a room whose next records were dropped since", arguments: ["position<=15", "room=1"])
  func oldEntryBeforeATrim(dropped: String) throws {
    for position in [10, 20] as [UInt64] { try bench.snapshot("demo", at: position, bytes("as of \(position)")) }
    try change("DELETE FROM records WHERE room=1 AND \(dropped)")
    try putOldEntry()
    try bench.reopen()
    try expectRefused(at: 0)
    try expectOthersGoOn()
    #expect(try bench.repair("demo", .cutting(newEpoch: 3)).error == nil)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 20"))
    #expect(try bench.append("demo", [bytes("more")], epoch: 3).appended?.records[0].position == 21)
  }

  /// Changes the table's row of a room, and not its entry in the index of names.
  private func changeRow(of room: String = "demo", _ change: (inout ArraySlice<UInt8>) -> Void) throws {
    bench.close()
    let database = try Database(path: path, mayCreate: false, mayWrite: false, fileSystem: nil)
    let root = Int(try database.number("SELECT rootpage FROM sqlite_schema WHERE name='rooms'"))
    let file = open(path, O_RDWR)
    defer { close(file) }
    var page = [UInt8](repeating: 0, count: 4_096)
    try #require(pread(file, &page, page.count, (root - 1) * 4_096) == page.count)
    let name = Array(room.utf8)
    let place = try #require((0..<4_092).first { Array(page[$0..<($0 + 4)]) == name })
    // A row begins with its length and its number, of one byte each. Ten bytes tell of the columns' lengths.
    var row = page[(place - 12)..<(place + 4)]
    try #require(1...3 ~= row[row.startIndex + 1], "the room's number")
    change(&row)
    page.replaceSubrange((place - 12)..<(place + 4), with: row)
    try #require(pwrite(file, page, page.count, (root - 1) * 4_096) == page.count)
  }

  @Test("a damaged row that has another room's number or name does that room no harm", arguments: [true, false])
  func row(hasNumber: Bool) throws {
    try bench.append("demp", [bytes("of demp")])
    try changeRow { row in
      if hasNumber { row[row.startIndex + 1] = 3 } else { row[row.endIndex - 1] = UInt8(ascii: "p") }
    }
    try bench.reopen()
    #expect(try bench.summaries().map(\.room) == ["demo", "demp", "other"])
    let damage = LogError.damaged(room: "demo", position: 0)
    #expect(try bench.load("demo").error == damage)
    #expect(try bench.append("demo", [bytes("more")]).error == damage)
    let part = try bench.verifyPart()
    #expect(part.next == nil && part.rooms <= 3)
    // What can't be done is refused.
    #expect(try bench.delete("demo").error != nil)
    #expect(try bench.repair("demo", .cutting(newEpoch: 3)).error != nil)
    #expect(try bench.summaries().map(\.room) == ["demo", "demp", "other"])
    try bench.reopen()
    #expect(try bench.records("demp").map(\.bytes) == [bytes("of demp")])
    #expect(try bench.append("demp", [bytes("more")]).appended != nil)
    try expectOthersGoOn()
  }

  @Test("a new room doesn't get the number of a damaged row")
  func newest() throws {
    try bench.append("demp", [bytes("of demp")])
    try changeRow(of: "demp") { $0[$0.startIndex + 1] = 4 }
    try bench.reopen()
    #expect(try bench.append("new", [bytes("a")]).appended != nil)
    try bench.reopen()
    #expect(try bench.records("new").map(\.bytes) == [bytes("a")])
    try expectOthersGoOn()
  }

  @Test("a snapshot with a damaged mark is complete if all its bytes are there, and is never deleted if it is needed")
  func mark() throws {
    try bench.snapshot("demo", at: 10, bytes("as of 10"))
    _ = try bench.trim("demo", through: 10)
    try spoil("UPDATE snapshots SET complete=0")
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 10"))
    // Also if the room's entry is damaged.
    try spoil("UPDATE snapshots SET complete=0; UPDATE rooms SET created=created+1 WHERE name='demo'")
    #expect(try bench.repair("demo", .cutting(newEpoch: 3)).error == nil)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("as of 10"))
    try change("UPDATE snapshots SET complete=0; UPDATE snapshot_parts SET bytes=CAST('as of 1_' AS BLOB)")
    for _ in 0..<2 {
      try bench.reopen()
      let damage = LogError.damagedSnapshot(room: "demo", position: 10)
      #expect(try bench.load("demo").error == damage && bench.verify("demo").error == damage)
      #expect(try bench.load("demo", through: .position(10)).error == damage)
      #expect(bench.log.statistics().damagedRooms == 1)
      bench.close()
    }
    let database = try Database(path: path, mayCreate: false, mayWrite: false, fileSystem: nil)
    #expect(try database.number("SELECT count(*) FROM snapshot_parts") == 1)
  }

  @Test("damage among records that are dropped is forgotten")
  func droppedDamage() throws {
    try bench.snapshot("demo", at: 15, bytes("as of 15"))
    try spoil("UPDATE records SET bytes=x'00' WHERE room=1 AND position=8")
    _ = try bench.verify("demo")
    #expect(bench.log.statistics().damagedRooms == 1)
    _ = try bench.trim("demo", through: 15)
    #expect(bench.log.statistics().damagedRooms == 0)
  }
}

extension LogEvent {
  /// The answer that is expected to the newest request.
  static func verified(id: UInt64, room: String, records: Int, of bench: LogBench) -> LogEvent {
    .verified(id: bench.nextId() - 1, room: room, records: records)
  }
}
