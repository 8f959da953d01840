import Glibc
import Testing

@testable import RoomLog

@Suite("A lock that another session holds in the database", .enabled(if: TestDatabase.isThere))
struct HeldLockTests {
  @Test("a locked room is refused after a while, and the others go on", arguments: [false, true])
  func room(hasOthers: Bool) throws {
    let bench = try LogBench(.postgres)
    for room in ["demo", "other"] { try bench.append(room, [bytes("a")]) }
    let directory = temporaryDirectory()
    let end = directory + "/end"
    defer { remove(directory: directory) }
    let commands = [
      "BEGIN", "SELECT FROM canvas.rooms WHERE name = 'demo' FOR UPDATE",
      "\\! until [ -e '\(end)' ]; do sleep 0.02; done",
    ]
    let holding = try TestDatabase.begin("COMMIT", in: bench.directory, commands.flatMap { ["--command", $0] })
    var isHeld = true
    func release() {
      guard isHeld else { return }
      isHeld = false
      fclose(fopen(end, "w"))
      _ = holding.succeeds()
    }
    // The session ends however the test ends.
    defer { release() }
    try TestDatabase.ask(
      """
      DO $$ BEGIN
      WHILE NOT EXISTS(SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%FOR UPDATE') LOOP
      PERFORM pg_stat_clear_snapshot(), pg_sleep(0.002);
      END LOOP;
      END $$
      """,
      in: bench.directory
    )
    let ids = (0..<4).map { _ in bench.nextId() }
    let rooms = ["demo", hasOthers ? "other" : "demo", "demo", "demo"]
    bench.log.submit(zip(ids, rooms).map { .append(LogBench.append($0, $1, [bytes("b")], mayCreate: false)) })
    for (id, room) in zip(ids, rooms) {
      let answer = try #require(bench.events.answer(to: id))
      #expect(room == "demo" ? answer.isUnavailable : answer.appended != nil)
    }
    let told = bench.events.first { if case .availability("demo", _?) = $0 { true } else { false } }
    guard case .availability(_, .database(let words)?)? = told else {
      Issue.record("nothing is said of the room")
      return
    }
    #expect(words.contains("pg_locks"))
    #expect(bench.log.statistics().following?.reconnects == 0)
    release()
    #expect(try bench.append("demo", [bytes("c")], mayCreate: false).appended != nil)
    #expect(bench.events.all.contains(.availability(room: "demo", nil)))
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
