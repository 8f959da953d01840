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
        .snapshot(
          SnapshotRequest(
            id: 100 + position,
            room: "demo",
            epoch: LogBench.epoch,
            position: position,
            shapes: 1,
            bytes: snapshot
          )
        ),
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
}
