import Basics
import CSQLite
import Glibc
import Testing

@testable import RoomLog

@Suite("A log whose disk fails")
struct FaultTests {
  private let directory = temporaryDirectory()

  private func bench(_ change: (inout SQLiteOptions) -> Void = { _ in }) throws -> LogBench {
    var options = SQLiteOptions()
    FaultyDisk.install()
    options.fileSystem = FaultyDisk.name
    options.probeMilliseconds = 5
    options.lockedMillisecondsMax = 5
    change(&options)
    return try LogBench(.sqlite, options: options, directory: directory)
  }

  private func faulty() throws -> (FaultyDisk, LogBench) { (FaultyDisk(directory: directory), try bench()) }

  private var database: String { directory + "/canvas.db" }

  /// Another connection to the database, on a healthy disk and without the log's knowledge. It waits while the log
  /// writes, because the log tries to write again and again.
  private func otherConnection() throws -> Database {
    try OpenedDirectory.open(database, mayCreate: false, options: SQLiteOptions { $0.lockedMillisecondsMax = 60_000 })
  }

  private static let failedSync = SQLITE_IOERR | (4 << 8)

  @Test(
    "it refuses writers as unavailable, lets readers go on, and is back when the disk is",
    arguments: [SQLITE_FULL, SQLITE_IOERR]
  )
  func writesFail(code: Int32) throws {
    let (disk, bench) = try faulty()
    let stored = try bench.add("demo", ["before"])
    disk.failWrites(code)
    for _ in 0..<3 {
      guard case .unavailable(let fault) = try bench.append("demo", [bytes("lost")]).error else {
        Issue.record("it was taken")
        return
      }
      if code == SQLITE_FULL { #expect(fault == .diskFull(path: database)) }
    }
    #expect(disk.faults > 0)
    #expect(bench.log.statistics().fault != nil)
    #expect(bench.events.first { if case .availability(nil, .some) = $0 { true } else { false } } != nil)
    #expect(try bench.records("demo") == stored)
    #expect(try bench.summaries().map(\.last) == [stored[0].position])
    let snapshot = try bench.snapshot("demo", at: stored[0].position, [1])
    guard case .unavailable = snapshot.error else {
      Issue.record("\(snapshot)")
      return
    }

    disk.failWrites(nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    try bench.append("demo", [bytes("after")], mayCreate: false)
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before"), bytes("after")])
    #expect(bench.log.statistics().fault == nil)
    #expect(bench.log.statistics().queuedBytes == 0, "what was refused takes up no room")
    try bench.reopen()
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before"), bytes("after")])
  }

  @Test("records of a failed sync count as lost, and those acknowledged before are there")
  func syncFails() throws {
    let (disk, bench) = try faulty()
    try bench.append("demo", [bytes("before")])
    disk.failSyncs(FaultTests.failedSync)
    guard case .unavailable(.syncFailed(database, _)) = try bench.append("demo", [bytes("lost")]).error else {
      Issue.record("it was taken")
      return
    }
    #expect(disk.faults > 0)
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before")])
    disk.failSyncs(nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before")])
    try bench.append("demo", [bytes("after")])
    let told = bench.events.all.compactMap(\.appended).flatMap(\.records)
    #expect(try bench.records("demo") == told)
    try bench.reopen()
    #expect(try bench.records("demo") == told)
  }

  @Test("appends that a failed commit has stored after all are reported without an id")
  func storedAfterAll() throws {
    let (disk, bench) = try faulty()
    try bench.append("demo", [bytes("before")])
    disk.failWrites(SQLITE_IOERR)
    #expect(try bench.append("demo", [bytes("stored after all")]).error != nil)
    try behindItsBack { writer, entry throws(SQLiteFailure) in
      let record = entry.place(NewRecord(bytes: bytes("stored after all"), operations: 1), milliseconds: 2_000)
      try writer.put(record, room: entry.number, operations: entry.operations)
    }
    disk.failWrites(nil)
    let told = try #require(bench.events.first { $0.appended?.id == nil && $0.appended != nil }?.appended)
    #expect(told.records.map(\.bytes) == [bytes("stored after all")])
    #expect(try bench.records("demo").map(\.position) == [1, 2])
    #expect(try bench.append("demo", [bytes("after")]).appended?.records[0].position == 3)
  }

  @Test("it stays unavailable if acknowledged records are no longer there")
  func recordsGone() throws {
    let (disk, bench) = try faulty()
    try bench.append("demo", [bytes("one"), bytes("two")])
    disk.failWrites(SQLITE_IOERR)
    #expect(try bench.append("demo", [bytes("three")]).error != nil)
    try behindItsBack { writer, entry throws(SQLiteFailure) in
      try writer.database.run("DELETE FROM records WHERE position=2")
      entry.last = 1
    }
    disk.failWrites(nil)
    let fault = StorageFault.recordsGone(path: database, room: "demo")
    #expect(bench.events.first { $0 == .availability(room: nil, fault) } != nil)
    #expect(try bench.append("demo", [bytes("three")]).error == .unavailable(fault))
  }

  /// Changes the database without the log's knowledge.
  private func behindItsBack(_ change: (WriterDatabase, inout RoomEntry) throws(SQLiteFailure) -> Void) throws {
    let writer = try WriterDatabase(try otherConnection())
    var entry = try #require(try writer.rooms().rooms["demo"])
    try writer.transaction(synced: true) { () throws(SQLiteFailure) in
      try change(writer, &entry)
      try writer.put(entry)
    }
  }

  @Test("what is left of a snapshot that wasn't finished counts for nothing")
  func unfinishedSnapshot() throws {
    let bench = try bench()
    try bench.append("demo", [bytes("one"), bytes("two")])
    for position in 1...2 as ClosedRange<UInt64> { _ = try bench.snapshot("demo", at: position, [1]) }
    #expect(try bench.summaries().map { $0.snapshot?.position } == [2])
    try behindItsBack { writer, _ throws(SQLiteFailure) in
      try writer.database.run("UPDATE snapshots SET complete=0 WHERE position=2")
      try writer.database.run("DELETE FROM snapshot_parts WHERE position=2")
    }
    #expect(try bench.summaries().map { $0.snapshot?.position } == [1])
    #expect(try bench.load("demo").loaded?.snapshot?.place.position == 1)
    #expect(try bench.verify("demo").error == nil)
  }

  @Test("everything that arrives while one commit is synced goes into the next")
  func groupCommit() throws {
    let (disk, bench) = try faulty()
    disk.holdSyncs()
    defer { disk.releaseSyncs() }
    let first = bench.nextId()
    bench.log.submit(.append(LogBench.append(first, "room-0", [bytes("first")])))
    try #require(disk.waitForHeldSync(), "no commit was synced within ten seconds")
    let rest = (1...400).map { _ in bench.nextId() }
    for id in rest { bench.log.submit(.append(LogBench.append(id, "room-\(id % 50)", [bytes("\(id)")]))) }
    // The append is not synced yet, so nothing is reported except the opening.
    #expect(bench.events.all.map(\.isOpened) == [true])
    disk.releaseSyncs()
    for id in rest { _ = try #require(bench.events.answer(to: id)?.appended, "no answer to \(id) within ten seconds") }
    let reports = bench.events.all.compactMap { if case .committed(let report) = $0 { report } else { nil } }
    #expect(reports.map(\.records) == [1, 400])
    #expect(reports.map(\.rooms) == [1, 50])
  }

  @Test("it refuses appends when too much is waiting, and accepts them when there is room")
  func busy() throws {
    let disk = FaultyDisk(directory: directory)
    let bench = try bench { $0.queueBytesMax = 10_000 }
    disk.holdSyncs()
    defer { disk.releaseSyncs() }
    bench.log.submit(.append(LogBench.append(bench.nextId(), "demo", [bytes("first")])))
    try #require(disk.waitForHeldSync(), "no commit was synced within ten seconds")
    let ids = (0..<5).map { _ in bench.nextId() }
    for id in ids {
      bench.log.submit(.append(LogBench.append(id, "demo", [[UInt8](repeating: 1, count: 4_000)])))
    }
    #expect(bench.log.statistics().queuedBytes <= 10_000)
    disk.releaseSyncs()
    let taken = ids.filter { bench.events.answer(to: $0)?.appended != nil }
    #expect(taken == Array(ids[..<2]))
    guard case .busy? = bench.events.answer(to: ids[4])?.error else {
      Issue.record("it was taken")
      return
    }
    try bench.append("demo", [[UInt8](repeating: 2, count: 20_000)])
    #expect(try bench.records("demo").count == 4)
    #expect(bench.log.statistics().queuedBytes == 0)
  }

  @Test("it waits for a program that has locked the database, says so, and goes on after it")
  func locked() throws {
    let bench = try bench()
    try bench.append("demo", [bytes("before")])
    let other = try otherConnection()
    try other.run("BEGIN IMMEDIATE")
    #expect(try bench.append("demo", [bytes("refused")]).error == .unavailable(.locked(path: database)))
    #expect(try bench.records("demo").count == 1)
    try other.run("COMMIT")
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    try bench.append("demo", [bytes("after")])
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before"), bytes("after")])
  }

  @Test(
    "it accepts nothing more while its file or the write-ahead log is away, lets readers go on, and is back with it",
    arguments: ["", "-wal"],
    [false, true]
  )
  func removed(end: String, isReplaced: Bool) throws {
    let bench = try bench()
    try bench.append("demo", [bytes("before")])
    let file = database + end
    try #require(rename(file, file + ".aside") == 0)
    if isReplaced { try #require(Glibc.close(creat(file, 0o600)) == 0) }
    #expect(try bench.append("demo", [bytes("refused")]).error == .unavailable(.replaced(path: file)))
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before")])
    try #require(rename(file + ".aside", file) == 0)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    try bench.append("demo", [bytes("after")])
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before"), bytes("after")])
  }

  @Test("it accepts nothing more without the write-ahead log that was removed, and saves what that had")
  func writeAheadRemoved() throws {
    let bench = try bench()
    try bench.append("demo", [bytes("before")])
    let log = database + "-wal"
    try #require(unlink(log) == 0)
    #expect(try bench.append("demo", [bytes("refused")]).error == .unavailable(.replaced(path: log)))
    #expect(access(log, F_OK) != 0, "no other takes its place")
    let copy = directory + "/copy.db"
    try Database(path: database, mayCreate: false, mayWrite: false, fileSystem: nil).run("VACUUM INTO '\(copy)'")
    let saved = try Database(path: copy, mayCreate: false, fileSystem: nil)
    #expect(try saved.number("SELECT count(*) FROM records") == 1)
    try bench.reopen()
    try bench.append("demo", [bytes("after")])
    #expect(try bench.records("demo").map(\.bytes) == [bytes("before"), bytes("after")])
  }

  @Test("after a room is found that a failed commit has stored after all, new rooms get numbers of their own")
  func roomStoredAfterAll() throws {
    let (disk, bench) = try faulty()
    try bench.append("demo", [bytes("before")])
    disk.failWrites(SQLITE_IOERR)
    #expect(try bench.append("demo", [bytes("lost")]).error != nil)
    // While the disk fails, nobody knows whether there is such a room. So who follows it isn't told that there is none.
    let following = try bench.ask { .follow(FollowRequest(id: $0, room: "found", epoch: 7, after: 0)) }
    #expect(following == .following(id: bench.lastId, room: "found"))
    try behindItsBack { writer, _ throws(SQLiteFailure) in
      var found = RoomEntry(name: "found", number: 2, epoch: 7, milliseconds: 2_000)
      let record = found.place(NewRecord(bytes: bytes("stored after all"), operations: 1), milliseconds: 2_000)
      try writer.put(record, room: 2, operations: 1)
      try writer.put(found)
      // Changes the room's row, so that the row counts as damaged.
      try writer.database.run("UPDATE rooms SET changed=changed+1 WHERE number=2")
    }
    disk.failWrites(nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    #expect(try bench.append("new", [bytes("first")]).appended?.records.map(\.position) == [1])
    #expect(try bench.records("new").map(\.bytes) == [bytes("first")])
    #expect(try bench.append("found", [bytes("more")], epoch: 7).error == .damaged(room: "found", position: 0))
    #expect(bench.log.statistics().rooms == 3)
  }

  @Test("a room whose entry is damaged while the disk fails keeps no other room from being written")
  func entryDamagedMeanwhile() throws {
    let (disk, bench) = try faulty()
    try bench.append("demo", [bytes("one"), bytes("two")])
    try bench.append("other", [bytes("first")])
    disk.failWrites(SQLITE_IOERR)
    #expect(try bench.append("other", [bytes("lost")]).error != nil)
    try otherConnection().run("UPDATE rooms SET last=1 WHERE name='demo'")
    disk.failWrites(nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    try bench.append("other", [bytes("second")])
    #expect(try bench.append("demo", [bytes("three")]).error == .damaged(room: "demo", position: 0))
  }

  @Test("a room whose entry is damaged under an open log is refused to writers once somebody has read it")
  func entryDamaged() throws {
    let bench = try bench()
    try bench.append("demo", [bytes("one"), bytes("two")])
    try otherConnection().run("UPDATE rooms SET last=1 WHERE name='demo'")
    #expect(bench.log.statistics().damagedRooms == 0)
    let damage = LogError.damaged(room: "demo", position: 0)
    #expect(try bench.load("demo").error == damage && bench.append("demo", [bytes("three")]).error == damage)
    #expect(bench.log.statistics().damagedRooms == 1)
  }

  @Test("a record that is damaged isn't left out of what a follower is told")
  func damagedWhileFollowing() throws {
    let bench = try bench()
    try bench.append("demo", [bytes("one"), bytes("two"), bytes("three")])
    try behindItsBack { writer, _ throws(SQLiteFailure) in
      try writer.database.run("UPDATE records SET bytes=CAST('tw_' AS BLOB) WHERE position=2")
    }
    let answer = try bench.ask {
      .follow(FollowRequest(id: $0, room: "demo", epoch: LogBench.epoch, after: 0))
    }
    #expect(answer.error == .damaged(room: "demo", position: 2))
    #expect(bench.events.all.compactMap(\.appended).map(\.id) == [1], "nothing of it was told")
    #expect(try bench.append("demo", [bytes("four")]).error == .damaged(room: "demo", position: 2))
  }

  @Test("a database that can't give back free pages is left as it is")
  func noAutoVacuum() throws {
    var bench: LogBench? = try bench()
    try bench?.append("demo", (0..<2_000).map { _ in [UInt8](repeating: 1, count: 4_000) })
    try bench?.append("other", [bytes("stays")])
    bench?.close()
    try Database(path: database, mayCreate: false, fileSystem: nil).run("PRAGMA auto_vacuum=NONE; VACUUM")
    let events = EventCollector()
    let halves = try LogHalves(directory: directory, options: SQLiteOptions()) { events.take($0) }
    halves.writing.add([.delete(id: 1, room: "demo")])
    var turns = 0
    repeat {
      _ = halves.writer.turn()
      turns += 1
    } while !halves.writer.isIdle && turns < 10_000
    #expect(halves.writer.isIdle, "it never ends")
    halves.letGo()
    bench = nil
  }

  @Test("it starts while another program reads, and what it has is durable then")
  func readerBeside() throws {
    let bench = try bench { $0.lockedMillisecondsMax = 5 }
    try bench.append("demo", [bytes("before")])
    let other = try Database(path: database, mayCreate: false, mayWrite: false, fileSystem: nil)
    let reading = try other.statement("SELECT name FROM rooms UNION ALL SELECT 'more'")
    #expect(try reading.step())
    try bench.append("demo", [bytes("since")])
    try bench.reopen()
    try bench.append("demo", [bytes("after")])
    #expect(try bench.records("demo").count == 3)
    #expect(try reading.step())
  }

  @Test("it takes writes while another program makes a checkpoint")
  func checkpointBeside() throws {
    let disk = FaultyDisk(directory: directory)
    let bench = try bench { ($0.checkpointPages, $0.fileSystem) = (20, nil) }
    try bench.append("demo", [bytes("before")])
    disk.holdSyncs()
    let path = database
    let checkpoint = try SystemThread {
      try? Database(path: path, mayCreate: false, fileSystem: FaultyDisk.name).run("PRAGMA wal_checkpoint")
    }
    #expect(disk.waitForHeldSync())
    // After each of these, the log makes a checkpoint of its own.
    let large = [UInt8](repeating: 7, count: 200_000)
    for _ in 0..<3 { #expect(try bench.append("demo", [large]).error == nil) }
    disk.releaseSyncs()
    checkpoint.join()
    #expect(try bench.records("demo").count == 4)
    #expect(!bench.events.all.contains { $0.isAvailability })
  }

  static let canMount = mount("probe")

  /// Mounts a small file system at a new directory under `/tmp`.
  /// - Returns: whether this process is allowed to do that.
  private static func mount(_ name: String) -> Bool {
    let path = "/tmp/room-log-\(name)-\(getpid())"
    mkdir(path, 0o700)
    defer { rmdir(path) }
    guard Glibc.mount("none", path, "tmpfs", 0, "size=1m") == 0 else { return false }
    umount(path)
    return true
  }

  @Test("it goes on when a disk that was full has space again", .enabled(if: canMount))
  func fullDisk() throws {
    try #require(Glibc.mount("none", directory, "tmpfs", 0, "size=4m") == 0)
    defer {
      umount2(directory, Int32(MNT_DETACH))
      rmdir(directory)
    }
    let filler = directory + "/filler"
    let file = open(filler, O_CREAT | O_WRONLY, 0o600)
    let zeros = [UInt8](repeating: 0, count: 2 << 20)
    try #require(write(file, zeros, zeros.count) == zeros.count)
    close(file)
    let bench = try bench { $0.fileSystem = nil }
    var stored: [LogRecord] = []
    var refusal: LogError?
    for index in 0..<2_000 where refusal == nil {
      let answer = try bench.append("demo", [[UInt8](repeating: UInt8(index % 256), count: 5_000)])
      stored += answer.appended?.records ?? []
      refusal = answer.error
    }
    #expect(refusal == .unavailable(.diskFull(path: database)))
    #expect(try bench.records("demo") == stored)
    unlink(filler)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    stored += try bench.add("demo", ["after"])
    #expect(try bench.records("demo") == stored)
    try bench.reopen()
    #expect(try bench.records("demo") == stored)
    bench.close()
  }
}
