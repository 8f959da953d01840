import CanvasCRDT
import RoomLog
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Layouts on their way into a room")
struct RoomsLayoutTests {
  private static func squares(_ count: Int) throws -> [ImportedShape] {
    let square = "{'x': 1, 'y': 2, 'colour': '#FF0000', 'size': 9}"
    return try Import.read(
      Array("{'squares': [\(Array(repeating: square, count: count).joined(separator: ","))]}".utf8)
    )
  }

  private static func submit(_ count: Int, to bench: inout RoomBench, request: UInt64) throws {
    try submit(try squares(count), to: &bench, request: request)
  }

  private static func submit(_ shapes: [ImportedShape], to bench: inout RoomBench, request: UInt64) throws {
    let edits = try LayoutEdits(importing: shapes, into: bench.room.canvas, using: &bench.random)
    bench.room.submit(edits, request: request, actor: bench.shape(900 + request), now: bench.now)
    bench.takeEffects()
  }

  /// Delivers one part of a batch to a room that has applied no other records.
  private static func deliver(
    _ operations: [Operation],
    of batch: Batch,
    part: Int,
    endsBatch: Bool,
    to bench: inout RoomBench
  ) {
    let record = RoomRecord(
      position: UInt64(part + 1),
      milliseconds: RoomBench.epoch,
      batch: batch.number,
      endsBatch: endsBatch,
      operations: operations
    )
    bench.deliver(record)
  }

  @Test("batches on their way count, and failed ones don't")
  func counting() throws {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 10 }
    try RoomsLayoutTests.submit(8, to: &bench, request: 1)
    for number in 1...2 as ClosedRange<UInt64> { bench.write(writer, bench.shape(number)) { $0.kind = .star } }
    bench.write(writer, bench.shape(3)) { $0.kind = .star }
    bench.send()
    #expect(bench.rejections(writer) == [.roomFull])
    bench.fail()
    bench.makeStars(writer, 4...11)
    #expect(bench.rejections(writer) == [.roomFull], "the layout's places are free again")
    #expect(bench.room.canvas.liveCount == 10)
    #expect(bench.room.isIdle == false)
    bench.leave(writer)
    #expect(bench.room.isIdle, "nothing is under way")
  }

  @Test("one that is too long is refused whole, and names the first shape too many")
  func refusal() throws {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 10 }
    for number in 1...4 as ClosedRange<UInt64> { bench.write(writer, bench.shape(number)) { $0.kind = .star } }
    try RoomsLayoutTests.submit(7, to: &bench, request: 1)
    bench.settle()
    let refused = try #require(bench.answers.first)
    #expect(
      throws: Rejection(
        operation: 6,
        code: .roomFull,
        message: "the room is full: it has 10 shapes, the most it may have"
      )
    ) {
      try refused.outcome.get()
    }
    #expect(bench.room.canvas.liveCount == 4)
  }

  @Test("each part that has arrived counts once")
  func parts() throws {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 10 }
    try RoomsLayoutTests.submit(8, to: &bench, request: 1)
    let next = bench.takeBatch()
    let batch = try #require(next)
    let parts = batch.parts(operationsMax: 3)
    #expect(parts.map(\.count) == [3, 3, 2])
    for (index, operations) in parts.enumerated() {
      RoomsLayoutTests.deliver(operations, of: batch, part: index, endsBatch: index == 2, to: &bench)
      if index == 0 {
        for number in 1...2 as ClosedRange<UInt64> { bench.write(writer, bench.shape(number)) { $0.kind = .star } }
      }
      bench.takeEffects()
      #expect(bench.answers.map(\.request) == (index < 2 ? [] : [1]))
    }
    bench.settle()
    #expect(bench.rejections(writer).isEmpty)
    #expect(bench.room.listing.shapes == 10 && bench.room.listing.operations == 10)
  }

  @Test("its texts count while it is on its way, and each once when it arrives in parts")
  func texts() throws {
    var (bench, writer) = RoomBench.withWriter { $0.textBytes = 40 }
    var shapes = try RoomsLayoutTests.squares(4)
    for index in shapes.indices { shapes[index].properties.text = "ten bytes!" }
    try RoomsLayoutTests.submit(shapes, to: &bench, request: 1)
    bench.write(writer, bench.shape(1)) { $0.text = "x" }
    bench.send()
    #expect(bench.rejections(writer) == [.roomFull])
    bench.fail()
    shapes.removeLast()
    try RoomsLayoutTests.submit(shapes, to: &bench, request: 2)
    let next = bench.takeBatch()
    let batch = try #require(next)
    for (index, operations) in batch.parts(operationsMax: 2).enumerated() {
      RoomsLayoutTests.deliver(operations, of: batch, part: index, endsBatch: index == 1, to: &bench)
      if index == 0 { bench.write(writer, bench.shape(2)) { $0.text = "ten more.." } }
    }
    bench.settle()
    #expect(bench.rejections(writer) == [.roomFull], "ten bytes were left")
    #expect(bench.room.canvas.longBytes == 40)
    try RoomsLayoutTests.submit(shapes, to: &bench, request: 3)
    let refused = try #require(bench.answers.last)
    #expect(throws: Rejection.self) { try refused.outcome.get() }
  }

  @Test("its stamps are later than the room's, each once, and the room goes on after them")
  func stamps() throws {
    var (bench, writer) = RoomBench.withWriter()
    bench.settle(writer, 1) { $0.kind = .star }
    let before = try #require(bench.room.canvas.stamp(of: .kind, in: bench.shape(1)))
    try RoomsLayoutTests.submit(3, to: &bench, request: 1)
    bench.room.submit([ProposedOperation(2, .star)], request: 2, actor: bench.shape(8), now: bench.now)
    bench.takeEffects()
    let (first, second) = (bench.takeBatch(), bench.takeBatch())
    let layout = try #require(first)
    let other = try #require(second)
    let times = layout.operations.map(\.at.time)
    #expect(times == times.sorted() && Set(times).count == 3)
    #expect(times[0] > before.time)
    #expect(other.operations[0].at.time > times[2])
  }

  @Test("a name with hidden characters is refused with the number of its operation")
  func names() throws {
    var bench = RoomBench()
    var shapes = try RoomsLayoutTests.squares(3)
    shapes[1].properties.name = "a\u{202E}b"
    let error = #expect(throws: Rejection.self) {
      try LayoutEdits(importing: shapes, into: bench.room.canvas, using: &bench.random)
    }
    #expect(error?.operation == 1 && error?.code == .badValue)
  }
}

