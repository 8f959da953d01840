import Glibc
import Testing

@testable import RoomLog

@Suite("Background work beside other nodes", .enabled(if: TestDatabase.isThere))
struct PostgresChoresTests {
  private let bench: LogBench

  init() throws {
    bench = try LogBench(.postgres, options: SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 10_000) })
  }

  private func ask(_ command: String) throws { try TestDatabase.ask(command, in: bench.directory) }

  private func rows(_ query: String) throws -> [String] {
    try TestDatabase.rows(query, in: bench.directory).filter { !$0.isEmpty }
  }

  /// SQL that waits until a condition on the sessions of this database is true.
  private func wait(untilSession condition: String, or other: String = "false") -> String {
    """
    DO $$ BEGIN
    WHILE NOT (\(other)) AND NOT EXISTS(SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(condition)) LOOP
    PERFORM pg_stat_clear_snapshot(), pg_sleep(0.002);
    END LOOP;
    END $$
    """
  }

  private static let clearDropped = """
    PREPARE clear(int8, int8, int8) AS \(PostgresStatement.clearDropped.text); EXECUTE clear(5000, 1000, 0)
    """

  @Test("a room isn't deleted while a snapshot of it is being stored, so no snapshot outlasts its room")
  func deletedMeanwhile() throws {
    try bench.append("demo", [bytes("a")])
    // Another node stores a snapshot. It commits when the deletion waits for it, or else once everything is deleted.
    let isGone = "NOT EXISTS(SELECT FROM canvas.rooms) AND NOT EXISTS(SELECT FROM canvas.dropped)"
    let keeping = try TestDatabase.begin(
      """
      PREPARE keep(text, int8, int8, int8, int8, bytea, int8, int8) AS \(PostgresStatement.keep.text);
      BEGIN;
      EXECUTE keep('demo', \(LogBench.epoch), 1, 0, 0, 'state', 0, 0);
      \(wait(untilSession: "pg_backend_pid() = ANY(pg_blocking_pids(pid))", or: isGone));
      COMMIT
      """,
      in: bench.directory
    )
    try ask(wait(untilSession: "wait_event = 'PgSleep'"))
    try bench.delete("demo")
    while try !rows("SELECT room FROM canvas.dropped").isEmpty { try ask(PostgresChoresTests.clearDropped) }
    try keeping.end()
    #expect(try rows("SELECT room FROM canvas.snapshots").isEmpty)
  }

  @Test("a room that another node is deleting isn't locked, so no lock outlasts its room")
  func lockedMeanwhile() throws {
    try bench.append("demo", [bytes("a")])
    // The other node commits when the lock waits for it, or else once the lock is stored.
    let deleting = try TestDatabase.begin(
      """
      BEGIN;
      DELETE FROM canvas.rooms;
      \(wait(untilSession: "pg_backend_pid() = ANY(pg_blocking_pids(pid))", or: "EXISTS(SELECT FROM canvas.locks)"));
      COMMIT
      """,
      in: bench.directory
    )
    try ask(wait(untilSession: "wait_event = 'PgSleep'"))
    let answer = try bench.ask { .lock(id: $0, room: "demo", isLocked: true) }
    #expect(answer == .failed(id: bench.lastId, room: "demo", .noSuchRoom(room: "demo")))
    try deleting.end()
    #expect(try rows("SELECT room FROM canvas.locks").isEmpty)
  }

  @Test("a room's lock is deleted with the room, and no other lock is")
  func lockOfDeleted() throws {
    for room in ["demo", "other"] {
      try bench.append(room, [bytes("a")])
      #expect(try bench.ask { .lock(id: $0, room: room, isLocked: true) }.error == nil)
    }
    try bench.delete("demo")
    #expect(try rows("SELECT room FROM canvas.locks") == ["other"])
    // The deletion is told first. Otherwise the room's people would come back to a new room.
    #expect(bench.events.first { $0 == .locks(["other"]) } != nil)
    let told = bench.events.all
    let deletion = try #require(told.firstIndex { if case .deleted = $0 { true } else { false } })
    #expect(try #require(told.firstIndex(of: .locks(["other"]))) > deletion)
    #expect(try bench.ask { .delete(id: $0, room: "demo") }.error == .noSuchRoom(room: "demo"))
    #expect(try rows("SELECT room FROM canvas.locks") == ["other"])
  }

  @Test("a node that stands still while it holds a room for background work is ended, and the room goes on")
  func silentHelper() throws {
    try bench.append("demo", [bytes("a")])
    let directory = temporaryDirectory()
    let end = directory + "/end"
    defer { remove(directory: directory) }
    let commands = ["SET application_name = 'canvas helper'", "BEGIN", "SELECT FROM canvas.rooms FOR NO KEY UPDATE"]
    let holding = try TestDatabase.begin(
      "\\! until [ -e '\(end)' ]; do sleep 0.02; done",
      in: bench.directory,
      commands.flatMap { ["--command", $0] }
    )
    try ask(wait(untilSession: "application_name = 'canvas helper' AND state = 'idle in transaction'"))
    #expect(try bench.append("demo", [bytes("b")], mayCreate: false).appended != nil)
    fclose(fopen(end, "w"))
    _ = holding.succeeds()
  }

  @Test("a deleted room whose rows the database doesn't let go keeps no other from being cleared")
  func refusedClearing() throws {
    for room in ["a", "b", "c"] { try bench.append(room, [bytes("1")]) }
    try ask(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
      CREATE TRIGGER refuse BEFORE DELETE ON canvas.records FOR EACH ROW WHEN (OLD.room = 1) EXECUTE FUNCTION refuse();
      INSERT INTO canvas.dropped SELECT number FROM canvas.rooms WHERE name < 'c';
      DELETE FROM canvas.rooms WHERE name < 'c';
      """
    )
    // A node clears at once when it begins.
    let node = try bench.secondNode()
    defer { node.log.close() }
    try ask(
      """
      DO $$ BEGIN
      WHILE EXISTS(SELECT FROM canvas.records WHERE room = 2) LOOP PERFORM pg_sleep(0.002); END LOOP;
      END $$
      """
    )
    #expect(try rows("SELECT room FROM canvas.records ORDER BY 1") == ["1", "3"])
    #expect(node.events.first { if case .concern(let words) = $0 { words.contains("number 1") } else { false } } != nil)
  }

  @Test("a room whose history the database doesn't let go keeps no other room from losing its own")
  func refusedRetention() throws {
    for room in ["a", "b", "c"] {
      try bench.append(room, [bytes("1"), bytes("2")])
      try bench.snapshot(room, at: 1, bytes("state"))
    }
    try ask(
      """
      UPDATE canvas.snapshots SET milliseconds = 1;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
      CREATE TRIGGER refuse BEFORE UPDATE ON canvas.rooms FOR EACH ROW WHEN (OLD.name = 'b') EXECUTE FUNCTION refuse();
      """
    )
    #expect(try bench.ask { .retain(id: $0, milliseconds: 100_000) } == .retained(id: bench.lastId))
    #expect(try rows("SELECT trimmed FROM canvas.rooms ORDER BY name") == ["1", "0", "1"])
    let told = bench.events.all.compactMap { if case .concern(let words) = $0 { words } else { nil } }
    #expect(told.count == 1 && told.first?.contains("room b") == true)
  }

  @Test("with the trimming of a room go the snapshots before it, so that none stays if the node ends then")
  func snapshotsOfTrimmed() throws {
    for room in ["demo", "other"] { try bench.append(room, ["a", "b", "c"].map(bytes)) }
    try ask(
      """
      INSERT INTO canvas.snapshots(room, position, milliseconds, operations, shapes, checksum, bytes)
      SELECT number, position, 0, 0, 0, 0, '' FROM canvas.rooms, generate_series(1, 3) AS position;
      PREPARE trim(text, int8, int8) AS \(PostgresStatement.trim.text);
      EXECUTE trim('demo', \(LogBench.epoch), 2)
      """
    )
    let left = "SELECT position FROM canvas.snapshots JOIN canvas.rooms ON number = room"
    #expect(try rows("\(left) WHERE name = 'demo' ORDER BY 1") == ["2", "3"])
    #expect(try rows("\(left) WHERE name = 'other' ORDER BY 1") == ["1", "2", "3"])
  }

  @Test("records are deleted some at a time, by their size, too")
  func slices() throws {
    for room in ["trimmed", "deleted"] {
      try bench.append(room, (0..<4).map { _ in [UInt8](repeating: 1, count: 600) })
    }
    func left() throws -> [String] { try rows("SELECT position FROM canvas.records ORDER BY 1") }
    try ask("UPDATE canvas.rooms SET trimmed = 3 WHERE name = 'trimmed'")
    try ask("PREPARE clear(text, int8, int8) AS \(PostgresStatement.clear.text); EXECUTE clear('trimmed', 5000, 1000)")
    #expect(try left() == ["1", "2", "3", "3", "4", "4"])
    try ask("PREPARE clear(text, int8, int8) AS \(PostgresStatement.clear.text); EXECUTE clear('trimmed', 1, 10000)")
    #expect(try left() == ["1", "2", "3", "4", "4"])
    try ask(
      """
      INSERT INTO canvas.dropped(room) SELECT number FROM canvas.rooms WHERE name = 'deleted';
      DELETE FROM canvas.rooms WHERE name = 'deleted';
      \(PostgresChoresTests.clearDropped)
      """
    )
    #expect(try left() == ["3", "4", "4"])
  }
}
