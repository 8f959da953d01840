import CanvasCRDT
import Testing

@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

@Suite("Requests over HTTP, and history")
struct RoomsQueryTests {
  @Test("history is an earlier prefix, by cursor and by time, from a snapshot or from the beginning")
  func history() throws {
    var (bench, writer) = RoomBench.withWriter()
    var drawings: [(position: UInt64, time: UInt64, canvas: Canvas)] = []
    var image: RoomImage?
    for number in 1...10 {
      bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star }
      if number == 7 { bench.write(writer, bench.shape(2)) { $0.delete() } }
      bench.settle()
      drawings.append((bench.room.position, bench.now.wallMilliseconds, bench.room.canvas))
      if number == 4 { image = bench.room.image() }
    }
    for (index, drawing) in drawings.enumerated() {
      let start = index >= 3 ? image : nil
      for end in [.position(drawing.position), .time(drawing.time)] as [RoomHistory.End] {
        var history = RoomHistory(end: end, image: start, seed: 2)
        for record in bench.log { if try !history.fold(record) { break } }
        #expect(history.canvas == drawing.canvas)
        #expect(history.position == drawing.position)
        #expect(history.runs == bench.room.places.runs)
      }
    }
    #expect(bench.room.fold.place(of: bench.room.cursor) == bench.room.position)
    #expect(bench.room.fold.place(of: RoomCursor(epoch: 1, run: bench.run, position: 3).cursor) == nil)
  }

  @Test("the list of rooms has each room's cursor, however many operations its records have")
  func listed() {
    var (bench, writer) = RoomBench.withWriter()
    #expect(bench.submit(writer, [ProposedOperation(1, .star), ProposedOperation(2, .star)]) == nil)
    bench.settle()
    let listing = bench.room.listing
    #expect(listing.cursor == bench.room.cursor && listing.operations == 2 && listing.shapes == 2)
    bench.write(writer, bench.shape(2)) { $0.delete() }
    bench.settle(writer, 3) { $0.alpha = 5 }
    #expect(bench.room.listing.shapes == 1, "neither a deleted shape counts, nor an edit of one that isn't there")
  }
}

@Suite("The list of rooms")
struct RoomListTests {
  private func summary(_ room: String, last: UInt64 = 4, snapshotAt position: UInt64? = nil, damage: LogError? = nil)
    -> RoomSummary
  {
    let snapshot = position.map {
      SnapshotPlace(position: $0, milliseconds: 0, operations: $0, shapes: 7, byteCount: 9)
    }
    return RoomSummary(
      room: room,
      epoch: 1,
      last: last,
      trimmed: 0,
      operations: 12,
      createdMilliseconds: 0,
      changedMilliseconds: 0,
      snapshot: snapshot,
      damage: damage
    )
  }

  private let grant = Grant(level: .viewer, rooms: [.prefix("a")])

  @Test("it has the rooms that the token is for, by name, with what is known of them")
  func gathered() {
    let open = RoomListing(room: "a1", shapes: 3, peers: 2, places: RoomPlaces(epoch: 1), position: 5, operations: 6)
    let stored = [
      summary("a2", snapshotAt: 4), summary("b"), summary("a1"), summary("a4", snapshotAt: 3), summary("a3"),
      summary("a0", damage: .damaged(room: "a0", position: 1)),
    ]
    let (list, uncounted) = RoomList.gather(stored, open: [open], elsewhere: ["a2": 8], grant, uncountedMax: 9)
    let rooms = list.take()
    #expect(rooms.map(\.room) == ["a0", "a1", "a2", "a3", "a4"])
    #expect(rooms.map(\.shapes) == [0, 3, 7, 0, 7] && rooms.map(\.peers) == [0, 2, 8, 0, 0])
    #expect(rooms.map(\.position) == [4, 5, 4, 4, 4] && rooms.map(\.operations) == [12, 6, 12, 12, 12])
    #expect(rooms.map { $0.fault != nil } == [true, false, false, false, false])
    #expect(uncounted.map(\.name) == ["a3", "a4"] && uncounted.map(\.index) == [3, 4])
    #expect(list.take().isEmpty, "it is freed where it was made")
    let few = RoomList.gather(stored, open: [], elsewhere: [:], grant, uncountedMax: 1).uncounted
    #expect(few.map(\.name) == ["a1"])
  }

