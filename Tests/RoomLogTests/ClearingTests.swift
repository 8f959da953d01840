import Basics
import Synchronization
import Testing

@testable import RoomLog

@Suite("What a log in SQLite no longer needs")
struct ClearingTests {
  @Test("replaced snapshots are deleted also while there is always another one to write")
  func replacedSnapshots() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    var options = SQLiteOptions()
    // Each turn of the writer writes one part of a snapshot, or deletes four.
    options.clearingMicrosecondsMax = 0
    // Only the newest snapshot is kept.
    options.retention = Retention(ageMillisecondsMax: 1_000_000)
    let halves = try LogHalves(directory: directory, options: options) { _ in }
    let parts = 6
    let snapshot = [UInt8](repeating: 7, count: parts * WriterBounds.snapshotPartBytes)
    var partsMax: Int64 = 0
    for position in 1...20 as ClosedRange<UInt64> {
      halves.writing.add([
        .append(LogBench.append(position, "demo", [bytes("record")])),
        .snapshot(SnapshotRequest(100 + position, at: position, snapshot)),
      ])
      for _ in 0..<(position == 1 ? 1 : parts) { _ = halves.writer.turn() }
      let database = try #require(halves.writer.connection?.database)
      partsMax = max(partsMax, try database.number("SELECT count(*) FROM snapshot_parts"))
    }
    halves.writing.close()
    while halves.writer.turn() {}
    halves.letGo()
    #expect(partsMax <= 4 * Int64(parts))
  }

  @Test("what a crash has left of a snapshot is deleted after the next start")
  func halfWrittenSnapshot() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    do {
      let crashed = try LogHalves(directory: directory, options: SQLiteOptions()) { _ in }
      let parts = [UInt8](repeating: 7, count: 3 * WriterBounds.snapshotPartBytes)
      let snapshot = SnapshotRequest(2, at: 1, parts)
      crashed.writing.add([.append(LogBench.append(1, "demo", [bytes("record")])), .snapshot(snapshot)])
      _ = crashed.writer.turn()
      crashed.letGo()
    }
    let halves = try LogHalves(directory: directory, options: SQLiteOptions()) { _ in }
    let database = try #require(halves.writer.connection?.database)
    #expect(try database.number("SELECT count(*) FROM snapshot_parts") == 1)
    while !halves.writer.isIdle { _ = halves.writer.turn() }
    #expect(try database.number("SELECT count(*) FROM snapshot_parts") == 0)
    halves.letGo()
  }

  @Test("the write-ahead log begins anew also while somebody always reads")
  func writeAheadLog() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    var options = SQLiteOptions()
    options.checkpointPages = 8
    let reading = Mutex<RequestQueue?>(nil)
    let reads = Mutex(0)
    let read = LogRequest.read(ReadRequest(id: 1, room: "demo", epoch: LogBench.epoch, after: 0, bytesMax: 1 << 20))
    let halves = try LogHalves(directory: directory, options: options) { events in
      for case .read in events {
        reads.withLock { $0 += 1 }
        reading.withLock { $0?.add([read]) }
      }
    }
    reading.withLock { $0 = halves.reading }
    let records = (1...1_000).map { _ in [UInt8](repeating: 1, count: 500) }
    halves.writing.add([.append(LogBench.append(1, "demo", records))])
    _ = halves.writer.turn()
    nonisolated(unsafe) let reader = halves.reader
    let thread = try SystemThread { reader.run() }
    halves.reading.add([read, read])
    // How often it has begun anew while there was always something to read. How long a read takes, and so how many
    // commits come meanwhile, depends on the machine.
    var beginnings = 0
    var pages: Int32 = 0
    var number: UInt64 = 1
    while beginnings < 3, number < 2_000 {
      number += 1
      let isRead = reads.withLock { $0 > 0 }
      halves.writing.add([.append(LogBench.append(number, "demo", [[UInt8](repeating: 2, count: 4_000)]))])
      _ = halves.writer.turn()
      let former = pages
      pages = try #require(halves.writer.connection).writeAheadPages
      if isRead, pages < former { beginnings += 1 }
    }
    reading.withLock { $0 = nil }
    halves.reading.close()
    thread.join()
    halves.writing.close()
    while halves.writer.turn() {}
    halves.letGo()
    #expect(beginnings == 3, "\(number) commits, \(pages) pages")
  }
}
