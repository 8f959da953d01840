import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("A room whose log is put back from a copy, with its epoch")
struct RoomsRestoringTests {
  /// Writes records. Returns the cursors before the first record and after each.
  private func write(_ count: Int, _ bench: inout RoomBench, from first: UInt64) -> [Cursor] {
    let writer = bench.join()
    var cursors = [bench.room.cursor]
    for number in 0..<UInt64(count) {
      bench.settle(writer, first + number) { $0.kind = .star }
      cursors.append(bench.room.cursor)
    }
    bench.leave(writer)
    return cursors
  }

  /// Opens the room in a new process, from what the log has.
  private func restart(_ bench: inout RoomBench, image: RoomImage? = nil) throws {
    let read = try image.map { try RoomImage($0.encoded(), seed: 5) }
    var room = RoomBench.room(bench.limits, image: read)
    for record in bench.log { try room.delivered(record, now: bench.now) }
    bench.restart(with: room)
  }

  private func isReset(_ cursor: Cursor, _ bench: inout RoomBench) throws -> Bool {
    let client = bench.join { $0.since = cursor }
    defer { bench.leave(client) }
    return try #require(bench.deliveries(client).first, "no state").reset
  }

  @Test(
    "D7: cursors of what was lost are refused at every position, those from before the copy are honoured",
    arguments: [false, true]
  )
  func copyPutBack(hasSnapshot: Bool) throws {
    var bench = RoomBench()
    let before = write(3, &bench, from: 1)
    var copy = bench
    let image = hasSnapshot ? copy.room.image() : nil
    // After the copy is made, this process writes more records, and then another process does.
    var lost = write(3, &bench, from: 100)
    try restart(&bench)
    lost += write(3, &bench, from: 200)

    // The restored log is shorter, so at first the lost cursors are beyond its end. In the later rounds, another
    // process has written records at the positions of these cursors.
    copy.random = SeededGenerator(seed: 8)
    try restart(&copy, image: image)
    for round in 0..<3 {
      for cursor in before { #expect(try !isReset(cursor, &copy)) }
      for cursor in lost where !before.contains(cursor) {
        #expect(try isReset(cursor, &copy), "in round \(round)")
        #expect(copy.room.fold.place(of: cursor) == nil)
      }
      let new = write(6, &copy, from: 300 + UInt64(round) * 10)
      for cursor in new { #expect(try !isReset(cursor, &copy)) }
      try restart(&copy, image: image)
      for cursor in new { #expect(try !isReset(cursor, &copy)) }
    }
  }

  @Test("a run begins with its first record that is stored, also where the log had refused that")
  func firstRecordTurnsUp() throws {
    var bench = RoomBench()
    _ = write(1, &bench, from: 1)
    try restart(&bench)
    let writer = bench.join()
    let stamp = bench.write(writer, bench.shape(2)) { $0.kind = .star }
    let refused = bench.fail()
    let unknown = try #require(refused)
    #expect(!bench.room.knows(run: bench.run))
    bench.write(writer, bench.shape(3)) { $0.kind = .star }
    bench.deliver(
      RoomRecord(position: 2, milliseconds: bench.now.wallMilliseconds, run: bench.run, operations: unknown.operations)
    )
    #expect(bench.room.knows(run: bench.run))
    #expect(bench.room.canvas.stamp(of: .kind, in: bench.shape(2)) == stamp)
    bench.settle()
    // The same operations arrive again in a record with the number of the process (`run`).
    bench.deliver(
      RoomRecord(position: 4, milliseconds: bench.now.wallMilliseconds, run: bench.run, operations: unknown.operations)
    )
    // A run is all that one process of the server stores. It begins right after the last record of the process before
    // it.
    #expect(bench.room.places.runs.newest.map(\.first) == [1, 2])
    bench.settle()
    bench.expectCaughtUp(writer)
  }

  private func record(_ position: UInt64, run: UInt64?) -> RoomRecord {
    RoomRecord(position: position, milliseconds: RoomBench.epoch, run: run, operations: [])
  }

  @Test("two processes write by turns: cursors of both are honoured, and none of them after an older copy")
  func twoWriters() throws {
    var bench = RoomBench()
    bench.log = [record(1, run: 10), record(2, run: 20), record(3, run: nil), record(4, run: nil)]
    try restart(&bench)
    let cursors = (1...4).map { bench.room.places.cursor(at: $0) }
    #expect(Set(cursors).count == 4)
    for (index, cursor) in cursors.enumerated() { #expect(bench.room.fold.place(of: cursor) == UInt64(index + 1)) }

    bench.log = [record(1, run: 10), record(2, run: 20), record(3, run: 30), record(4, run: 40), record(5, run: nil)]
    try restart(&bench)
    #expect(cursors.map { bench.room.fold.place(of: $0) } == [1, 2, nil, nil])
  }

  @Test("a place that only lost records had is refused, also where the log goes on past it")
  func placeOfLostRecord() throws {
    var bench = RoomBench()
    bench.log = [record(1, run: 10), record(2, run: nil)]
    try restart(&bench)
    let lost = bench.room.cursor
    bench.log = [record(1, run: 10), record(2, run: 20), record(3, run: nil)]
    try restart(&bench)
    #expect(bench.room.fold.place(of: lost) == nil)
  }

  @Test("cursors of a room that no run has written to since runs have numbers are honoured until one does")
  func olderRecords() throws {
    var bench = RoomBench()
    let star = Operation(
      shape: bench.shape(1),
      at: Stamp(milliseconds: RoomBench.epoch, counter: 0, actor: bench.shape(9))!,
      set: Properties()
    )
    bench.log = (1...3).map { RoomRecord(position: $0, milliseconds: RoomBench.epoch, operations: [star]) }
    try restart(&bench)
    let old = bench.room.cursor
    #expect(try !isReset(old, &bench))
    let new = write(2, &bench, from: 2)
    #expect(new.first == old)
    for cursor in new { #expect(try !isReset(cursor, &bench)) }
    let ofOldRun = RoomCursor(epoch: 77, run: RoomRuns.none, position: bench.room.position)
    #expect(try isReset(ofOldRun.cursor, &bench))
  }

  @Test("as many runs are remembered as are bounded; cursors of older ones are refused")
  func manyRuns() throws {
    var bench = RoomBench()
    var cursors: [Cursor] = []
    for number in 0...UInt64(RoomRuns.remembered) {
      cursors += write(1, &bench, from: 1 + number).dropFirst()
      try restart(&bench, image: bench.room.image())
    }
    #expect(bench.room.places.runs.newest.count == RoomRuns.remembered)
    #expect(try isReset(cursors[0], &bench))
    #expect(try !isReset(cursors[1], &bench))
    // The room has forgotten the run (the server process) that wrote position 1. So the room refuses even its own
    // cursor at this position.
    let past = bench.room.places.cursor(at: 1)
    #expect(bench.room.fold.place(of: past) == nil)
    let image = try RoomImage(bench.room.image().encoded(), seed: 1)
    #expect(image.runs == bench.room.places.runs)
  }

  @Test("a record's first byte says how many numbers it has; one of a newer server is refused")
  func records() throws {
    let actor = Identifier(packed: 9)!
    let stamp = Stamp(milliseconds: RoomBench.epoch, counter: 0, actor: actor)!
    let operations = [Operation(shape: actor, at: stamp, set: .star)]
    for run in [nil, 1, UInt64.max, 0x0102_0304_0506_0708] {
      for before in [0, 1_763_650_000_000] as [UInt64] {
        let bytes = StoredOperations(run: run, forgottenBefore: before, operations: operations).encoded()
        #expect(bytes.first == (before > 0 ? 3 : run == nil ? 1 : 2))
        let read = try #require(StoredOperations(bytes))
        #expect(read.run == run && read.forgottenBefore == before && read.operations == operations)
        for count in bytes.indices { #expect(StoredOperations(Array(bytes.prefix(count))) == nil) }
      }
    }
    for first in [0, 4, 255] as [UInt8] {
      #expect(StoredOperations([first] + StoredOperations(run: nil, operations: operations).encoded()[1...]) == nil)
    }
  }

  @Test("snapshots of older versions are read; runs that are out of order, twice there or too many are a named error")
  func impossibleRuns() throws {
    var bench = RoomBench()
    _ = write(1, &bench, from: 1)
    let image = bench.room.image()
    func encoded(_ runs: [(UInt64, UInt64)], version: UInt8 = 4) -> [UInt8] {
      var writer = ByteWriter(capacity: 64)
      writer.append(version)
      for number in [image.position, image.operationCount, image.clockTime, image.canvas.forgottenUpTo] {
        writer.appendVarint(number)
      }
      for _ in 2..<version { writer.appendVarint(0) }
      writer.append(UInt8(0))
      writer.appendVarint(UInt64(runs.count))
      for (place, number) in runs {
        writer.appendVarint(place)
        writer.appendLittleEndian(number)
      }
      return writer.finish()
    }
    for version: UInt8 in 2...4 {
      #expect(try RoomImage(encoded([(3, 1), (4, 2)], version: version), seed: 1).runs.newest.count == 2)
    }
    let many = (1...UInt64(RoomRuns.remembered + 1)).map { ($0, $0) }
    for runs in [[(0, 1)], [(3, 1), (3, 2)], [(4, 1), (3, 2)], [(3, 1), (4, 1)], many] {
      #expect(throws: RoomImageError.malformed("the runs can't be")) { try RoomImage(encoded(runs), seed: 1) }
    }
  }
}
