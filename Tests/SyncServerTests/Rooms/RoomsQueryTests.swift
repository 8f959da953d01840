import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Requests over HTTP, and history")
struct RoomsQueryTests {
  @Test("history is an earlier prefix, by cursor and by time, from a snapshot or from the beginning")
  func history() throws {
    var bench = RoomBench()
    let writer = bench.join()
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
      let ends: [RoomHistory.End] = [
        .position(drawing.position), .time(drawing.time, upTo: .max), .time(.max, upTo: drawing.position),
      ]
      for end in ends {
        var history = RoomHistory(end: end, image: start, seed: 2)
        for record in bench.log { if try !history.fold(record) { break } }
        #expect(history.canvas == drawing.canvas)
        #expect(history.position == drawing.position)
        #expect(history.runs == bench.room.places.runs)
      }
    }
    #expect(bench.room.place(of: bench.room.cursor) == bench.room.position)
    #expect(bench.room.place(of: RoomCursor(epoch: 1, run: bench.run, position: 3).cursor) == nil)
  }

  @Test("a layout becomes shapes on top, in its order")
  func layout() throws {
    var bench = RoomBench()
    let reader = bench.join()
    let shapes = try Import.read(
      Array(
        "{'squares': [{'x': 1, 'y': 2, 'colour': '#FF0000', 'size': 250}, {'x': 3, 'y': 4, 'colour': '#00FF00', 'size': 10}]}"
          .utf8
      )
    )
    let edits = try LayoutEdits(importing: shapes, into: bench.room.canvas, using: &bench.random)
    bench.room.submit(edits, request: 1, actor: bench.shape(5), now: bench.now)
    bench.takeEffects()
    bench.settle()
    #expect(DrawingOrder(bench.clients[reader].canvas).identifiers == edits.made.map(\.shape))
    #expect(bench.room.listing.shapes == 2)
    #expect(bench.room.listing.operations == 2)
    let asked = bench.askOverlaps()
    let index = try #require(asked).index
    #expect(index.document(freePlaceFor: Size(width: 5, height: 5), near: Point(x: 100, y: 100)) != nil)
    let box = Rect(origin: Point(x: 0, y: 0), size: Size(width: 4, height: 4))
    #expect(index.overlapping(box) == Array(edits.made.prefix(1).map(\.shape)))
  }
}

@Suite("Limits")
struct RoomsLimitTests {
  @Test("each limit has one flag, and its default lies in the flag's range")
  func flags() {
    let limits = Limits()
    for flag in Limits.flags {
      #expect(flag.range.contains(limits[keyPath: flag.limit]), "\(flag.name)")
      #expect(flag.name.hasPrefix("--") && !flag.words.isEmpty)
    }
    #expect(Set(Limits.flags.map { $0.name }).count == Limits.flags.count)
    #expect(Limits.flags.count == Mirror(reflecting: limits).children.count)
    #expect(Limits.flags.first { $0.name == "--max-ops-per-message" }?.variable == "CANVAS_MAX_OPS_PER_MESSAGE")
  }

  @Test("operations go out in the turn that makes them durable, and what peers show gathers for a beat")
  func beat() throws {
    var bench = RoomBench { $0.beatMilliseconds = 5 }
    let writer = bench.join()
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
    let state = try Array("{}".utf8).withUnsafeBytes { try JSONText(validating: $0, maximumBytes: 9) }
    bench.say(.presence(state), writer)
    #expect(!bench.room.isFlushDue(now: bench.now))
    #expect(bench.room.flushDueAt == last + 5)
  }

  @Test("a full beat does not wait")
  func fullBeat() {
    var bench = RoomBench {
      $0.beatMilliseconds = 1_000
      $0.beatOperations = 3
    }
    let writer = bench.join()
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.settle()
    let beats = bench.room.counts.beats
    for number in 2...5 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    for _ in 0..<4 { bench.commit() }
    #expect(bench.room.counts.beats == beats + 1)
  }
}
