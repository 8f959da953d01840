import Testing

@testable import RoomLog

/// What a log guarantees while the outcome of an append is unknown. The contract tests also run with logs that have
/// such appends (`LogKind.undecided`).
@Suite("An undecided append")
struct UndecidedTests {
  typealias Fate = UndecidedAppend.Fate

  /// A node that follows a room, and whose append to the room (request 2) has an unknown outcome.
  private func leave(_ fate: Fate, in bench: LogBench) throws -> LogBench.Node {
    let first = try bench.add("demo", ["first"])[0].position
    let node = try bench.follower(of: "demo", after: first, isPatient: false)
    bench.leaveNextUndecided(fate)
    node.log.submit(.append(LogBench.append(2, "demo", [bytes("undecided")], mayCreate: false)))
    _ = try #require(node.events.first { if case .availability(nil, _?) = $0 { true } else { false } })
    return node
  }

  private func told(_ node: LogBench.Node) -> [AppendedRecords] {
    node.events.all.compactMap(\.appended).filter { $0.room == "demo" }
  }

  @Test(
    "is answered once it is known whether it is stored, and until then nothing else is",
    arguments: LogKind.undecided,
    Fate.allCases
  )
  func answered(kind: LogKind, fate: Fate) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(fate, in: bench)
    let stored = fate == .stored ? ["first", "undecided"] : ["first"]
    #expect(try bench.records("demo").map(\.bytes) == stored.map(bytes))
    let refused: [LogRequest] = [
      .append(LogBench.append(3, "demo", [bytes("later")])), .append(LogBench.append(4, "new", [bytes("new")])),
      .create(CreateRequest(id: 5, room: "new", epoch: 1, trimmed: 0, operations: 0, createdMilliseconds: 0)),
      .delete(id: 6, room: "demo"),
    ]
    for request in refused {
      node.log.submit(request)
      #expect(node.events.answer(to: request.id)?.isUnavailable == true)
    }
    #expect(!node.events.all.contains { $0.id == 2 })
    #expect(node.log.statistics().fault != nil)
    bench.decide()
    let answer = try #require(node.events.answer(to: 2))
    let last = try bench.records("demo").suffix(1)
    #expect(fate == .stored ? answer.appended?.records == Array(last) : answer.isUnavailable)
    _ = try #require(node.events.first { $0 == .availability(room: nil, nil) })
    node.log.submit(.append(LogBench.append(7, "demo", [bytes("next")], mayCreate: false)))
    #expect(node.events.answer(to: 7)?.appended != nil)
    #expect(try bench.records("demo").map(\.bytes) == (stored + ["next"]).map(bytes))
    #expect(try bench.summaries().map(\.room) == ["demo"])
  }

  @Test(
    "comes before what others store after it, for its own node and for others",
    arguments: LogKind.undecided,
    Fate.allCases
  )
  func order(kind: LogKind, fate: Fate) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(fate, in: bench)
    let first = try #require(try bench.records("demo").first).position
    _ = try bench.follow("demo", after: first)
    node.log.submit([
      .follow(FollowRequest(id: 3, room: "demo", epoch: LogBench.epoch, after: first)),
      .follow(FollowRequest(id: 4, room: "beside", epoch: nil, after: 0)),
    ])
    _ = try #require(node.events.answer(to: 4))
    try bench.append("demo", [bytes("after")], mayCreate: false)
    // Waits until an append to the other room is reported. Events are reported in order, so no event about earlier
    // appends can follow.
    try bench.append("beside", [bytes("a")])
    _ = try #require(node.events.records(of: "beside", atLeast: 1))
    switch fate {
    case .stored:
      #expect(told(node).isEmpty)
      #expect(!node.events.all.contains { $0.id == 3 })
    case .lost:
      #expect(told(node).flatMap(\.records).map(\.bytes) == [bytes("after")])
      #expect(node.events.answer(to: 3)?.error == nil)
    }
    bench.decide()
    _ = try #require(node.events.answer(to: 2))
    _ = try #require(node.events.answer(to: 3))
    let all = try bench.records("demo").dropFirst()
    #expect(told(node).flatMap(\.records) == Array(all))
    #expect(told(node).map(\.id) == (fate == .stored ? [2, nil] : [nil]))
    #expect(bench.events.records(of: "demo", atLeast: 1 + all.count)?.dropFirst() == all)
  }

  @Test("is in its place for whoever begins to follow the room meanwhile", arguments: LogKind.undecided)
  func followedAnew(kind: LogKind) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(.stored, in: bench)
    node.log.submit(.unfollow(id: 3, room: "demo"))
    #expect(node.events.answer(to: 3) == .unfollowed(id: 3, room: "demo"))
    try bench.append("demo", [bytes("after")], mayCreate: false)
    node.log.submit(.follow(FollowRequest(id: 4, room: "demo", epoch: LogBench.epoch, after: 0)))
    _ = try #require(node.events.records(of: "demo", atLeast: 1))
    #expect(told(node).flatMap(\.records).map(\.bytes) == [bytes("first")])
    bench.decide()
    #expect(node.events.answer(to: 4)?.error == nil)
    #expect(told(node).flatMap(\.records) == (try bench.records("demo")))
    #expect(told(node).map(\.id) == [nil, 2, nil])
  }

  @Test("is nothing new for whoever has read it before it is decided", arguments: LogKind.undecided)
  func readBefore(kind: LogKind) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(.stored, in: bench)
    let own = try #require(try bench.records("demo").last)
    node.log.submit([
      .unfollow(id: 3, room: "demo"),
      .follow(FollowRequest(id: 4, room: "demo", epoch: LogBench.epoch, after: own.position)),
    ])
    _ = try #require(node.events.answer(to: 3))
    bench.decide()
    #expect(node.events.answer(to: 2)?.appended?.records == [own])
    #expect(node.events.answer(to: 4) == .following(id: 4, room: "demo"))
    let next = try #require(try bench.append("demo", [bytes("next")], mayCreate: false).appended)
    #expect(node.events.records(of: "demo", atLeast: 2) == [own] + next.records)
    #expect(!node.events.all.contains { $0.isOtherTimeline })
  }

  @Test("is answered also where another node has deleted its room", arguments: LogKind.undecided)
  func deleted(kind: LogKind) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(.stored, in: bench)
    try bench.delete("demo")
    bench.decide()
    // The append was stored, but the database has lost it since then.
    let answer = try #require(node.events.answer(to: 2))
    #expect(answer.isUnavailable || answer.appended?.epoch == LogBench.epoch)
    let gone = LogEvent.deleted(id: nil, room: "demo", epoch: LogBench.epoch)
    _ = try #require(node.events.first { $0 == gone })
    node.log.submit(.follow(FollowRequest(id: 3, room: "demo", epoch: nil, after: 0)))
    #expect(node.events.answer(to: 3)?.error == nil)
    try bench.append("demo", [bytes("new")], epoch: 7)
    let new = try #require(node.events.first { $0.appended?.epoch == 7 }?.appended)
    #expect(new.records == (try bench.records("demo")))
    #expect(node.events.all.count(where: { $0 == gone }) == 1)
  }

  @Test("is decided before a log ends that is closed", arguments: LogKind.undecided, Fate.allCases)
  func closing(kind: LogKind, fate: Fate) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    let node = try leave(fate, in: bench)
    node.log.close()
    bench.decide()
    #expect(node.events.closed())
    let answer = try #require(node.events.answer(to: 2))
    let last = try bench.records("demo").suffix(1)
    #expect(fate == .stored ? answer.appended?.records == Array(last) : answer.isUnavailable)
    #expect(node.events.all.last == .closed)
    #expect(node.events.all.compactMap(\.id).sorted() == [1, 2])
  }

  @Test("comes up by itself in the contract, stored and lost")
  func byItself() throws {
    let bench = try LogBench(.memoryUndecided)
    for index in 0..<60 { #expect(try bench.append("demo", [bytes("\(index)")]).appended != nil) }
    #expect(bench.doubts.made >= 8)
    #expect(try #require(bench.log as? PatientLog).repeats >= 4)
    #expect(try bench.records("demo").map(\.bytes) == (0..<60).map { bytes("\($0)") })
  }
}