  @Test("rooms that were opened to be counted are put right, and those that are gone are left out")
  func corrected() {
    let stored = ["a0", "a1", "a2", "a3"].map { summary($0) }
    var (list, uncounted) = RoomList.gather(stored, open: [], elsewhere: [:], grant, uncountedMax: 9)
    let counted = RoomListing(room: "a1", shapes: 3, peers: 2, places: RoomPlaces(epoch: 1), position: 5, operations: 6)
    list.correct(uncounted[0], .deleted)
    list.correct(uncounted[1], .counted(counted))
    list.correct(uncounted[3], .faulty("why"))
    let rooms = list.take()
    #expect(rooms.map(\.room) == ["a1", "a2", "a3"] && rooms[0] == counted)
    #expect(rooms[1].fault == nil && rooms[2].fault == "why")
  }
}

@Suite("Limits")
struct RoomsLimitTests {
  @Test("each limit has one flag, its default lies in the flag's range, and help says which ones clients are told")
  func flags() {
    let limits = Limits()
    for flag in Limits.flags {
      #expect(flag.range.contains(limits[keyPath: flag.limit]), "\(flag.name)")
      #expect(flag.name.hasPrefix("--") && !flag.words.isEmpty)
      var changed = limits
      changed[keyPath: flag.limit] += 1
      #expect((changed.roomLimits != limits.roomLimits) == (flag.group == .told), "\(flag.name)")
    }
    #expect(Set(Limits.flags.map { $0.name }).count == Limits.flags.count)
    #expect(Limits.flags.count == Mirror(reflecting: limits).children.count)
    #expect(Limits.flags.first { $0.name == "--max-ops-per-message" }?.variable == "CANVAS_MAX_OPS_PER_MESSAGE")
  }

  @Test("a request's body may be as long as the longest drawing, as long as all bodies together may be, or a message")
  func bodies() {
    var limits = Limits()
    (limits.shapes, limits.textBytes, limits.httpBytes, limits.messageBytes) = (1_000, 2_000, 1 << 30, 16_384)
    #expect(limits.bodyBytes == 1_000 * 1_024 + 2_000 * 7)
    limits.httpBytes = 65_536
    #expect(limits.bodyBytes == 65_536)
    limits.messageBytes = 100_000
    #expect(limits.bodyBytes == 100_000)
  }

  @Test("C2: clients are told the operator's limits") func told() {
    var limits = Limits()
    (limits.messageBytes, limits.operationsPerMessage, limits.operationsPerSecond) = (16_385, 2, 3)
    (limits.shapes, limits.clockAheadMilliseconds, limits.presenceBytes) = (4, 5, 6)
    limits.horizonMilliseconds = 7
    let told = limits.roomLimits
    #expect(told.messageBytes == 16_385 && told.operationsPerMessage == 2 && told.operationsPerSecond == 3)
    #expect(told.shapes == 4 && told.clockAheadMilliseconds == 5 && told.presenceBytes == 6)
    #expect(told.horizonMilliseconds == 7)
  }

  @Test("operations go out in the turn that makes them durable, and what peers show gathers for a beat")
  func beat() throws {
    var (bench, writer) = RoomBench.withWriter { $0.beatMilliseconds = 5 }
    bench.pass(100)
    for alpha in 1...2 {
      bench.write(writer, bench.shape(1)) { ($0.kind, $0.alpha) = (.star, Int16(alpha)) }
      bench.commit()
      #expect(bench.room.isFlushDue(now: bench.now))
      bench.room.flush(now: bench.now)
    }
    let last = bench.now.monotonicMilliseconds
    bench.pass(1)
    let state = JSONText("{}")
    bench.say(.presence(state), writer)
    #expect(!bench.room.isFlushDue(now: bench.now))
    #expect(bench.room.flushDueAt == last + 5)
  }

  @Test("a full beat does not wait")
  func fullBeat() {
    var (bench, writer) = RoomBench.withWriter {
      $0.beatMilliseconds = 1_000
      $0.beatOperations = 3
    }
    bench.settle(writer, 1) { $0.kind = .star }
    let beats = bench.room.counts.beats
    for number in 2...5 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    for _ in 0..<4 { bench.commit() }
    #expect(bench.room.counts.beats == beats + 1)
  }
}
