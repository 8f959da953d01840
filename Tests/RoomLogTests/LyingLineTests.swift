import Basics
import Glibc
import Testing

@testable import RoomLog

/// Nodes that block or overtake each other in their database at the worst moments, and a database that loses or damages
/// what it had reported.
@Suite("Nodes at the worst moment", .enabled(if: TestDatabase.isThere))
struct LyingLineTests {
  private let bench: LogBench
  private let proxy: CuttingProxy

  init() throws {
    let options = SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 10_000) }
    bench = try LogBench(.cutPostgres, options: options, commitsBetweenCuts: nil)
    proxy = try #require(bench.proxy)
  }

  private func ask(_ command: String) throws { try TestDatabase.ask(command, in: bench.directory) }

  /// Fails the test unless the SQL condition is true.
  private func require(_ condition: String) throws {
    try ask("DO $$ BEGIN IF NOT (\(condition)) THEN RAISE EXCEPTION 'it is not so'; END IF; END $$")
  }

  /// Waits until the SQL condition is true.
  private func wait(until condition: String) throws {
    // PostgreSQL caches its statistics for the length of a transaction, so this cache is cleared before each check.
    let pause = "PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.002);"
    try ask("DO $$ BEGIN WHILE NOT (\(condition)) LOOP \(pause) END LOOP; END $$")
  }

  /// Runs a command that takes locks, and keeps the locks while `body` runs.
  private func locking(_ command: String, _ body: () throws -> Void) throws {
    // `to_regclass` would not work here: within one statement, PostgreSQL remembers that a table doesn't exist.
    let isEnough = "EXISTS(SELECT FROM pg_class WHERE relname = 'enough')"
    let end = "DO $$ BEGIN WHILE NOT \(isEnough) LOOP PERFORM pg_sleep(0.002); END LOOP; END $$"
    let locks = try TestDatabase.begin("BEGIN; \(command); \(end); COMMIT", in: bench.directory)
    try wait(
      until: """
        EXISTS(SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND application_name = 'psql' AND wait_event = 'PgSleep')
        """
    )
    try body()
    try ask("CREATE TABLE public.enough()")
    try locks.end()
    try ask("DROP TABLE public.enough")
  }

  /// Ends the connections over which nodes follow rooms, and waits until they have ended. Until then they would still
  /// answer.
  private func endFollowers() throws {
    try ask(
      """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'canvas follower'
      """
    )
  }

  private static func waits(_ name: String) -> String {
    """
    EXISTS(SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = '\(name)'
      AND wait_event_type = 'Lock')
    """
  }

  private static let isUnfollowed = LogEvent.unfollowed(id: nil, room: "demo")

  // MARK: Snapshots

  @Test("a snapshot is stored only of a room that is followed here, in this life of it, and as far as was reported")
  func snapshots() throws {
    let last = try bench.add("demo", ["a", "b"])[1].position
    func keep(_ position: UInt64 = last, epoch: UInt64 = LogBench.epoch) throws -> LogEvent {
      try bench.snapshot("demo", at: position, bytes("state"), epoch: epoch, isCopy: false)
    }
    let node = try bench.secondNode(isPatient: false)
    let request = SnapshotRequest(id: 1, room: "demo", epoch: LogBench.epoch, position: last, shapes: 0, bytes: [])
    node.log.submit(.snapshot(request))
    #expect(node.events.answer(to: 1)?.isUnavailable == true)
    try require("NOT EXISTS(SELECT FROM canvas.snapshots)")
    _ = try bench.follow("demo", after: last)
    #expect(try keep() == .snapshotted(id: bench.lastId, room: "demo", position: last))
    // From here on, the proxy withholds the notifications of records that other nodes store.
    proxy.hold("canvas follower")
    node.log.submit(.append(LogBench.append(2, "demo", [bytes("c")], mayCreate: false)))
    #expect(node.events.answer(to: 2)?.appended != nil)
    var later = request
    later.id = 3
    later.position = last + 1
    node.log.submit([.follow(FollowRequest(id: 4, room: "demo", epoch: 9, after: 0)), .snapshot(later)])
    #expect(node.events.answer(to: 3)?.isUnavailable == true)
    proxy.hold(nil)
  }

  @Test("a room that can't be followed isn't followed: nothing of it is told, and no snapshot of it is stored")
  func refusedFollowing() throws {
    let node = try bench.secondNode(isPatient: false)
    proxy.hold("canvas follower")
    try endFollowers()
    // The log doesn't know yet that this connection has ended, so it uses the connection for the request.
    node.log.submit(.follow(FollowRequest(id: 1, room: "room-1", epoch: nil, after: 0)))
    proxy.hold(nil)
    #expect(node.events.answer(to: 1)?.isUnavailable == true)
    var refused: [UInt64] = [1]
    var id: UInt64 = 1
    while true {
      id += 1
      node.log.submit(.follow(FollowRequest(id: id, room: "room-\(id)", epoch: nil, after: 0)))
      let answer: LogEvent = try #require(node.events.answer(to: id))
      guard answer.error != nil else { break }
      refused.append(id)
      usleep(2_000)
    }
    for number in refused.prefix(3) { try bench.append("room-\(number)", [bytes("a")]) }
    try bench.append("room-\(id)", [bytes("a")])
    #expect(node.events.records(of: "room-\(id)", atLeast: 1) != nil)
    #expect(node.events.all.compactMap(\.appended).allSatisfy { $0.room == "room-\(id)" })
  }

  @Test("two requests to follow a room get two answers, even if the connection is lost before that")
  func refusedTwice() throws {
    let node = try bench.secondNode(isPatient: false)
    proxy.hold("canvas follower")
    try endFollowers()
    node.log.submit((1...2).map { .follow(FollowRequest(id: $0, room: "room", epoch: nil, after: 0)) })
    proxy.hold(nil)
    for id in 1...2 as ClosedRange<UInt64> { #expect(node.events.answer(to: id)?.isUnavailable == true) }
  }

  @Test("an answer about a room from before it was left doesn't count for the same room that is followed since")
  func followedAnew() throws {
    try bench.append("demo", ["a", "b"].map(bytes))
    let node = try bench.secondNode(isPatient: false)
    proxy.hold("canvas follower")
    node.log.submit([
      .follow(FollowRequest(id: 1, room: "demo", epoch: nil, after: 0)), .unfollow(id: 2, room: "demo"),
      .follow(FollowRequest(id: 3, room: "demo", epoch: LogBench.epoch, after: 2)),
    ])
    #expect(node.events.answer(to: 2) != nil)
    try endFollowers()
    proxy.hold(nil)
    #expect(node.events.answer(to: 1)?.error == .noSuchRoom(room: "demo"))
    // The connection was lost before the log had begun to follow the room. So the answer to this request reports the
    // loss.
    #expect(node.events.answer(to: 3)?.isUnavailable == true)
  }

  // MARK: Retention

  @Test("retention doesn't trim a room that has another's name, which was deleted meanwhile")
  func retentionOfNamesakes() throws {
    for room in ["a", "b"] {
      try bench.append(room, (0..<30).map { bytes("\($0)") })
      try bench.snapshot(room, at: 30, bytes("state"))
    }
    let other = try bench.secondNode()
    let retain = bench.nextId()
    try locking("SELECT FROM canvas.rooms WHERE name = 'a' FOR UPDATE") {
      bench.log.submit(.retain(id: retain, milliseconds: 100_000))
      try wait(until: LyingLineTests.waits("canvas helper"))
      other.log.submit([
        .delete(id: 1, room: "b"), .append(LogBench.append(2, "b", (0..<5).map { bytes("new \($0)") }, epoch: 7)),
      ])
      #expect(other.events.answer(to: 2)?.appended != nil)
    }
    #expect(bench.events.answer(to: retain) == .retained(id: retain))
    let summaries = try bench.summaries()
    #expect(summaries.map(\.trimmed) == [30, 0])
    #expect(try bench.records("b").count == 5)
  }

  @Test("a node that drops a snapshot while another trims to it leaves a room that can be read from its beginning")
  func retentionAtTwoNodes() throws {
    try bench.append("demo", (0..<10).map { bytes("\($0)") })
    try bench.snapshot("demo", at: 3, bytes("three"))
    let other = try bench.secondNode()
    let keep = bench.nextId()
    var snapshot = SnapshotRequest(keep, at: 9, bytes("nine"))
    snapshot.isCopy = true
    try locking("SELECT FROM canvas.snapshots WHERE position = 3 FOR UPDATE") {
      // This snapshot replaces the snapshot at position 3, so the log deletes the old one.
      bench.log.submit(.snapshot(snapshot))
      try wait(until: LyingLineTests.waits("canvas helper"))
      other.log.submit(.trim(TrimRequest(id: 1, room: "demo", epoch: LogBench.epoch, through: 3)))
      // Waits until the other node has trimmed the room, or until its trimming waits for a lock.
      try wait(
        until: """
          EXISTS(SELECT FROM canvas.rooms WHERE trimmed = 3) OR (SELECT count(*) = 2 FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'canvas helper' AND wait_event_type = 'Lock')
          """
      )
    }
    #expect(bench.events.answer(to: keep)?.error == nil && other.events.answer(to: 1)?.error == nil)
    let trimmed = try #require(try bench.summaries().first).trimmed
    let base = try bench.load("demo", through: .position(trimmed))
    #expect(trimmed == 0 || base.loaded?.snapshot?.place.position == trimmed, "\(base)")
    #expect(try bench.records("demo", after: trimmed).count == 10 - Int(trimmed))
  }

  @Test("a node whose clock is days ahead trims nothing that others have stored a moment ago")
  func retentionByAWrongClock() throws {
    let now = WallClock.milliseconds()
    _ = try bench.ask {
      .append(LogBench.append($0, "demo", [bytes("a"), bytes("b")], at: now))
    }
    try bench.snapshot("demo", at: 2, bytes("state"))
    _ = try bench.ask { .retain(id: $0, milliseconds: now + 10 * 86_400_000) }
    #expect(try bench.records("demo").count == 2)
  }

  @Test("what a node stores whose clock is days behind is not old, but what is copied is")
  func storingByAWrongClock() throws {
    let (now, week) = (WallClock.milliseconds(), UInt64(7 * 86_400_000))
    for (room, isCopy) in [("live", false), ("copied", true)] {
      _ = try bench.ask { .append(LogBench.append($0, room, [bytes("a")], at: now - week, isCopy: isCopy)) }
    }
    let times = Dictionary(uniqueKeysWithValues: try bench.summaries().map { ($0.room, $0.changedMilliseconds) })
    #expect(times["copied"] == now - week)
    #expect(times["live"].map { $0 + 61_000 > now } == true, "\(times)")
  }

  @Test("records that a room was trimmed of are freed also where the node that trimmed it has ended meanwhile")
  func clearing() throws {
    try bench.append("demo", (0..<10).map { bytes("\($0)") })
    try bench.snapshot("demo", at: 8, bytes("state"))
    try ask("UPDATE canvas.rooms SET trimmed = 8")
    #expect(try bench.ask { .retain(id: $0, milliseconds: 0) } == .retained(id: bench.lastId))
    try require("(SELECT array_agg(position ORDER BY position) = '{9,10}' FROM canvas.records)")
  }

  // MARK: Following

  /// A node that follows a room and gets no notifications about it. Another node has stored a record in the room, and
  /// this node has stored a later one.
  private func deafNode(epoch: UInt64? = LogBench.epoch) throws -> LogBench.Node {
    let node = try bench.follower(of: "demo", epoch: epoch, after: epoch == nil ? 0 : 1, isPatient: false)
    proxy.hold("canvas follower")
    try bench.append("demo", [bytes("there")])
    node.log.submit(.append(LogBench.append(2, "demo", [bytes("here")])))
    while node.log.statistics().commits == 0 { usleep(1_000) }
    return node
  }

  @Test(
    "an own append that is lost before it could be told isn't told in the place of another's record",
    arguments: [true, false]
  )
  func lostOwnAppend(isReplaced: Bool) throws {
    try bench.append("demo", [bytes("first")])
    let node = try deafNode()
    let other = bytes("another's")
    try ask(
      """
      DELETE FROM canvas.records WHERE position = 3;
      \(isReplaced
        ? "INSERT INTO canvas.records SELECT room, 3, 0, 3, 1, 1, \(Checksum.stored(of: other)), 'another''s' FROM canvas.records LIMIT 1"
        : "UPDATE canvas.rooms SET last = 2")
      """
    )
    proxy.hold(nil)
    #expect(node.events.first { if case .otherTimeline(_, "demo") = $0 { true } else { false } } != nil)
    #expect(node.events.answer(to: 2)?.isUnavailable == true)
    #expect(!node.events.all.compactMap(\.appended).flatMap(\.records).map(\.bytes).contains(bytes("here")))
    // The bench checks at the end that every stored room has exactly the acknowledged records. This room no longer
    // does, so it is deleted.
    try bench.delete("demo")
  }

  @Test("a follower of a future room that misses its creation and deletion is told to load it again")
  func missedLife() throws {
    let node = try deafNode(epoch: nil)
    try bench.delete("demo")
    try bench.append("demo", [bytes("new")], epoch: 7)
    proxy.hold(nil)
    #expect(node.events.first { $0 == LyingLineTests.isUnfollowed } != nil)
    #expect(node.events.answer(to: 2)?.error == .otherEpoch(room: "demo", epoch: 7))
    #expect(node.events.all.allSatisfy { $0.appended == nil })
    node.log.submit(.follow(FollowRequest(id: 3, room: "demo", epoch: 7, after: 0)))
    #expect(node.events.answer(to: 3)?.error == nil)
    #expect(node.events.records(of: "demo", atLeast: 1)?.map(\.bytes) == [bytes("new")])
  }

  @Test(
    "a record that is missing is damage, and said: to who follows, reads or verifies the room",
    arguments: [2, 3] as [UInt64]
  )
  func missingRecord(position: UInt64) throws {
    try bench.append("demo", ["a", "b", "c"].map(bytes))
    let node = try bench.follower(of: "demo", after: 3, isPatient: false)
    defer { withExtendedLifetime(node) {} }
    try ask("DELETE FROM canvas.records WHERE position = \(position)")
    let damage = LogError.damaged(room: "demo", position: position)
    #expect(try bench.follow("demo", after: 1).error == damage)
    #expect(try bench.read("demo").error == damage)
    #expect(try bench.verify("demo").error == damage)
    let found = try bench.verifyPart()
    #expect(found.damages == [damage])
    try bench.delete("demo")
  }

  @Test("the last record that a node was told of is missing once its connection is back: that is damage, too")
  func missingLastRecord() throws {
    try bench.append("demo", ["a", "b", "c"].map(bytes))
    let node = try bench.follower(of: "demo", after: 3, isPatient: false)
    try ask("DELETE FROM canvas.records WHERE position = 3")
    try endFollowers()
    #expect(node.events.first { $0 == LyingLineTests.isUnfollowed } != nil)
    try bench.delete("demo")
  }

  @Test("a follower that catches up gets at most about a megabyte at once, and more once it has applied that")
  func catchingUpInParts() throws {
    let large = (0..<40).map { [UInt8](repeating: $0, count: 200_000) }
    try bench.append("demo", large)
    let node = try bench.secondNode(isPatient: false)
    node.log.submit(.follow(FollowRequest(id: 1, room: "demo", epoch: LogBench.epoch, after: 0)))
    var (seen, pauses, unapplied) = (0, 0, 0)
    while !node.events.all.contains(.following(id: 1, room: "demo")) {
      let news = node.events.news(after: seen, waits: true)
      seen += news.count
      unapplied += news.compactMap(\.appended).reduce(0) { $0 + $1.records.count }
      #expect(unapplied <= 6)
      guard !news.isEmpty, unapplied <= 6 else { break }
      guard news.contains(.paused(room: "demo")) else { continue }
      pauses += 1
      unapplied = 0
      node.log.submit(.resume(id: UInt64(pauses) + 1, room: "demo"))
    }
    #expect(pauses == 6)
    #expect(node.events.records(of: "demo", atLeast: 40)?.map { $0.bytes[0] } == large.map { $0[0] })
  }

  @Test("a node that is closed before it has applied all that it was told is told the rest, with what it stored behind")
  func closedInAPause() throws {
    try bench.append("demo", (0..<12).map { [UInt8](repeating: $0, count: 200_000) })
    let node = try bench.secondNode(isPatient: false)
    node.log.submit(.follow(FollowRequest(id: 1, room: "demo", epoch: LogBench.epoch, after: 0)))
    #expect(node.events.first { $0 == .paused(room: "demo") } != nil)
    node.log.submit(.append(LogBench.append(2, "demo", [bytes("own")])))
    while node.log.statistics().commits == 0 { usleep(1_000) }
    node.log.close()
    #expect(node.events.answer(to: 2)?.appended?.records.map(\.bytes) == [bytes("own")])
    #expect(node.events.records(of: "demo", atLeast: 13)?.map(\.position) == (1...13).map { $0 })
  }

  @Test("a request to follow is answered by the read that was sent for it, though another has to follow")
  func answeredByTheFirstRead() throws {
    try bench.append("demo", [bytes("a")])
    let node = try bench.secondNode(isPatient: false)
    // The second request comes while the room is being read for the first one. The read that it needs is cut off.
    proxy.cut([
      Cut(statement: "newer", way: .answer, place: 1_000_000), Cut(statement: "newer", way: .request, place: 0),
    ])
    node.log.submit([1, 2].map { .follow(FollowRequest(id: $0, room: "demo", epoch: LogBench.epoch, after: 0)) })
    #expect(node.events.answer(to: 1) == .following(id: 1, room: "demo"))
    #expect(node.events.answer(to: 2)?.isUnavailable == true)
    #expect(node.events.records(of: "demo", atLeast: 1)?.map(\.bytes) == [bytes("a")])
  }

  @Test("a request to follow that comes during a read is answered, though the database refuses that read")
  func answeredAfterARefusal() throws {
    try bench.append("demo", [bytes("a")])
    let node = try bench.secondNode(isPatient: false)
    func follow(_ id: UInt64) {
      node.log.submit(.follow(FollowRequest(id: id, room: "demo", epoch: LogBench.epoch, after: 0)))
    }
    follow(1)
    #expect(node.events.answer(to: 1) == .following(id: 1, room: "demo"))
    try locking("LOCK canvas.records") {
      follow(2)
      try wait(until: LyingLineTests.waits("canvas follower"))
      follow(3)
      // The log takes requests in their order, so it has taken the second one to follow too.
      node.log.submit(.load(LoadRequest(id: 4, room: "none")))
      _ = node.events.answer(to: 4)
      try ask(
        """
        SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'canvas follower'
        """
      )
      #expect(node.events.answer(to: 2)?.isUnavailable == true)
    }
    #expect(node.events.answer(to: 3) == .following(id: 3, room: "demo"))
  }

  @Test("a log whose database is silent waits for it; and other nodes' news are asked for when it speaks again")
  func waiting() throws {
    _ = try bench.follow("demo", epoch: nil, after: 0)
    let before = try #require(bench.log.statistics().following).turns
    proxy.hold("canvas follower")
    // The log polls every second. While this thread sleeps, the polls get no answer.
    usleep(2_500_000)
    let turns = try #require(bench.log.statistics().following).turns - before
    #expect(turns < 200)
    proxy.hold(nil)
    #expect(bench.events.heard.isEmpty)
    try endFollowers()
    #expect(bench.events.hears(.missed))
  }

  // MARK: Locks

  @Test("a look at the locks that began before a node locked a room doesn't unlock it there")
  func ownLock() throws {
    try bench.append("demo", [bytes("a")])
    proxy.holdAnswers("canvas follower")
    // The log polls every second. Waits until the answer to a poll is held back.
    try proxy.untilAnswerIsHeld()
    let before = bench.events.all.count
    #expect(
      try bench.ask { .lock(id: $0, room: "demo", isLocked: true) }
        == .locked(id: bench.lastId, room: "demo", isLocked: true)
    )
    proxy.holdAnswers(nil)
    try ask("INSERT INTO canvas.locks VALUES('other')")
    #expect(bench.events.first { $0 == .locks(["demo", "other"]) } != nil)
    let told = bench.events.all.dropFirst(before).filter { if case .locks = $0 { true } else { false } }
    #expect(told == [.locks(["demo", "other"])])
  }

  @Test("an append to a room that another node has locked meanwhile is refused, and tells of the lock; the next isn't")
  func lockOfAnother() throws {
    try bench.append("demo", [bytes("a")])
    proxy.hold("canvas follower")
    try ask("INSERT INTO canvas.locks VALUES('demo')")
    let before = bench.events.all.count
    #expect(try bench.append("demo", [bytes("b")]) == .failed(id: bench.lastId, room: "demo", .locked(room: "demo")))
    #expect(bench.events.all.dropFirst(before).first == .locks(["demo"]))
    // The owner of the log lets only operators write from now on.
    #expect(try bench.append("demo", [bytes("c")]).appended?.records.first?.position == 2)
    proxy.hold(nil)
  }

  // MARK: The writer's connections

  /// Makes the database reject records while `condition` holds, as if their transaction conflicted with another one.
  private func haveGiveWay(while condition: String, state: String) throws {
    try ask(
      """
      CREATE SEQUENCE public.tries;
      CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
      IF \(condition) THEN RAISE EXCEPTION USING ERRCODE = '\(state)', MESSAGE = 'another was first'; END IF;
      RETURN NEW;
      END $f$;
      CREATE TRIGGER give_way BEFORE INSERT ON canvas.records FOR EACH ROW EXECUTE FUNCTION give_way();
      """
    )
  }

  @Test("a batch that gives way to another transaction is stored after it")
  func deadlock() throws {
    // A sequence counts the attempts, because a rollback doesn't reset a sequence.
    try haveGiveWay(while: "nextval('public.tries') <= 3", state: "40P01")
    let ids = [bench.nextId(), bench.nextId()]
    bench.log.submit(zip(ids, ["a", "b"]).map { .append(LogBench.append($0, $1, [bytes("x")])) })
    for id in ids { #expect(bench.events.answer(to: id)?.appended != nil) }
  }

  @Test("a request that the database never takes is refused, whatever the error, and later requests are stored")
  func alwaysInTheWay() throws {
    try bench.append("cursed", [bytes("x")])
    try haveGiveWay(
      while: "NEW.room = (SELECT number FROM canvas.rooms WHERE name = 'cursed') AND nextval('public.tries') > 0",
      state: "40001"
    )
    let node = try bench.secondNode(isPatient: false)
    node.log.submit(zip([1, 2], ["cursed", "fine"]).map { .append(LogBench.append($0, $1, [bytes("y")])) })
    #expect(node.events.answer(to: 1)?.isUnavailable == true)
    #expect(node.events.answer(to: 2)?.appended != nil)
  }

  @Test(
    "warnings of another kind don't end a connection, and those about standbys are heard whatever the user's settings are"
  )
  func warnings() throws {
    try ask(
      """
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
      IF current_setting('client_min_messages') <> 'warning' THEN RAISE EXCEPTION 'nothing would be heard'; END IF;
      RAISE WARNING 'database must be vacuumed';
      RETURN NEW;
      END $f$;
      CREATE TRIGGER warn BEFORE INSERT ON canvas.records FOR EACH ROW EXECUTE FUNCTION warn();
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_min_messages = error', current_database()); END $$;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
      """
    )
    #expect(try bench.append("demo", [bytes("a")]).appended != nil)
    // The log notices the end of its four connections one after the other.
    while try #require(bench.log.statistics().following).reconnects < 4 { usleep(1_000) }
    #expect(try bench.append("demo", [bytes("b")]).appended != nil)
    #expect(bench.log.statistics().following?.reconnects == 4)
  }

  @Test("if the database ends a connection, the log says so in the database's words")
  func ended() throws {
    try ask(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'canvas writer'
      """
    )
    let isTold = { (event: LogEvent) in
      if case .availability(nil, let fault?) = event { "\(fault)".contains("administrator command") } else { false }
    }
    #expect(bench.events.first(where: isTold) != nil)
  }

  @Test("the user's timeout for statements ends nothing that the log does")
  func userTimeout() throws {
    try ask(
      """
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $f$;
      CREATE TRIGGER dawdle BEFORE INSERT ON canvas.records FOR EACH ROW EXECUTE FUNCTION dawdle();
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 100', current_database()); END $$;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
      """
    )
    #expect(try bench.append("demo", [bytes("a")]).appended != nil)
  }

  @Test(
    "a connection that a writer has left behind is ended while it waits for its client or a lock, and else let go on"
  )
  func evicting() throws {
    let key = 0x1234_5678_9ABC
    let evict = PostgresStatement.evict.text.replacing("$1::int8", with: "\(key)::int8")
    // This lock simulates another connection whose commit waits for the disk or for standbys. Such a connection must
    // not be ended, so the statement returns 0.
    try locking("SELECT pg_advisory_lock(\(key))") { try require("(\(evict)) = 0") }
    try ask("CREATE TABLE public.wanted()")
    try locking("LOCK TABLE public.wanted") {
      let waiting = try TestDatabase.begin(
        "SELECT pg_advisory_lock(\(key)); LOCK TABLE public.wanted",
        in: bench.directory
      )
      try wait(until: LyingLineTests.waits("psql"))
      try require("(\(evict)) = 1")
      #expect(!waiting.succeeds())
    }
  }

  /// Submits an append to each of these rooms, all in one batch. The appends are numbered from 1 on.
  private func append(to rooms: [String], at node: LogBench.Node) {
    node.log.submit(
      rooms.enumerated().map { index, room in
        .append(LogBench.append(UInt64(index) + 1, room, [bytes("2")], mayCreate: false))
      }
    )
  }

  private static func isUnavailability(_ event: LogEvent) -> Bool {
    if case .availability(nil, _?) = event { true } else { false }
  }

  @Test("rooms that another program keeps locked are refused, the program is named, and all nodes store other rooms")
  func lockedRows() throws {
    let (free, locked) = (["a", "b", "c", "d"], ["w", "x", "y", "z"])
    for room in free + locked { try bench.append(room, [bytes("1")]) }
    let nodes = try (1...2).map { _ in try bench.secondNode(isPatient: false) }
    try locking("SELECT FROM canvas.rooms WHERE name >= 'w' FOR UPDATE") {
      // Each node has the free rooms in one batch with the locked ones.
      for node in nodes { append(to: free + locked, at: node) }
      for node in nodes {
        for id in 1...4 as ClosedRange<UInt64> { #expect(node.events.answer(to: id)?.appended != nil) }
        for id in 5...8 as ClosedRange<UInt64> { #expect(node.events.answer(to: id)?.isUnavailable == true) }
        // What comes for a room that is refused already doesn't keep others waiting.
        node.log.submit(["z", "a"].enumerated().map { .append(LogBench.append(9 + UInt64($0), $1, [bytes("3")])) })
        #expect(node.events.answer(to: 10)?.appended != nil)
        #expect(node.events.answer(to: 9)?.isUnavailable == true)
      }
    }
    for node in nodes {
      #expect(node.events.all.compactMap(\.concern).count { $0.contains("psql") } == 1)
      for room in locked { #expect(node.events.first { $0 == .availability(room: room, nil) } != nil) }
      #expect(!node.events.all.contains(where: LyingLineTests.isUnavailability))
      node.log.submit(.append(LogBench.append(11, "z", [bytes("4")], mayCreate: false)))
      #expect(node.events.answer(to: 11)?.appended != nil)
    }
  }

  @Test("a room that another transaction creates and keeps to itself is refused, and what came with it is stored")
  func lockedName() throws {
    let node = try bench.secondNode(isPatient: false)
    let creation = "INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed)"
    try locking("\(creation) VALUES('x', 7, 0, 0, 0, 0, 0)") {
      node.log.submit(["a", "x"].enumerated().map { .append(LogBench.append(1 + UInt64($0), $1, [bytes("1")])) })
      #expect(node.events.answer(to: 1)?.appended != nil)
      #expect(node.events.answer(to: 2)?.isUnavailable == true)
    }
    node.log.submit(.append(LogBench.append(3, "x", [bytes("2")])))
    #expect(node.events.answer(to: 3)?.appended?.epoch == 7)
  }

  @Test("what waits for a lock is stored in its order once the lock is gone, and a deletion too")
  func lockedForAMoment() throws {
    for room in ["a", "b"] { try bench.append(room, [bytes("1")]) }
    let node = try bench.secondNode(isPatient: false)
    try locking("SELECT FROM canvas.rooms FOR UPDATE") {
      for id in 1...3 as ClosedRange<UInt64> {
        node.log.submit(.append(LogBench.append(id, "a", [bytes("\(id)")], mayCreate: false)))
        // A room that is not locked: the batch with the one before it has been given up by then.
        node.log.submit(.append(LogBench.append(10 + id, "room-\(id)", [bytes("new")])))
        #expect(node.events.answer(to: 10 + id)?.appended != nil)
      }
      node.log.submit(.delete(id: 4, room: "b"))
    }
    let stored = try (1...3 as ClosedRange<UInt64>).map { try #require(node.events.answer(to: $0)?.appended) }
    #expect(stored.flatMap(\.records).map(\.position) == [2, 3, 4])
    #expect(node.events.answer(to: 4)?.error == nil)
  }

  @Test("while another program keeps a whole table locked, nothing can be stored, and the log says why")
  func lockedTable() throws {
    let rooms = (1...9).map { "room-\($0)" }
    for room in rooms { try bench.append(room, [bytes("1")]) }
    let node = try bench.secondNode(isPatient: false)
    func isFault(_ event: LogEvent) -> Bool {
      if case .availability(nil, let fault?) = event { "\(fault)".contains("locked") } else { false }
    }
    try locking("LOCK TABLE canvas.rooms IN EXCLUSIVE MODE") {
      append(to: rooms, at: node)
      #expect(node.events.first(where: isFault) != nil)
      for id in 1...9 as ClosedRange<UInt64> { #expect(node.events.answer(to: id)?.isUnavailable == true) }
      #expect(!node.events.all.contains(.availability(room: nil, nil)))
    }
    #expect(node.events.first { $0 == .availability(room: nil, nil) } != nil)
    node.log.submit(.append(LogBench.append(10, "room-1", [bytes("3")], mayCreate: false)))
    #expect(node.events.answer(to: 10)?.appended != nil)
  }

  @Test(
    "a node whose clock is minutes off says so once, in words that tell by how much and which way",
    arguments: [(600_000, "s ahead of"), (-600_000, "s behind")]
  )
  func clock(milliseconds: Int64, words: String) throws {
    let events = EventCollector()
    let log = try PostgresLog(
      bench.directory,
      resolve: HostNames.system,
      clock: { UInt64(Int64(WallClock.milliseconds()) + milliseconds) }
    ) { events.take($0) }
    defer { log.close() }
    try events.untilOpened()
    let concerns = events.all.filter { $0.concern != nil }
    guard case .concern(let said) = concerns.first else {
      Issue.record("\(events.all)")
      return
    }
    // The clocks differ by 600 seconds. The log can say 599, because the database's answer takes a moment.
    #expect(concerns.count == 1 && (said.contains("600 \(words)") || said.contains("599 \(words)")), "\(said)")
    #expect(!bench.events.all.contains { $0.concern != nil })
  }

  @Test("a database that takes no writes isn't logged in to more often than about once in two seconds")
  func readOnly() throws {
    let url = try TestDatabase.make()
    defer { TestDatabase.drop(url) }
    try TestDatabase.ask(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
      in: url
    )
    let events = EventCollector()
    let log = try PostgresLog(url) { events.take($0) }
    defer { log.close() }
    #expect(
      events.first { if case .waiting(let fault) = $0 { "\(fault)".contains("read-only") } else { false } } != nil
    )
    usleep(2_000_000)
    // At most six sessions are allowed, including those of the test itself.
    try TestDatabase.ask(
      """
      DO $$ BEGIN IF (SELECT sessions > 6 FROM pg_stat_database WHERE datname = current_database()) THEN
      RAISE EXCEPTION 'too many sessions'; END IF; END $$
      """,
      in: url
    )
  }
}
