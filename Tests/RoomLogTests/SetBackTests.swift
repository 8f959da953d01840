import Glibc
import Testing

@testable import RoomLog

/// The database loses records that it had reported. This happens when a machine without a synchronous standby is lost.
@Suite("A log that goes back", .enabled(if: TestDatabase.isThere))
struct SetBackTests {
  /// Removes the last record of a room, as if it had never been stored.
  private static func lose(_ room: String, in url: String, hangingUp: Bool = false) throws {
    var command = """
      DELETE FROM canvas.records USING canvas.rooms WHERE room = number AND name = '\(room)' AND position = last;
      UPDATE canvas.rooms SET last = last - 1 WHERE name = '\(room)';
      """
    if hangingUp { command += hangUp }
    try TestDatabase.ask(command, in: url)
  }

  private static let hangUp = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
    """

  private func isLost(_ room: String) -> (LogEvent) -> Bool {
    { if case .otherTimeline(_, room) = $0 { true } else { false } }
  }

  @Test("a room of which less is stored than was reported is left, and can be followed anew")
  func found() throws {
    let bench = try LogBench(.postgres)
    try bench.append("demo", [bytes("a")])
    let lost = try bench.add("demo", ["b"])[0].position
    _ = try bench.follow("demo", after: lost)
    try SetBackTests.lose("demo", in: bench.directory)
    #expect(bench.events.first(where: isLost("demo")) == .otherTimeline(1, lost: "demo"))
    #expect(bench.log.statistics().following?.roomsSetBack == 1)
    // The node doesn't know yet that records were lost. Its append is refused, because it might depend on them.
    #expect(try bench.append("demo", [bytes("c")], mayCreate: false).isUnavailable)
    #expect(try bench.follow("demo", after: lost).isUnavailable)
    #expect(try bench.snapshot("demo", at: lost, bytes("state")).isUnavailable)
    let kept = lost - 1
    #expect(try bench.follow("demo", after: kept, timeline: 1).error == nil)
    let other = try bench.append("demo", [bytes("d")], mayCreate: false, timeline: 1)
    #expect(other.appended?.records.map(\.position) == [lost])
    #expect(try bench.records("demo").map(\.bytes) == [bytes("a"), bytes("d")])
  }

  @Test("an append that is stored where something was reported shows that the log went back")
  func appended() throws {
    let bench = try LogBench(.postgres)
    let last = try bench.add("demo", ["a", "b"])[1].position
    _ = try bench.follow("demo", after: last)
    try SetBackTests.lose("demo", in: bench.directory)
    let answer = try bench.append("demo", [bytes("c")], mayCreate: false)
    // Either this append makes the node notice the loss and is refused, or the node noticed the loss before and the
    // append succeeds.
    #expect(answer.isUnavailable || answer.appended?.records.map(\.position) == [last])
    #expect(bench.events.first(where: isLost("demo")) != nil)
    let events = bench.events.all
    let left = try #require(events.firstIndex(where: isLost("demo")))
    #expect(events.firstIndex(of: answer).map { $0 > left } == true, "it is reported after the room was left")
  }

  @Test("tables that somebody takes away are waited for, not made anew, and no room counts as deleted")
  func tablesTakenAway() throws {
    let bench = try LogBench(.postgres)
    let last = try bench.add("demo", ["a"])[0].position
    _ = try bench.follow("demo", after: last)
    try TestDatabase.ask("ALTER SCHEMA canvas RENAME TO aside", in: bench.directory)
    try TestDatabase.ask(SetBackTests.hangUp, in: bench.directory)
    let isMissed: (LogEvent) -> Bool = { if case .availability(room: nil, .unfit?) = $0 { true } else { false } }
    #expect(bench.events.first(where: isMissed) != nil)
    try TestDatabase.ask("ALTER SCHEMA aside RENAME TO canvas", in: bench.directory)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    #expect(try bench.append("demo", [bytes("b")], mayCreate: false).appended?.records[0].position == last + 1)
    #expect(!bench.events.all.contains { if case .deleted = $0 { true } else { false } })
  }

  @Test("a room that is deleted while a connection breaks is told of as deleted")
  func deletedMeanwhile() throws {
    let bench = try LogBench(.postgres)
    let last = try bench.add("demo", ["a"])[0].position
    _ = try bench.follow("demo", after: last)
    try TestDatabase.ask("DELETE FROM canvas.rooms; \(SetBackTests.hangUp)", in: bench.directory)
    let end = bench.events.first { event in
      if case .deleted = event { true } else { event.isOtherTimeline }
    }
    #expect(end == .deleted(id: nil, room: "demo", epoch: LogBench.epoch))
  }

  @Test("a room that was opened as absent is told of, or left to be opened anew, when its deletion is lost")
  func lostDeletion() throws {
    let bench = try LogBench(.postgres)
    let records = try bench.add("whole", ["a", "b"])
    let last = try bench.add("trimmed", ["a"])[0].position
    try bench.snapshot("trimmed", at: last, bytes("state"))
    try bench.trim("trimmed", through: last)
    try TestDatabase.ask(
      "CREATE TABLE kept_rooms AS TABLE canvas.rooms; CREATE TABLE kept_records AS TABLE canvas.records",
      in: bench.directory
    )
    for room in ["whole", "trimmed"] {
      try bench.delete(room)
      #expect(try bench.follow(room, epoch: nil, after: 0).error == nil)
    }
    try TestDatabase.ask(
      """
      DELETE FROM canvas.dropped;
      INSERT INTO canvas.rooms OVERRIDING SYSTEM VALUE TABLE kept_rooms;
      INSERT INTO canvas.records TABLE kept_records ON CONFLICT DO NOTHING;
      \(SetBackTests.hangUp)
      """,
      in: bench.directory
    )
    let told = AppendedRecords(id: nil, room: "whole", epoch: LogBench.epoch, records: records)
    #expect(bench.events.first { $0 == .appended(told) } != nil)
    // The node lacks records that are already trimmed, so it has to load this room again.
    #expect(bench.events.first { $0 == .unfollowed(id: nil, room: "trimmed") } != nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    #expect(try bench.append("whole", [bytes("c")], mayCreate: false).appended?.records[0].position == 3)
    #expect(!bench.events.all.contains { $0.isOtherTimeline })
  }

  @Test("after a connection broke, a room in which something else is stored than was reported is left")
  func replaced() throws {
    let bench = try LogBench(.postgres)
    for room in ["same", "other"] {
      let last = try bench.add(room, ["a", "b"])[1].position
      _ = try bench.follow(room, after: last)
      _ = try #require(try bench.append(room, [bytes("c")], mayCreate: false).appended)
    }
    // Gives the last record another writer. It then looks like a record that another node has stored in place of a lost
    // one.
    try TestDatabase.ask(
      """
      UPDATE canvas.records SET writer = 1 FROM canvas.rooms WHERE room = number AND name = 'other' AND position = last;
      \(SetBackTests.hangUp)
      """,
      in: bench.directory
    )
    #expect(bench.events.first(where: isLost("other")) != nil)
    #expect(bench.events.first { $0 == .availability(room: nil, nil) } != nil)
    let number = try #require(
      bench.events.all.compactMap { if case .otherTimeline(let number, _) = $0 { number } else { nil } }.last
    )
    #expect(try bench.append("same", [bytes("d")], mayCreate: false, timeline: number).appended != nil)
    #expect(!bench.events.all.contains(where: isLost("same")))
  }

  @Test("a room in which something else is stored is left, too, where the connection for writing is back first")
  func replacedBeforeAnAppend() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let last = try bench.add("demo", ["a", "b"])[1].position
    let node = try bench.follower(of: "demo", after: last, isPatient: false)
    node.log.submit(.append(LogBench.append(2, "demo", [bytes("c")], mayCreate: false)))
    _ = try #require(node.events.answer(to: 2)?.appended)
    bench.proxy?.hold("canvas follower")
    try TestDatabase.ask(
      """
      UPDATE canvas.records SET writer = 1 FROM canvas.rooms WHERE room = number AND name = 'demo' AND position = last;
      \(SetBackTests.hangUp)
      """,
      in: bench.directory
    )
    _ = try #require(node.events.first { $0 == .availability(room: nil, nil) })
    node.log.submit(.append(LogBench.append(3, "demo", [bytes("d")], mayCreate: false)))
    let isStored = "SELECT FROM canvas.records OFFSET 3"
    try TestDatabase.ask(
      "DO $$ BEGIN WHILE NOT EXISTS(\(isStored)) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$",
      in: bench.directory
    )
    bench.proxy?.hold(nil)
    #expect(node.events.first(where: isLost("demo")) != nil)
    // The last append is stored and not acknowledged.
    try TestDatabase.ask(
      "DELETE FROM canvas.records WHERE position = 4; UPDATE canvas.rooms SET last = 3",
      in: bench.directory
    )
  }

  @Test("after a connection broke, rooms that are as they were go on, with appends of others that were missed")
  func unchanged() throws {
    let bench = try LogBench(.postgres)
    let other = try bench.secondNode()
    let last = try bench.add("demo", ["a"])[0].position
    _ = try bench.follow("demo", after: last)
    for round in 1...5 {
      try TestDatabase.ask(SetBackTests.hangUp, in: bench.directory)
      var answer: LogEvent?
      // Tries the append again until the node is connected.
      while answer?.appended == nil {
        let id = bench.nextId()
        other.log.submit(.append(LogBench.append(id, "demo", [bytes("\(round)")], mayCreate: false)))
        answer = other.events.answer(to: id)
      }
      #expect(bench.events.records(of: "demo", atLeast: round + 1)?.count == round + 1)
    }
    #expect(!bench.events.all.contains { $0.isOtherTimeline })
  }

  @Test("the reason for refusing an append is reported for its room, and other appends in the same commit are stored")
  func refusedRoom() throws {
    let bench = try LogBench(.postgres)
    for room in ["bad", "good"] { try bench.append(room, [bytes("a")]) }
    try TestDatabase.ask(SetBackTests.foreignRecord(in: "bad"), in: bench.directory)
    let ids = (0..<6).map { _ in bench.nextId() }
    bench.log.submit(
      ids.map { .append(LogBench.append($0, $0 % 2 == 0 ? "bad" : "good", [bytes("\($0)")], mayCreate: false)) }
    )
    for id in ids {
      let answer = try #require(bench.events.answer(to: id))
      #expect(id % 2 == 0 ? answer.isUnavailable : answer.appended != nil)
    }
    func told() -> [LogEvent] {
      bench.events.all.filter { $0.isAvailability }
    }
    guard case .availability(room: "bad", .some) = try #require(told().first) else {
      Issue.record("\(told())")
      return
    }
    #expect(told().count == 1)
    #expect(bench.log.statistics().following?.roomsRefused == 1)
    #expect(bench.log.statistics().following?.reconnects == 0)
    let stored = ids.filter { $0 % 2 == 1 }.map { bytes("\($0)") }
    #expect(try bench.records("good").map(\.bytes) == [bytes("a")] + stored)
    try TestDatabase.ask(
      "DELETE FROM canvas.records USING canvas.rooms WHERE room = number AND position > last",
      in: bench.directory
    )
    #expect(try bench.append("bad", [bytes("b")], mayCreate: false).appended != nil)
    #expect(told().last == .availability(room: "bad", nil))
    #expect(bench.log.statistics().following?.roomsRefused == 0)
  }

  @Test("once the database has refused a room, others' commits are not rolled back for it")
  func refusedRoomAlone() throws {
    let bench = try LogBench(.postgres)
    for room in ["bad", "good"] { try bench.append(room, [bytes("a")]) }
    try TestDatabase.ask(SetBackTests.foreignRecord(in: "bad"), in: bench.directory)
    #expect(try bench.append("bad", [bytes("b")], mayCreate: false).isUnavailable)
    let before = bench.log.statistics().failedCommits
    let ids = (0..<6).map { _ in bench.nextId() }
    bench.log.submit(
      ids.map { .append(LogBench.append($0, $0 == ids[2] ? "bad" : "good", [bytes("\($0)")], mayCreate: false)) }
    )
    for id in ids {
      let answer = try #require(bench.events.answer(to: id))
      #expect(id == ids[2] ? answer.isUnavailable : answer.appended != nil)
    }
    #expect(bench.log.statistics().failedCommits == before + 1)
    // The appends that come after the refused one are committed together.
    #expect(bench.events.first { if case .committed(let report) = $0 { report.records == 3 } else { false } } != nil)
  }

  @Test("a room that the database refused counts no longer once it is deleted, here or elsewhere, or closed")
  func refusedRoomGone() throws {
    let bench = try LogBench(.postgres)
    let other = try bench.secondNode()
    func refused() -> Int? { bench.log.statistics().following?.roomsRefused }
    for room in ["here", "elsewhere", "closed"] {
      let last = try bench.add(room, ["a"])[0].position
      #expect(try bench.follow(room, after: last) == .following(id: bench.lastId, room: room))
      try TestDatabase.ask(SetBackTests.foreignRecord(in: room), in: bench.directory)
      #expect(try bench.append(room, [bytes("b")], mayCreate: false).isUnavailable)
      #expect(refused() == 1)
      switch room {
      case "here": try bench.delete(room)
      case "closed": _ = try bench.ask { .unfollow(id: $0, room: room) }
      default:
        other.log.submit(.delete(id: 1, room: room))
        let isDeleted = { (event: LogEvent) in
          if case .deleted(nil, room: room, _) = event { true } else { false }
        }
        #expect(bench.events.first(where: isDeleted) != nil)
      }
      #expect(refused() == 0)
    }
    // The room no longer exists, so the log must not report that the room can be written again.
    #expect(!bench.events.all.contains { if case .availability(.some, nil) = $0 { true } else { false } })
  }

  /// Inserts another writer's row at the position of the room's next record, so that the database rejects the next
  /// append.
  private static func foreignRecord(in room: String) -> String {
    """
    INSERT INTO canvas.records SELECT number, last + 1, 0, 0, 0, 0, 0, '' FROM canvas.rooms WHERE name = '\(room)'
    """
  }
}