@Suite("A room and its log")
struct OpenRoomTests {
  /// An empty room whose log has reached a position.
  private static func room(position: UInt64, snapshotPosition: UInt64) throws -> OpenRoom {
    var head = ByteWriter(capacity: 16)
    head.append(UInt8(2))
    // The numbers in the image (snapshot) of an empty room: its position, and zero for everything else.
    for number in [position, 0, 0, 0, 0, 0] as [UInt64] { head.appendVarint(number) }
    let image = try RoomImage(head.finish(), seed: 1)
    let room = Room(name: "demo", epoch: 1, limits: Limits(), framing: .byLength, seed: 1, image: image)
    return OpenRoom(name: "demo", room: room, isStored: true, snapshotPosition: snapshotPosition)
  }

  @Test("of the appends that may create a room no two propose the same epoch, and the first stored is the room's")
  func epochs() {
    let open = OpenRoom.inTests(isStored: false)
    var next: UInt64 = 1
    func proposed() -> UInt64 {
      open.epochToAppend {
        next += 1
        return next
      }
    }
    #expect([proposed(), proposed(), proposed()] == [1, 2, 3])
    #expect(open.begin(epoch: 2))
    #expect(open.room.epoch == 2 && proposed() == 2)
    #expect(!open.begin(epoch: 3))
  }

