import Testing

@testable import RoomLog

@Suite("Which snapshots are needed") struct RetentionTests {
  /// A room with a snapshot every `operations` operations, one second apart.
  private func room(snapshots count: UInt64, every operations: UInt64 = 1, trimmed: UInt64 = 0) -> RoomEntry {
    var room = RoomEntry(name: "demo", number: 1, epoch: 7, milliseconds: 0)
    for number in 1...count {
      room.last = number
      room.operations = number * operations
      let place = SnapshotPlace(
        position: number,
        milliseconds: number * 1_000,
        operations: number * operations,
        shapes: 1,
        byteCount: 10
      )
      room.insert(place)
    }
    room.trimmed = trimmed
    return room
  }

  private func kept(_ room: RoomEntry, _ retention: Retention) -> [UInt64] {
    let needless = Set(room.needlessSnapshots(by: retention))
    return room.snapshots.filter { !needless.contains($0) }.map(\.position)
  }

  @Test("if all history is kept, snapshots divide a room's operations into four parts, and the newest stays")
  func everything() {
    #expect(kept(room(snapshots: 100), .everything) == [25, 50, 75, 100])
    #expect(kept(room(snapshots: 10, every: 50), .everything) == [3, 6, 9, 10])
    // There are no operations between the two snapshots, so neither of them divides the operations into parts. The newest
    // snapshot stays, because the room is opened from it.
    #expect(kept(room(snapshots: 2, every: 0), .everything) == [2])
    #expect(kept(room(snapshots: 3), .everything) == [1, 2, 3])
  }

  @Test("with an age, snapshots are a quarter of it apart") func age() {
    let retention = Retention(ageMillisecondsMax: 40_000)
    #expect(kept(room(snapshots: 60), retention) == [10, 20, 30, 40, 50, 60])
    #expect(room(snapshots: 60).trimmable(by: retention, milliseconds: 60_000).map(\.position) == Array(1...20))
    #expect(
      room(snapshots: 60, trimmed: 5).trimmable(by: retention, milliseconds: 60_000).map(\.position) == Array(6...20)
    )
    #expect(room(snapshots: 60).trimmable(by: retention, milliseconds: 39_999).isEmpty)
  }

  @Test("the snapshot that a room is trimmed to stays, however near it is to others; those before it go") func trimmed()
  {
    #expect(kept(room(snapshots: 100, trimmed: 30), .everything) == [30, 55, 80, 100])
    #expect(room(snapshots: 100, trimmed: 30).trimmable(by: .everything, milliseconds: .max).isEmpty)
  }

  @Test("a clock that is days ahead when the log opens trims nothing until it is asked again") func clockAhead() throws
  {
    let day: UInt64 = 86_400_000
    let bench = try LogBench(.sqlite, options: SQLiteOptions { $0.retention = Retention(ageMillisecondsMax: 7 * day) })
    for time in [0, day] { _ = try bench.add("demo", ["\(time)"], at: time) }
    try bench.snapshot("demo", at: 1, bytes("state"))
    try bench.reopen()
    // The machine's clock is 30 days ahead, and is then set right.
    for (time, trimmed) in [(30 * day, 0), (day, 0), (8 * day, 0), (8 * day, 1)] as [(UInt64, UInt64)] {
      _ = try bench.ask { .retain(id: $0, milliseconds: time) }
      #expect(try bench.summaries().map(\.trimmed) == [trimmed], "on day \(time / day)")
    }
  }
}
