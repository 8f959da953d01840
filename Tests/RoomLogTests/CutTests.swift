import Glibc
import Testing

@testable import RoomLog

/// Tests of single cuts. The contract tests also run with connections that are cut all the time
/// (`LogKind.cutPostgres`).
@Suite("A log whose connections are cut", .enabled(if: TestDatabase.isThere))
struct CutTests {
  @Test(
    "cut at any byte of a commit or of its answer, an append is stored once",
    arguments: [Cut.Way.request, .answer]
  )
  func everyByte(way: Cut.Way) throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    let other = try bench.follower(of: "demo", epoch: nil, after: 0)
    var acknowledged = try bench.add("demo", ["first"])
    var places = 0
    while true {
      proxy.cut([Cut(way: way, place: places)])
      let own = [UInt8(places / 256), UInt8(places % 256)]
      acknowledged += try #require(try bench.append("demo", [own], mayCreate: false).appended).records
      // If no cut was made, the offset is beyond the end of the request or answer, so all offsets have been tried.
      guard proxy.cuts.count > places else { break }
      places += 1
    }
    #expect(proxy.cuts == (0..<places).map { Cut(way: way, place: $0) })
    #expect(places > (way == .request ? 300 : 150))
    #expect(try bench.records("demo") == acknowledged)
    #expect(other.events.records(of: "demo", atLeast: acknowledged.count) == acknowledged)
    let repeats = try #require(bench.log as? PatientLog).repeats
    switch way {
    // The database commits before it reads the last bytes of the request, so a cut in these bytes causes no refusal.
    case .request: #expect(repeats > 250 && repeats <= places)
    // Everything is stored before the answer begins, so no append has to be sent again.
    case .answer: #expect(repeats == 0)
    }
  }

  @Test(
    "an answer that libpq can't read, or that nobody asked for, ends the connection like a cut",
    arguments: [
      // A length that no message has.
      [0x31, 0x7F, 0xFF, 0xFF, 0xFF],
      // PostgreSQL's messages that begin a bulk copy (`COPY`): `G` into the database, `H` out of it.
      [UInt8(ascii: "G"), 0, 0, 0, 7, 0, 0, 0], [UInt8(ascii: "H"), 0, 0, 0, 7, 0, 0, 0],
    ]
  )
  func garbage(_ garbage: [UInt8]) throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    proxy.cut([Cut(way: .answer, place: 0, garbage: garbage)])
    let stored = try bench.add("demo", ["first"])
    #expect(proxy.cuts.count == 1)
    #expect(try bench.records("demo") == stored)
  }

  @Test("unless a test says where to cut, every third commit is cut, both ways and at places that move on")
  func byItself() throws {
    let bench = try LogBench(.cutPostgres)
    for index in 0..<60 { #expect(try bench.append("demo", [bytes("\(index)")]).appended != nil) }
    let cuts = try #require(bench.proxy).cuts
    for way in [Cut.Way.request, .answer] {
      let places = cuts.filter { $0.way == way }.map(\.place)
      // Not every commit is cut, because some are shorter than the offset of the planned cut.
      #expect(places.count >= 5)
      #expect(Set(places).count == places.count)
    }
  }

  @Test("a connection that is cut while it finds out what is stored is followed by one that does")
  func cutAgain() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    var acknowledged: [LogRecord] = []
    var cuts: [Cut] = []
    for statement in ["evict", "lock", "settle"] {
      for way in [Cut.Way.request, .answer] {
        var place = 0
        while true {
          let first = Cut(way: .answer, place: place % 100)
          let second = Cut(statement: statement, way: way, place: place)
          proxy.cut([first, second])
          acknowledged += try bench.add("demo", ["\(place)"])
          cuts.append(first)
          guard proxy.cuts.count == cuts.count + 1 else { break }
          cuts.append(second)
          place += 13
        }
      }
    }
    #expect(proxy.cuts == cuts)
    #expect(cuts.count > 100)
    #expect(try bench.records("demo") == acknowledged)
    #expect(try #require(bench.log as? PatientLog).repeats == 0)
  }

  @Test("where the database can't read what it has of a room, the other rooms of the batch are told as they went")
  func damagedMeanwhile() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    for room in ["demo", "other", "third"] { try bench.append(room, [bytes("a")]) }
    try TestDatabase.ask(
      """
      CREATE FUNCTION fail() RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN
      IF current_query() LIKE '%known(name, through)%' THEN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END IF;
      RETURN true;
      END $f$;
      ALTER TABLE canvas.records RENAME TO sound_records;
      CREATE VIEW canvas.records AS SELECT * FROM canvas.sound_records WHERE room <> 2 OR fail();
      """,
      in: bench.directory
    )
    let node = try bench.secondNode(isPatient: false)
    try #require(bench.proxy).cut([Cut(way: .answer, place: 0)])
    node.log.submit([(1, "demo"), (2, "other"), (3, "third")].map { .append(LogBench.append($0, $1, [bytes("b")])) })
    #expect(node.events.answer(to: 1)?.appended != nil)
    #expect(node.events.answer(to: 2)?.isUnavailable == true)
    #expect(node.events.answer(to: 3)?.appended != nil)
    node.log.submit(.append(LogBench.append(4, "third", [bytes("c")])))
    #expect(node.events.answer(to: 4)?.appended != nil)
    // It has a record that was refused, because nobody could know.
    try bench.delete("other")
  }

  @Test("a deletion or a creation that is cut is told as it went")
  func changes() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    let node = try bench.secondNode(isPatient: false)
    func ask(cutting cut: Cut, _ request: LogRequest) throws -> LogEvent {
      // After each cut, waits until the log is available again.
      while node.events.all.count(where: { $0 == .availability(room: nil, nil) }) < proxy.cuts.count { usleep(1_000) }
      let count = proxy.cuts.count
      proxy.cut([cut])
      node.log.submit(request)
      let answer = try #require(node.events.answer(to: request.id))
      #expect(proxy.cuts.count == count + 1)
      return answer
    }
    func create(_ id: UInt64, epoch: UInt64) -> LogRequest {
      .create(CreateRequest(id: id, room: "new", epoch: epoch, trimmed: 0, operations: 0, createdMilliseconds: 0))
    }
    try bench.append("demo", [bytes("a")])
    let before = Cut(statement: "epoch", way: .answer, place: 0)
    for (id, cut) in [(1, Cut(way: .request, place: 0)), (2, before)] as [(UInt64, Cut)] {
      #expect(try ask(cutting: cut, .delete(id: id, room: "demo")).isUnavailable)
      #expect(try ask(cutting: cut, create(id + 10, epoch: 5)).isUnavailable)
    }
    #expect(try bench.summaries().map(\.room) == ["demo"])
    let unheard = Cut(way: .answer, place: 0)
    #expect(try ask(cutting: unheard, create(21, epoch: 5)) == .created(id: 21, room: "new"))
    let deleted = try ask(cutting: unheard, .delete(id: 22, room: "demo"))
    #expect(deleted == .deleted(id: 22, room: "demo", epoch: LogBench.epoch))
    #expect(try bench.summaries().map(\.room) == ["new"])
    node.log.submit([.delete(id: 23, room: "demo"), create(24, epoch: 5)])
    #expect(node.events.answer(to: 23)?.error == .noSuchRoom(room: "demo"))
    #expect(node.events.answer(to: 24)?.error == .roomExists(room: "new"))
  }

  @Test("a deletion that is long undecided doesn't end the following of a room that came after it")
  func lateDeletion() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    let last = try bench.add("demo", ["old"])[0].position
    let node = try bench.follower(of: "demo", after: last, isPatient: false)
    bench.leaveNextUndecided(.stored)
    node.log.submit(.delete(id: 2, room: "demo"))
    while proxy.cuts.isEmpty { usleep(1_000) }
    try bench.append("demo", [bytes("new")], epoch: 7)
    #expect(node.events.first { $0 == .deleted(id: nil, room: "demo", epoch: LogBench.epoch) } != nil)
    node.log.submit(.follow(FollowRequest(id: 3, room: "demo", epoch: 7, after: 0)))
    #expect(node.events.answer(to: 3)?.error == nil)
    bench.decide()
    #expect(node.events.answer(to: 2) == .deleted(id: 2, room: "demo", epoch: LogBench.epoch))
    try bench.append("demo", [bytes("newer")], epoch: 7)
    #expect(node.events.records(of: "demo", atLeast: 2)?.map(\.bytes) == [bytes("new"), bytes("newer")])
  }

  @Test("an append that is cut is found in a later room of the same name, where positions begin anew")
  func laterRoom() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    let last = try bench.add("demo", ["a", "b", "c"])[2].position
    let node = try bench.follower(of: "demo", after: last, isPatient: false)
    // The node gets no notifications, so it doesn't learn that the room was deleted.
    proxy.hold("canvas follower")
    try bench.delete("demo")
    proxy.cut([Cut(way: .answer, place: 0)])
    // The first append of the batch can only be in the room that the node knows, and the second one isn't there.
    node.log.submit([
      .append(LogBench.append(2, "demo", [bytes("late")], mayCreate: false)),
      .append(LogBench.append(3, "demo", [bytes("new")], epoch: 7)),
    ])
    #expect(node.events.first { $0 == .availability(room: nil, nil) } != nil)
    proxy.hold(nil)
    #expect(proxy.cuts.count == 1)
    let stored = try bench.records("demo")
    #expect(stored.map(\.bytes) == [bytes("new")])
    #expect(node.events.answer(to: 2)?.error != nil)
    #expect(node.events.answer(to: 3)?.appended?.records == stored)
  }

  @Test("a batch of which a node has sent half, and that it doesn't go on with, is ended when it is in another's way")
  func halfSent() throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    try bench.append("demo", [bytes("first")])
    let node = try bench.secondNode(isPatient: false)
    proxy.cut([Cut(way: .request, place: 50_000, isSilence: true)])
    let large = [UInt8](repeating: 7, count: 100_000)
    node.log.submit([
      .append(LogBench.append(1, "demo", [bytes("half")], mayCreate: false)),
      .append(LogBench.append(2, "later", [large])),
    ])
    // The database gives the second room its number only after it has locked the first room for the same batch. So this
    // waits until the number is given.
    let isThere = "(SELECT last_value FROM canvas.rooms_number_seq) > 1"
    try TestDatabase.ask(
      "DO $$ BEGIN WHILE NOT \(isThere) LOOP PERFORM pg_sleep(0.002); END LOOP; END $$",
      in: bench.directory
    )
    #expect(try bench.append("demo", [bytes("beside")]).appended != nil)
    // The other node asked the database to end the connection. The first node's own timeout of five seconds has not
    // passed.
    let lost = node.events.first { if case .availability(nil, _?) = $0 { true } else { false } }
    #expect("\(lost, default: "nothing")".contains("terminating connection"))
    #expect(proxy.cuts.count == 1)
    // For the node this looks like any other broken connection.
    for id in 1...2 as ClosedRange<UInt64> { #expect(node.events.answer(to: id)?.isUnavailable == true) }
    #expect(try bench.records("demo").map(\.bytes) == ["first", "beside"].map(bytes))
  }

  enum Ending: CaseIterable { case unfollowing, deletion, closing }

  @Test("an append that waits for what others have stored before it is answered", arguments: Ending.allCases)
  func heldAppends(ending: Ending) throws {
    let bench = try LogBench(.cutPostgres, commitsBetweenCuts: nil)
    let proxy = try #require(bench.proxy)
    let first = try bench.add("demo", ["first"])[0].position
    let node = try bench.follower(of: "demo", after: first, isPatient: false)
    func follow(_ id: UInt64) -> LogRequest {
      .follow(FollowRequest(id: id, room: "demo", epoch: LogBench.epoch, after: first))
    }
    // Another node stores a record, and this node isn't notified of it. Then this node stores its own record. This node
    // must report the other node's record first.
    proxy.hold("canvas follower")
    try bench.append("demo", [bytes("there")])
    node.log.submit([.append(LogBench.append(2, "demo", [bytes("here")])), follow(3), follow(4)])
    while node.log.statistics().commits == 0 { usleep(1_000) }
    switch ending {
    case .unfollowing: node.log.submit(.unfollow(id: 5, room: "demo"))
    case .deletion: node.log.submit(.delete(id: 5, room: "demo"))
    case .closing: node.log.close()
    }
    if ending != .closing { _ = try #require(node.events.answer(to: 5)) }
    proxy.hold(nil)
    node.log.close()
    let own = node.events.answer(to: 2)
    if ending == .deletion {
      // The room has been deleted, so the append is refused. Its record must not be reported, because the other node's
      // earlier record was not reported either.
      #expect(own?.error == .noSuchRoom(room: "demo"))
    } else {
      #expect(own?.appended?.records.map(\.bytes) == [bytes("here")])
    }
    #expect(node.events.closed())
    #expect(node.events.all.compactMap(\.id).sorted() == (1...(ending == .closing ? 4 : 5)).map { $0 })
    guard ending == .closing else { return }
    let told = node.events.all.compactMap(\.appended).flatMap(\.records)
    #expect(told.map(\.bytes) == [bytes("there"), bytes("here")])
  }
}
