import Basics
import Testing

@testable import RoomLog

@Suite("A database that can't read some of what it has stored", .enabled(if: TestDatabase.isThere))
struct UnreadableTests {
  private let bench: LogBench

  init() throws { bench = try LogBench(.postgres) }

  /// Bytes that PostgreSQL stores outside of their row, because they are many and can't be compressed.
  private static let large: [UInt8] = {
    var random = SeededGenerator(seed: 1)
    return (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
  }()

  /// Damages a table, so that PostgreSQL fails to read the bytes of those rows that have many.
  private static func damage(_ table: String) -> String {
    """
    CREATE EXTENSION IF NOT EXISTS pg_surgery;
    DO $$
    DECLARE
      apart regclass;
      places tid[];
    BEGIN
      SELECT reltoastrelid::regclass INTO apart FROM pg_class WHERE oid = '\(table)'::regclass;
      EXECUTE format('SELECT array_agg(ctid) FROM %s', apart) INTO places;
      PERFORM heap_force_kill(apart, places);
    END $$;
    """
  }

  private func ask(_ command: String) throws { try TestDatabase.ask(command, in: bench.directory) }

  private func damage(_ table: String) throws { try ask(UnreadableTests.damage(table)) }

  @Test("a room with a record that can't be read is followed no more, and the others are")
  func following() throws {
    for room in ["demo", "other"] { try bench.append(room, [bytes("a")]) }
    let node = try bench.follower(of: "demo", after: 1)
    node.log.submit(.follow(FollowRequest(id: 2, room: "other", epoch: LogBench.epoch, after: 1)))
    // The record is damaged before any node can read it.
    let sum = "\(Checksum.stored(of: UnreadableTests.large))"
    let hex = UnreadableTests.large.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
    try ask(
      """
      BEGIN;
      INSERT INTO canvas.records(room, position, milliseconds, operations, writer, append, checksum, bytes)
        SELECT number, 2, 0, 1, 0, 0, \(sum), decode('\(hex)', 'hex') FROM canvas.rooms WHERE name = 'demo';
      UPDATE canvas.rooms SET last = 2 WHERE name = 'demo';
      \(UnreadableTests.damage("canvas.records"))
      COMMIT
      """
    )
    #expect(node.events.first { $0 == .unfollowed(id: nil, room: "demo") } != nil)
    node.log.submit(.follow(FollowRequest(id: 3, room: "demo", epoch: LogBench.epoch, after: 1)))
    #expect(node.events.answer(to: 3)?.error == .damaged(room: "demo", position: 2))
    try bench.append("other", [bytes("b")])
    #expect(node.events.records(of: "other", atLeast: 1)?.map(\.bytes) == [bytes("b")])
  }

  @Test("who reads history gets what is before a record that can't be read, and then hears which one that is")
  func reading() throws {
    try bench.append("demo", [bytes("a"), bytes("b"), UnreadableTests.large, bytes("d")])
    try damage("canvas.records")
    let page = try bench.read("demo").page
    #expect(page?.records.map(\.bytes) == [bytes("a"), bytes("b")] && page?.isLast == false)
    let damage = LogError.damaged(room: "demo", position: 3)
    #expect(try bench.read("demo", after: 2).error == damage)
    #expect(try bench.verify("demo").error == damage)
    let after = try bench.read("demo", after: 3).page
    #expect(after?.records.map(\.bytes) == [bytes("d")])
  }

  @Test("verification names a room with a record that can't be read, and goes on behind it")
  func verifying() throws {
    try bench.append("demo", [bytes("a"), UnreadableTests.large])
    try bench.append("other", [bytes("b")])
    try damage("canvas.records")
    let part = try bench.verifyPart()
    #expect(part.damages == [.damaged(room: "demo", position: 2)])
    #expect(part.rooms == 2 && part.records == 2 && part.next == nil)
  }

  @Test("verification says which rooms' rows it can't read, and goes on behind them", arguments: [1...3, 4...7, 7...9])
  func rows(unreadable: ClosedRange<Int>) throws {
    for number in 1...9 { try bench.append("room\(number)", [bytes("a")]) }
    // The table is a view that fails as a damaged page does: for those who come to one of its rows. Without these
    // settings PostgreSQL would read and sort a table as small as this one as a whole.
    for way in ["seqscan", "bitmapscan", "sort"] {
      try ask("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_\(way) = off', current_database()); END $$")
    }
    try ask(
      """
      CREATE FUNCTION fail() RETURNS bool LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''invalid page'' USING ERRCODE = ''XX001''; END';
      ALTER TABLE canvas.rooms RENAME TO sound_rooms;
      CREATE VIEW canvas.rooms AS SELECT *, xmax FROM canvas.sound_rooms
        WHERE number NOT BETWEEN \(unreadable.lowerBound) AND \(unreadable.upperBound) OR fail();
      """
    )
    let node = try bench.secondNode()
    defer { node.log.close() }
    node.log.submit(.verifyPart(VerifyRequest(id: 1, start: nil, bytesMax: 1 << 20, microsecondsMax: 10_000_000)))
    guard case .verifiedPart(_, let part)? = node.events.answer(to: 1) else {
      Issue.record("\(String(describing: node.events.answer(to: 1)))")
      return
    }
    #expect(part.rooms == 9 - unreadable.count && part.next == nil && part.damages.isEmpty)
    let numbers = "\(unreadable.lowerBound) to \(unreadable.upperBound)"
    #expect(node.events.all.count { if case .concern(let words) = $0 { words.contains(numbers) } else { false } } == 1)
  }

  @Test("while a room's row can't be read, other rooms are followed and written, and locks are heeded")
  func polling() throws {
    for room in ["demo", "gone"] { try bench.append(room, [bytes("a")]) }
    try ask(
      """
      CREATE TABLE damaged(number int8);
      CREATE FUNCTION fail() RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN
      IF EXISTS(SELECT FROM damaged) THEN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END IF;
      RETURN true;
      END $f$;
      ALTER TABLE canvas.rooms RENAME TO sound_rooms;
      CREATE VIEW canvas.rooms AS SELECT *, xmax FROM canvas.sound_rooms WHERE number <> 2 OR fail();
      """
    )
    let node = try bench.follower(of: "demo", after: 1)
    defer { node.log.close() }
    node.log.submit(.follow(FollowRequest(id: 2, room: "gone", epoch: LogBench.epoch, after: 1)))
    #expect(node.events.answer(to: 2) == .following(id: 2, room: "gone"))
    try ask("INSERT INTO damaged VALUES(2)")
    #expect(try bench.ask { .lock(id: $0, room: "demo", isLocked: true) }.error == nil)
    #expect(node.events.first { $0 == .locks(["demo"]) } != nil)
    #expect(node.events.first { $0 == .unfollowed(id: nil, room: "gone") } != nil)
    node.log.submit(.delete(id: 3, room: "gone"))
    #expect(node.events.answer(to: 3)?.isUnavailable == true)
    node.log.submit(.append(LogBench.append(4, "demo", [bytes("b")])))
    #expect(node.events.answer(to: 4)?.appended != nil)
    #expect(node.log.statistics().following?.reconnects == 0)
  }

  @Test(
    "an error of the database's system or disk that may pass isn't damage of the room that was read",
    arguments: [("XX001", true), ("XX002", true), ("58P01", true), ("58000", false), ("58030", false)]
  )
  func passing(state: String, isDamage: Bool) {
    #expect(PostgresFailure.refused(state: state, message: "").isDamage == isDamage)
  }

  @Test("a snapshot that can't be read is passed over like a damaged one, and verification names it")
  func snapshots() throws {
    try bench.append("demo", ["a", "b", "c", "d", "e"].map(bytes))
    try bench.snapshot("demo", at: 2, bytes("two"))
    try bench.snapshot("demo", at: 4, UnreadableTests.large)
    try damage("canvas.snapshots")
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("two"))
    #expect(try bench.verifyPart().damages == [.damagedSnapshot(room: "demo", position: 4)])
    let trim = try bench.trim("demo", through: 4)
    #expect(trim == .trimmed(id: bench.lastId, room: "demo", through: 2))
    try ask("DELETE FROM canvas.snapshots WHERE position = 2")
    #expect(try bench.load("demo").error == .damagedSnapshot(room: "demo", position: 4))
    try ask("UPDATE canvas.rooms SET trimmed = 0")
    let loaded = try bench.load("demo").loaded
    #expect(loaded != nil && loaded?.snapshot == nil)
  }