  @Test("a snapshot that comes to nothing covers nothing, and the next tries are further and further apart")
  func refusedSnapshots() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 3)
    #expect(open.lacksSnapshot && open.awaitsSnapshot && !open.isWorthSnapshot)
    open.noteDamage(at: 5, isSnapshot: false)
    var now: UInt64 = 5_000
    for pause in [1_000, 2_000, 4_000] as [UInt64] {
      #expect(open.isWorthSnapshot && open.snapshot.mayBegin(now: now))
      open.beginSnapshot()
      #expect(!open.lacksSnapshot && !open.snapshot.mayBegin(now: now))
      open.endSnapshot(position: 7, operations: 0, isStored: false, now: now)
      #expect(open.awaitsSnapshot && !open.snapshot.mayBegin(now: now + pause - 1))
      now += pause
    }
    open.beginSnapshot()
    open.endSnapshot(position: 7, operations: 0, isStored: true, now: now)
    #expect(!open.lacksSnapshot && !open.isWorthSnapshot && open.snapshot.mayBegin(now: now + 1))
  }

  @Test("a new snapshot of long texts is worth its cost only after more operations", arguments: [4_300, 4_700])
  func longTexts(operations: UInt64) {
    var (bench, writer) = RoomBench.withWriter()
    let text = Text(String(repeating: "x", count: 4_000))
    for number in 0..<operations {
      bench.settle(writer, 1 + number % 300) {
        $0.kind = .text
        if number < 300 { $0.text = text }
      }
    }
    let open = OpenRoom(name: "demo", room: bench.room, isStored: true, snapshotPosition: 0)
    open.beginSnapshot()
    open.endSnapshot(position: 0, operations: 0, isStored: true, now: 0)
    #expect(open.room.canvas.longBytes == 1_200_000)
    #expect(open.isWorthSnapshot == (operations > 1_200_000 / 256))
  }

  @Test("only a snapshot that covers the damage stands for it, also where one was under way when it was found")
  func damageAfterSnapshot() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 3)
    open.beginSnapshot()
    // The snapshot began at position 5, and the room has reached position 7 since.
    open.noteDamage(at: 6, isSnapshot: false)
    open.endSnapshot(position: 5, operations: 0, isStored: true, now: 0)
    #expect(open.isLogDamaged && open.awaitsSnapshot && open.isWorthSnapshot)
    open.beginSnapshot()
    open.endSnapshot(position: 7, operations: 0, isStored: true, now: 0)
    #expect(!open.isLogDamaged && !open.awaitsSnapshot)
    open.noteDamage(at: 6, isSnapshot: false)
    #expect(!open.isLogDamaged, "a snapshot covers it")
  }

  @Test("a room whose newest snapshot is damaged gets another one before it closes")
  func damagedSnapshot() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 7)
    #expect(!open.lacksSnapshot)
    open.noteDamage(at: 3, isSnapshot: true)
    #expect(!open.lacksSnapshot, "a newer one is sound")
    open.noteDamage(at: 7, isSnapshot: true)
    #expect(open.awaitsSnapshot && open.isWorthSnapshot)
    open.beginSnapshot()
    open.endSnapshot(position: 7, operations: 0, isStored: true, now: 0)
    #expect(!open.isLogDamaged && !open.lacksSnapshot)
  }

  @Test("a room whose stored records are damaged makes no room for another")
  func damagedRoomsStay() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 3)
    var rooms = RoomTable(roomsMax: 1)
    rooms.add(open)
    #expect(rooms.isFull && rooms.dispensable === open)
    open.noteDamage(at: 5, isSnapshot: false)
    #expect(rooms.dispensable == nil)
    open.beginSnapshot()
    open.endSnapshot(position: 7, operations: 0, isStored: true, now: 0)
    #expect(rooms.dispensable === open)
  }

  @Test("a snapshot that is still being made when the server stops counts only once the log has been given it")
  func snapshotsAtTheEnd() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 3)
    open.beginSnapshot()
    #expect(!open.lacksSnapshot && open.lacksSnapshotAtTheEnd)
    open.giveSnapshot(position: 7)
    #expect(!open.lacksSnapshotAtTheEnd)
    open.endSnapshot(position: 7, operations: 0, isStored: false, now: 0)
    #expect(open.lacksSnapshotAtTheEnd, "the log has not taken it")
  }

  @Test("a room that the log has doesn't stay open for a snapshot that came to nothing")
  func roomsGoWithoutSnapshot() throws {
    let open = try OpenRoomTests.room(position: 7, snapshotPosition: 3)
    #expect(open.awaitsSnapshot)
    open.beginSnapshot()
    open.endSnapshot(position: 7, operations: 0, isStored: false, now: 0)
    #expect(!open.awaitsSnapshot && open.lacksSnapshot)
  }
}

@Suite("Answers of the log that rooms have not processed yet")
struct DeliveriesTests {
  @Test("rooms take turns, and each room's answers keep their order")
  func turns() {
    var deliveries = Deliveries()
    let (large, small) = (OpenRoom.inTests("large"), OpenRoom.inTests("small"))
    for position in 1...200 as ClosedRange<UInt64> {
      deliveries.add(.record(LogRecord(position: position, milliseconds: 0, bytes: []), part: 0, of: nil), for: large)
    }
    for position in 1...3 as ClosedRange<UInt64> {
      deliveries.add(.record(LogRecord(position: position, milliseconds: 0, bytes: []), part: 0, of: nil), for: small)
    }
    #expect(!large.mayGo)
    var taken: [(String, UInt64)] = []
    while let (open, answer) = deliveries.takeNext() {
      if case .record(let record, _, _) = answer { taken.append((open.name, record.position)) }
    }
    #expect(taken.prefix(6).map(\.0) == ["large", "small", "large", "small", "large", "small"])
    #expect(taken.filter { $0.0 == "large" }.map(\.1) == Array(1...200))
    #expect(taken.filter { $0.0 == "small" }.map(\.1) == [1, 2, 3])
    #expect(deliveries.isEmpty && large.mayGo)
  }
}
