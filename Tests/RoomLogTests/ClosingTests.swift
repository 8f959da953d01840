import Testing

@testable import RoomLog

@Suite("A log in SQLite that is closed")
struct ClosingTests {
  @Test("it doesn't go through all rooms for the retentions that wait, and answers them")
  func retentions() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    var options = SQLiteOptions()
    options.retention = Retention(ageMillisecondsMax: 0)
    // With a time limit of zero, each iteration of the writer cleans up only one room.
    options.clearingMicrosecondsMax = 0
    let events = EventCollector()
    let halves = try LogHalves(directory: directory, options: options) { events.take($0) }
    let rooms = (1...40).map { "room-\($0)" }
    halves.writing.add(rooms.enumerated().map { .append(LogBench.append(UInt64($0), $1, [bytes("first")])) })
    _ = halves.writer.turn()
    halves.writing.add(
      rooms.enumerated().map { .snapshot(SnapshotRequest(100 + UInt64($0), of: $1, at: 1, bytes("snapshot"))) }
    )
    repeat { _ = halves.writer.turn() } while !halves.writer.isIdle
    for id in 500..<503 as Range<UInt64> { halves.writing.add([.retain(id: id, milliseconds: .max)]) }
    _ = halves.writer.turn()
    halves.writing.close()
    var turns = 0
    while halves.writer.turn() { turns += 1 }
    halves.letGo()
    #expect(turns < 5)
    for id in 500..<503 as Range<UInt64> {
      #expect(events.all.filter { $0.id == id } == [.failed(id: id, room: nil, .isClosing)])
    }
  }
}