  @Test("numbers that no log stores are read without harm")
  func numbers() throws {
    let bench = try LogBench(.postgres)
    for room in ["a", "b", "c"] {
      try bench.append(room, [bytes("1"), bytes("2")])
      _ = try bench.snapshot(room, at: 1, bytes("state"))
    }
    let node = try bench.follower(of: "a", after: 2)
    defer { node.log.close() }
    for (id, room) in [2: "b", 3: "c"] as [UInt64: String] {
      node.log.submit(.follow(FollowRequest(id: id, room: room, epoch: LogBench.epoch, after: 2)))
      #expect(node.events.answer(to: id) == .following(id: id, room: room))
    }
    try TestDatabase.ask(
      """
      UPDATE canvas.rooms SET last = -1, trimmed = -2, operations = -3, created = -4, changed = -5;
      UPDATE canvas.snapshots SET position = -1, milliseconds = -1, operations = -1, shapes = -1;
      UPDATE canvas.records SET milliseconds = -1, operations = -1
      """,
      in: bench.directory
    )
    for room in ["a", "b", "c"] {
      #expect(node.events.first { if case .otherTimeline(_, lost: room) = $0 { true } else { false } } != nil)
    }
    for room in ["a", "b", "c"] {
      _ = try bench.load(room)
      _ = try bench.ask { .read(ReadRequest(id: $0, room: room, after: 0)) }
      _ = try bench.ask { .verify(id: $0, room: room) }
      _ = try bench.ask { .trim(TrimRequest(id: $0, room: room, epoch: LogBench.epoch, through: 2)) }
      _ = try bench.append(room, [bytes("3")])
    }
    #expect(try bench.summaries().count == 3)
  }
}
