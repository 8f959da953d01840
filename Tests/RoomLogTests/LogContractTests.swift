import Testing

@testable import RoomLog

/// The contract that every kind of log keeps.
@Suite("A log's contract")
struct LogContractTests {
  @Test("the first that a log reports is that it is open, and it reports that once", arguments: LogKind.here)
  func opening(kind: LogKind) throws {
    let bench = try LogBench(kind)
    try bench.append("demo", [bytes("a")])
    #expect(bench.events.all.first?.isOpened == true && bench.events.all.count(where: \.isOpened) == 1)
    let secret = bench.events.all.first?.secret
    #expect((secret != nil) == (kind.isInPostgres || kind == .sqlite))
    try bench.reopen()
    try bench.append("demo", [bytes("b")])
    #expect(bench.events.all.first?.isOpened == true && bench.events.all.count(where: \.isOpened) == 1)
    #expect(bench.events.all.first?.secret == secret)
  }

  @Test("a request to a log that isn't open yet is carried out once it is", arguments: LogKind.shared)
  func beforeOpening(kind: LogKind) throws {
    let bench = try LogBench(kind)
    try bench.append("demo", [bytes("a")])
    let node = try bench.secondNode(isOpen: false)
    node.log.submit(.append(LogBench.append(1, "demo", [bytes("b")])))
    node.log.submit(.list(id: 2))
    #expect(node.events.answer(to: 1)?.appended != nil)
    #expect(node.events.answer(to: 2)?.summaries?.count == 1)
    #expect(node.events.all.first?.isOpened == true)
  }

