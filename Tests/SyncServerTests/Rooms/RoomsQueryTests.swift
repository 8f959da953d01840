import CanvasCRDT
import Testing

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

  @Test("operations go out in the turn that makes them durable, and what peers show gathers for a beat")
  func beat() throws {
    var (bench, writer) = RoomBench.withWriter { $0.beatMilliseconds = 5 }
    bench.pass(100)
    for alpha in 1...2 {
      bench.write(writer, bench.shape(1)) {
        $0.kind = .star
        $0.alpha = Int16(alpha)
      }
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
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.settle()
    let beats = bench.room.counts.beats
    for number in 2...5 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    for _ in 0..<4 { bench.commit() }
    #expect(bench.room.counts.beats == beats + 1)
  }
}
