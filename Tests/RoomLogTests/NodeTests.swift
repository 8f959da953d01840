import Basics
import Testing

@testable import RoomLog

/// The contract of logs that several nodes share, including what each node may expect.
@Suite("Nodes of one log")
struct NodeTests {
  @Test("a follower is told what was stored before it asked, and has its answer after that", arguments: LogKind.here)
  func following(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let first = try bench.add("demo", ["a", "b"])
    let second = try bench.add("demo", ["c"])
    let answer = try bench.follow("demo", after: first[0].position)
    #expect(answer == .following(id: 3, room: "demo"))
    let told = bench.events.all.compactMap(\.appended).filter { $0.id == nil }
    #expect(told.flatMap(\.records) == [first[1]] + second)
    #expect(bench.events.all.last == answer)
    #expect(try bench.follow("demo", after: second[0].position) == .following(id: 4, room: "demo"))
    let own = try #require(try bench.append("demo", [bytes("d")], mayCreate: false).appended)
    #expect(own.id == 5)
    #expect(try bench.ask { .unfollow(id: $0, room: "demo") } == .unfollowed(id: 6, room: "demo"))
  }

  @Test("following what is not there, or not any more, is refused", arguments: LogKind.here)
  func refusals(kind: LogKind) throws {
    let bench = try LogBench(kind)
    #expect(try bench.follow("demo", after: 0).error == .noSuchRoom(room: "demo"))
    // A room can be followed before it exists.
    #expect(try bench.follow("demo", epoch: nil, after: 0).error == nil)
    try bench.append("demo", [bytes("a")])
    #expect(try bench.follow("demo", epoch: 99, after: 0).error == .otherEpoch(room: "demo", epoch: LogBench.epoch))
    let last = try bench.add("demo", ["b"])[0].position
    try bench.snapshot("demo", at: last, bytes("state"))
    try bench.trim("demo", through: last)
    _ = try bench.ask { .unfollow(id: $0, room: "demo") }
    #expect(try bench.follow("demo", after: 0).error == .trimmed(room: "demo", through: last))
  }