  @Test("appends come back in order, with positions that grow", arguments: LogKind.here)
  func order(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let requests = (0..<200).map { index in
      let id = bench.nextId()
      return LogRequest.append(LogBench.append(id, "demo", [bytes("\(index) a"), bytes("\(index) b")]))
    }
    for request in requests { bench.log.submit(request) }
    _ = bench.events.answer(to: 200)
    let told = bench.events.all.compactMap(\.appended)
    #expect(told.map(\.id) == (1...200).map { UInt64($0) })
    let records = told.flatMap(\.records)
    #expect(records.map(\.bytes) == (0..<200).flatMap { [bytes("\($0) a"), bytes("\($0) b")] })
    #expect(records[0].position > 0)
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.position < $1.position })
    #expect(try bench.records("demo") == records)
  }

  @Test("reported records are there after the log was closed and opened again", arguments: LogKind.here)
  func durability(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let first = try #require(try bench.append("demo", [bytes("one"), bytes("two")]).appended)
    try bench.reopen()
    #expect(try bench.records("demo") == first.records)
    let second = try #require(try bench.append("demo", [bytes("three")], mayCreate: false).appended)
    #expect(second.records[0].position > first.records[1].position)
    try bench.reopen()
    #expect(try bench.records("demo").map(\.bytes) == [bytes("one"), bytes("two"), bytes("three")])
  }

  @Test("pages of any size follow each other without a gap or a repeat", arguments: LogKind.here)
  func pages(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let all = try #require(try bench.append("demo", (0..<50).map { bytes("record \($0)") }).appended).records
    for bytesMax in [1, 20, 100, 100_000] {
      #expect(try bench.records("demo", bytesMax: bytesMax) == all)
    }
    #expect(try bench.records("demo", after: all[20].position) == Array(all[21...]))
    #expect(try bench.records("demo", after: all[49].position) == [])
    #expect(try bench.records("demo", through: .position(all[9].position)) == Array(all[...9]))
  }

  @Test("a room can be read as it was at a moment; time never goes back", arguments: LogKind.here)
  func moments(kind: LogKind) throws {
    let bench = try LogBench(kind)
    for (milliseconds, text) in [(1_000, "a"), (2_000, "b"), (1_500, "c"), (3_000, "d")] as [(UInt64, String)] {
      try bench.append("demo", [bytes(text)], at: milliseconds)
    }
    #expect(try bench.records("demo").map(\.milliseconds) == [1_000, 2_000, 2_000, 3_000])
    let past = try bench.records("demo", through: .milliseconds(2_999))
    #expect(past.map(\.bytes) == [bytes("a"), bytes("b"), bytes("c")])
    #expect(try bench.records("demo", through: .milliseconds(2_000)) == past, "what was stored at that moment counts")
    #expect(try bench.records("demo", through: .milliseconds(999)) == [])
  }

  @Test("requests that make no sense get a named error", arguments: LogKind.here)
  func refusals(kind: LogKind) throws {
    let bench = try LogBench(kind)
    #expect(try bench.append("demo", [bytes("x")], mayCreate: false).error == .noSuchRoom(room: "demo"))
    #expect(try bench.append("demo", []).error == .noRecords)
    #expect(try bench.append("", [bytes("x")]).error == .badRoomName)
    #expect(try bench.append("a/b", [bytes("x")]).error == .badRoomName)
    #expect(try bench.append(String(repeating: "a", count: 65), [bytes("x")]).error == .badRoomName)
    for name in [String(repeating: "a", count: 64), "AZaz09._-"] { _ = try bench.add(name, ["x"]) }
    #expect(try bench.load("demo").error == .noSuchRoom(room: "demo"))
    let last = try bench.add("demo", ["x"])[0].position
    let beyond = try bench.read("demo", after: last + 1)
    #expect(beyond.error == .pastEnd(room: "demo", last: last))
    #expect(try bench.snapshot("demo", at: last + 1, []).error == .pastEnd(room: "demo", last: last))
    #expect(try bench.delete("none").error == .noSuchRoom(room: "none"))
    #expect(try bench.trim("none", through: 1).error == .noSuchRoom(room: "none"))
    #expect(try bench.verify("none").error == .noSuchRoom(room: "none"))
    #expect(try bench.repair("none", .snapshot).error == .noSuchRoom(room: "none"))
    let repair = try bench.repair("demo", .snapshot)
    #expect(repair.error == .notDamaged(room: "demo"))
    #expect(try bench.records("demo").count == 1)
  }

  @Test("empty and very large records are stored as they are", arguments: LogKind.here)
  func sizes(kind: LogKind) throws {
    let bench = try LogBench(kind)
    var generator = SeededGenerator(seed: 4)
    let large = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try bench.append("demo", [[], large, [0], Array(large.prefix(1_003)), Array(large.prefix(5_000))])
    try bench.reopen()
    let stored = try bench.records("demo").map(\.bytes)
    #expect(stored == [[], large, [0], Array(large.prefix(1_003)), Array(large.prefix(5_000))])
  }

  @Test("a thousand rooms are kept apart, and listed by name", arguments: LogKind.here)
  func manyRooms(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let names = (0..<1_000).map { "room-\($0)" }
    bench.log.submit(
      names.flatMap { name in
        [["first"], ["second", "third"]].map { texts in
          .append(LogBench.append(bench.nextId(), name, texts.map { bytes("\($0) of \(name)") }, at: 5))
        }
      }
    )
    _ = bench.events.answer(to: 2_000)
    try bench.reopen()
    let summaries = try bench.summaries()
    #expect(summaries.map(\.room) == names.sorted())
    #expect(summaries.allSatisfy { $0.operations == 3 && $0.epoch == LogBench.epoch && $0.trimmed == 0 })
    #expect(summaries.allSatisfy { $0.createdMilliseconds == 5 && $0.changedMilliseconds == 5 && $0.snapshot == nil })
    for name in ["room-0", "room-500", "room-999"] {
      let texts = try bench.records(name).map(\.bytes)
      #expect(texts == ["first", "second", "third"].map { bytes("\($0) of \(name)") })
    }
  }

  @Test("a deleted room is gone, and a new one with its name is another room", arguments: LogKind.here)
  func deletion(kind: LogKind) throws {
    let bench = try LogBench(kind)
    try bench.append("demo", [bytes("old"), bytes("older")])
    try bench.append("other", [bytes("stays")])
    let deleted = try bench.delete("demo")
    #expect(deleted == .deleted(id: 3, room: "demo", epoch: LogBench.epoch))
    #expect(try bench.load("demo").error == .noSuchRoom(room: "demo"))
    // A pending append doesn't recreate a room that was deleted before the append is stored.
    #expect(try bench.append("demo", [bytes("late")], mayCreate: false).error == .noSuchRoom(room: "demo"))
    try bench.reopen()
    #expect(try bench.summaries().map(\.room) == ["other"])

    #expect(try bench.append("demo", [bytes("new")], epoch: 77).appended != nil)
    #expect(try bench.records("demo").map(\.bytes) == [bytes("new")])
    let refusal = LogError.otherEpoch(room: "demo", epoch: 77)
    #expect(try bench.append("demo", [bytes("late")], mayCreate: false).error == refusal)
    let stale = try bench.ask { .read(ReadRequest(id: $0, room: "demo", epoch: LogBench.epoch, after: 0)) }
    #expect(stale.error == refusal)
    #expect(try bench.snapshot("demo", at: 1, [1]).error == refusal)
    #expect(try bench.trim("demo", through: 1).error == refusal)
    try bench.reopen()
    #expect(try bench.records("demo").map(\.bytes) == [bytes("new")])
    // Who would have created the room adds to the one that is there.
    #expect(try bench.append("demo", [bytes("newer")]).appended?.epoch == 77)
  }

  @Test("requests about a room take effect in the order in which they came", arguments: LogKind.here)
  func deleteInOneGo(kind: LogKind) throws {
    let bench = try LogBench(kind)
    bench.log.submit([
      .append(LogBench.append(1, "demo", [bytes("a")])), .delete(id: 2, room: "demo"),
      .append(LogBench.append(3, "demo", [bytes("b")], mayCreate: false)),
      .append(LogBench.append(4, "demo", [bytes("c")], epoch: 9)), .delete(id: 5, room: "demo"),
      .append(LogBench.append(6, "demo", [bytes("d")], epoch: 10)),
    ])
    #expect(bench.events.answer(to: 6)?.appended?.epoch == 10)
    #expect(bench.events.answer(to: 3)?.error == .noSuchRoom(room: "demo"))
    #expect(bench.events.answer(to: 5) == .deleted(id: 5, room: "demo", epoch: 9))
    try bench.reopen()
    #expect(try bench.records("demo").map(\.bytes) == [bytes("d")])
  }

  @Test("a room opens from its newest snapshot and the records after it", arguments: LogKind.here)
  func snapshots(kind: LogKind) throws {
    let bench = try LogBench(kind)
    var generator = SeededGenerator(seed: 9)
    let large = (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let first = try bench.add("demo", ["a", "b"], at: 100)
    #expect(try bench.load("demo").loaded?.snapshot == nil)
    let kept = try bench.snapshot("demo", at: first[1].position, large, shapes: 12)
    #expect(kept == .snapshotted(id: 3, room: "demo", position: first[1].position))
    let third = try bench.add("demo", ["c"], at: 200)[0]
    try bench.reopen()
    let loaded = try #require(try bench.load("demo").loaded)
    let place = SnapshotPlace(
      position: first[1].position,
      milliseconds: 100,
      operations: 2,
      shapes: 12,
      byteCount: large.count
    )
    #expect(loaded.snapshot == RoomSnapshot(place: place, bytes: large))
    #expect(loaded.summary.snapshot == place)
    #expect(loaded.summary.last == third.position)
    // A caller that asks only for a room's position doesn't get the snapshot.
    let summary = try bench.ask { .load(LoadRequest(id: $0, room: "demo", wantsSnapshot: false)) }
    #expect(summary.loaded == LoadedRoom(summary: loaded.summary, snapshot: nil))
    #expect(try bench.records("demo", after: place.position) == [third])
    // The position is before the first snapshot, so the caller gets no snapshot and has to start from the first record.
    #expect(try bench.load("demo", through: .position(first[0].position)).loaded?.snapshot == nil)
    #expect(try bench.load("demo", through: .milliseconds(99)).loaded?.snapshot == nil)
    #expect(try bench.load("demo", through: .milliseconds(100)).loaded?.snapshot?.place == place)
    #expect(try bench.snapshot("demo", at: third.position, [], shapes: 0).error == nil)
    #expect(try bench.load("demo").loaded?.snapshot?.bytes == [])
  }

  @Test("trimming goes to a snapshot, never past it", arguments: LogKind.here)
  func trimming(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let all = try #require(try bench.append("demo", (0..<40).map { bytes("\($0)") }).appended).records
    func trim(_ through: UInt64) throws -> LogEvent {
      try bench.trim("demo", through: through)
    }
    #expect(try trim(all[30].position) == .trimmed(id: 2, room: "demo", through: 0))
    #expect(try bench.records("demo") == all)
    try bench.snapshot("demo", at: all[20].position, bytes("at 20"))
    #expect(try trim(all[30].position) == .trimmed(id: 5, room: "demo", through: all[20].position))
    #expect(try trim(all[10].position) == .trimmed(id: 6, room: "demo", through: all[20].position))
    for _ in 0..<2 {
      #expect(try bench.records("demo", after: all[20].position) == Array(all[21...]))
      let gone = try bench.read("demo", after: all[19].position)
      #expect(gone.error == .trimmed(room: "demo", through: all[20].position))
      #expect(try bench.load("demo").loaded?.snapshot?.bytes == bytes("at 20"))
      let kept = try bench.ask { .load(LoadRequest(id: $0, room: "demo", wantsSnapshot: false)) }.loaded
      #expect(kept?.base?.position == all[20].position && kept?.base?.operations == 21)
      let past = try bench.load("demo", through: .position(all[19].position))
      #expect(past.error == .trimmed(room: "demo", through: all[20].position))
      #expect(try bench.snapshot("demo", at: all[19].position, []).error != nil)
      #expect(try bench.summaries().map(\.operations) == [40])
      try bench.reopen()
    }
  }

  @Test("retention keeps as much history as asked for, readable from a snapshot", arguments: LogKind.here)
  func retention(kind: LogKind) throws {
    let bench = try LogBench(kind, options: SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 10_000) })
    var last: [UInt64] = []
    for second in 0..<60 as Range<UInt64> {
      let record = try bench.add("demo", ["\(second)"], at: second * 1_000)[0]
      last.append(record.position)
      try bench.snapshot("demo", at: record.position, bytes("state \(second)"))
      _ = try bench.ask { .retain(id: $0, milliseconds: second * 1_000) }
    }
    let summary = try #require(try bench.summaries().first)
    // The log must keep the history of the last ten seconds. It can keep up to a quarter more, because it trims only to
    // a snapshot.
    #expect(summary.trimmed <= last[49])
    #expect(summary.trimmed >= last[46])
    #expect(summary.operations == 60)
    try bench.reopen()
    for second in 50..<60 as Range<UInt64> {
      let loaded = try #require(try bench.load("demo", through: .milliseconds(second * 1_000)).loaded)
      let snapshot = try #require(loaded.snapshot)
      let rest = try bench.records("demo", after: snapshot.place.position, through: .milliseconds(second * 1_000))
      let known = snapshot.place.milliseconds / 1_000
      #expect(snapshot.bytes == bytes("state \(known)"))
      #expect(rest.map(\.bytes) == (known..<second).map { bytes("\($0 + 1)") })
      #expect(second - known <= 3)
    }
  }

  @Test("each request has one answer, and closing comes after all of them", arguments: LogKind.here)
  func answers(kind: LogKind) throws {
    let bench = try LogBench(kind)
    var requests: [LogRequest] = []
    for index in 0..<300 {
      requests.append(.append(LogBench.append(bench.nextId(), "room-\(index % 7)", [bytes("\(index)")])))
      requests.append(.read(ReadRequest(id: bench.nextId(), room: "room-\(index % 5)", after: 0)))
      if index % 10 == 0 { requests.append(.delete(id: bench.nextId(), room: "room-\(index % 3)")) }
      if index % 25 == 0 { requests.append(.list(id: bench.nextId())) }
    }
    bench.log.submit(requests)
    bench.close()
    let events = bench.events.all
    #expect(events.last == .closed)
    #expect(events.compactMap(\.id).sorted() == (1...UInt64(requests.count)).map { $0 })
  }

  @Test("each commit is told and counted, with its rooms, records and bytes", arguments: LogKind.here)
  func commits(kind: LogKind) throws {
    let bench = try LogBench(kind, commitsBetweenCuts: nil)
    for index in 0..<10 { try bench.append("room-\(index % 2)", [bytes("ab"), bytes("c")]) }
    // A log in PostgreSQL counts a commit after it has answered, and before it takes the next request.
    _ = try bench.summaries()
    let reports = bench.events.all.compactMap { if case .committed(let report) = $0 { report } else { nil } }
    #expect(reports.map { [$0.rooms, $0.records, $0.bytes] } == Array(repeating: [1, 2, 3], count: 10))
    let figures = bench.log.statistics()
    #expect(
      figures.commits == 10 && figures.records == 20 && figures.bytes == 30 && figures.batchRecords.counts[1] == 10
    )
    #expect(figures.rooms == 2)
  }

  @Test("a room stays trimmed, however long its history becomes", arguments: LogKind.here)
  func base(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let first = try bench.add("demo", ["first"])[0].position
    try bench.snapshot("demo", at: first, bytes("base"))
    try bench.trim("demo", through: first)
    let rest = try #require(try bench.append("demo", (0..<40).map { bytes("\($0)") }).appended).records
    try bench.snapshot("demo", at: rest[39].position, bytes("end"))
    for _ in 0..<2 {
      #expect(try bench.load("demo", through: .position(rest[9].position)).loaded?.snapshot?.bytes == bytes("base"))
      #expect(try bench.load("demo").loaded?.snapshot?.place.operations == 41)
      try bench.reopen()
    }
  }

  @Test("a room can go on from where another log has it", arguments: LogKind.here)
  func moved(kind: LogKind) throws {
    let bench = try LogBench(kind)
    let origin = SnapshotPlace(position: 40, milliseconds: 900, operations: 70, shapes: 3, byteCount: 4)
    func create(_ room: String) throws -> LogEvent {
      try bench.ask {
        .create(CreateRequest(id: $0, room: room, epoch: 5, trimmed: 40, operations: 70, createdMilliseconds: 100))
      }
    }
    #expect(try create("demo") == .created(id: 1, room: "demo"))
    #expect(try create("demo").error == .roomExists(room: "demo"))
    #expect(try create("a/b").error == .badRoomName)
    let kept = try bench.ask {
      .snapshot(
        SnapshotRequest(
          id: $0,
          room: "demo",
          epoch: 5,
          position: 40,
          shapes: 3,
          bytes: bytes("base"),
          isCopy: true,
          origin: origin
        )
      )
    }
    #expect(kept == .snapshotted(id: 4, room: "demo", position: 40))
    let next = try bench.add("demo", ["a"], epoch: 5, mayCreate: false)[0]
    #expect(next.position > 40)
    for _ in 0..<2 {
      let loaded = try #require(try bench.load("demo").loaded)
      #expect(loaded.summary.trimmed == 40 && loaded.summary.operations == 71 && loaded.summary.epoch == 5)
      #expect(loaded.summary.createdMilliseconds == 100)
      #expect(loaded.snapshot == RoomSnapshot(place: origin, bytes: bytes("base")))
      #expect(try bench.records("demo", after: 40) == [next])
      #expect(try bench.load("demo", through: .milliseconds(800)).error == .trimmed(room: "demo", through: 40))
      try bench.reopen()
    }
  }

  @Test("a room that was deleted just before the end leaves nothing to the next one", arguments: LogKind.here)
  func deletedBeforeTheEnd(kind: LogKind) throws {
    let bench = try LogBench(kind)
    try bench.append("old", (0..<20_000).map { bytes("\($0)") })
    try bench.delete("old")
    try bench.reopen()
    let new = try bench.add("new", ["first"])
    #expect(try bench.records("new") == new)
    try bench.reopen()
    #expect(try bench.records("new") == new)
  }
}