  @Test("two nodes write to one room: both are told of all of it in one order", arguments: LogKind.shared)
  func twoWriters(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let first = try bench.add("demo", ["first"])[0].position
    _ = try bench.follow("demo", after: first)
    let other = try bench.follower(of: "demo", after: first)
    for round in 0..<100 {
      bench.log.submit(.append(LogBench.append(bench.nextId(), "demo", [bytes("\(round) here")], mayCreate: false)))
      let texts = [bytes("\(round) there"), bytes("\(round) too")]
      other.log.submit(.append(LogBench.append(UInt64(round + 2), "demo", texts, mayCreate: false)))
    }
    for round in 0..<100 { _ = try #require(other.events.answer(to: UInt64(round + 2))) }
    let end = try #require(bench.events.records(of: "demo", atLeast: 301))
    let there = try #require(other.events.records(of: "demo", atLeast: 300))
    #expect(end.dropFirst() == there[...])
    #expect(zip(end, end.dropFirst()).allSatisfy { $0.position < $1.position })
    #expect(try bench.records("demo") == end)
    // The number of an append is reported only to the node that sent the append.
    #expect(bench.events.all.compactMap(\.appended).filter { $0.id != nil }.count == 101)
    #expect(other.events.all.compactMap(\.appended).filter { $0.id != nil }.count == 100)
  }

  @Test("two nodes create one room: it is one, and neither is turned away", arguments: LogKind.shared)
  func twoCreators(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let other = try bench.secondNode()
    for room in (0..<20).map({ "room-\($0)" }) {
      _ = try bench.follow(room, epoch: nil, after: 0)
      let id = bench.nextId()
      other.log.submit(.follow(FollowRequest(id: id, room: room, epoch: nil, after: 0)))
      _ = try #require(other.events.answer(to: id))
      let mine = bench.nextId()
      let theirs = bench.nextId()
      bench.log.submit(.append(LogBench.append(mine, room, [bytes("here")], epoch: 1)))
      other.log.submit(.append(LogBench.append(theirs, room, [bytes("there")], epoch: 2)))
      let one = try #require(bench.events.answer(to: mine)?.appended)
      let two = try #require(other.events.answer(to: theirs)?.appended)
      #expect(one.epoch == two.epoch)
      let here = bench.events.records(of: room, atLeast: 2)
      #expect(here != nil)
      #expect(here == other.events.records(of: room, atLeast: 2))
    }
  }

  @Test("a node's message reaches all other nodes, and not the node itself", .enabled(if: TestDatabase.isThere))
  func telling() throws {
    let bench = try LogBench(.postgres)
    let bus = try #require(bench.log as? any Bus)
    let other = try bench.secondNode()
    // A message of this length needs several of PostgreSQL's notifications.
    let long = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for bytes in [[], [0], [0, 255], long] {
      bus.tell(bytes)
      #expect(other.events.hears(.heard(bytes)))
    }
    #expect(bench.events.heard.isEmpty)
  }

  @Test("a room that another node deletes is gone for its followers", arguments: LogKind.shared)
  func deletionElsewhere(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let last = try bench.add("demo", ["a"])[0].position
    let other = try bench.follower(of: "demo", after: last)
    try bench.delete("demo")
    try bench.append("demo", [bytes("new")], epoch: 7)
    let gone = LogEvent.deleted(id: nil, room: "demo", epoch: LogBench.epoch)
    #expect(other.events.first { $0 == gone } != nil)
    other.log.submit(.append(LogBench.append(2, "demo", [bytes("late")], mayCreate: false)))
    #expect(other.events.answer(to: 2)?.error == .otherEpoch(room: "demo", epoch: 7))
  }

  @Test("a follower that begins again at an earlier place is told again from there", arguments: LogKind.shared)
  func beginningAgain(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let other = try bench.secondNode()
    let first = try bench.add("demo", ["a"])[0].position
    let later = try ["b", "c"].map { try #require(try bench.append("demo", [bytes($0)]).appended).records[0].position }
    for id in 1...2 as ClosedRange<UInt64> {
      other.log.submit(.follow(FollowRequest(id: id, room: "demo", epoch: LogBench.epoch, after: first)))
      _ = try #require(other.events.answer(to: id))
    }
    let told = other.events.all.compactMap(\.appended).flatMap(\.records).map(\.position)
    #expect(told == later + later)
  }

  @Test("asked again, a follower knows at once what another node was told is stored", arguments: LogKind.shared)
  func catchingUp(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let other = try bench.secondNode()
    var last = try bench.add("demo", ["a"])[0].position
    for round in 0..<50 as Range<UInt64> {
      other.log.submit(.follow(FollowRequest(id: round * 2 + 1, room: "demo", epoch: LogBench.epoch, after: last)))
      _ = try #require(other.events.answer(to: round * 2 + 1))
      last = try bench.add("demo", ["\(round)"])[0].position
      other.log.submit(.follow(FollowRequest(id: round * 2 + 2, room: "demo", epoch: LogBench.epoch, after: last)))
      _ = try #require(other.events.answer(to: round * 2 + 2))
      let told = other.events.all.compactMap(\.appended).flatMap(\.records).map(\.position)
      #expect(told.last == last)
      #expect(told == told.sorted() && Set(told).count == told.count)
    }
  }

  @Test("a node that follows very many rooms finds a record without a notification", .enabled(if: TestDatabase.isThere))
  func looksInTurns() throws {
    let bench = try LogBench(.postgres)
    let rooms = (1...2_500).map { "room-\($0)" }
    try TestDatabase.ask(
      """
      INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed)
      SELECT 'room-' || number, \(LogBench.epoch), 0, 0, 0, 0, 0 FROM generate_series(1, \(rooms.count)) AS number
      """,
      in: bench.directory
    )
    for room in rooms {
      bench.log.submit(.follow(FollowRequest(id: bench.nextId(), room: room, epoch: LogBench.epoch, after: 0)))
    }
    for id in 1...UInt64(rooms.count) { _ = try #require(bench.events.answer(to: id)) }
    try TestDatabase.ask(
      """
      INSERT INTO canvas.records(room, position, milliseconds, operations, writer, append, checksum, bytes)
      SELECT number, 1, 0, 1, 0, 0, \(Checksum.stored(of: bytes("unheard"))), 'unheard' FROM canvas.rooms;
      UPDATE canvas.rooms SET last = 1
      """,
      in: bench.directory
    )
    for room in rooms { #expect(bench.events.records(of: room, atLeast: 1)?.map(\.bytes) == [bytes("unheard")]) }
  }
}

extension LogBench {
  func follow(_ room: String, epoch: UInt64? = epoch, after: UInt64, timeline: UInt64 = 0) throws -> LogEvent {
    try ask { .follow(FollowRequest(id: $0, room: room, epoch: epoch, after: after, timeline: timeline)) }
  }
}
