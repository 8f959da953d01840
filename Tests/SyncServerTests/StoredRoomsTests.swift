import CanvasCRDT
@testable import RoomLog
import Testing

@testable import SyncServer

@Suite("Comparing a stored room with what its records add up to")
struct StoredRoomsTests {
  /// A log with one room, of which a test can leave out any part.
  private struct Stored {
    var records: [LogRecord] = []
    var snapshots: [RoomSnapshot] = []
    var last: UInt64 = 0
    var trimmed: UInt64 = 0
    /// The positions of the snapshots that are damaged.
    var damaged: Set<UInt64> = []

    var summary: RoomSummary {
      RoomSummary(
        room: "demo",
        epoch: 7,
        last: last,
        trimmed: trimmed,
        operations: last,
        createdMilliseconds: 1,
        changedMilliseconds: 1,
        snapshot: snapshots.last?.place,
        damage: nil
      )
    }

    func answer(_ request: LogRequest) -> LogEvent {
      switch request {
      case .load(let load):
        let candidates = snapshots.reversed().filter {
          if case .position(let bound) = load.through { $0.place.position <= bound } else { true }
        }
        let passedOver = candidates.map(\.place.position).prefix(while: damaged.contains)
        let loaded = LoadedRoom(
          summary: summary,
          snapshot: candidates.dropFirst(passedOver.count).first,
          passedOver: passedOver.map { .damagedSnapshot(room: "demo", position: $0) }
        )
        return .loaded(id: load.id, loaded)
      case .read(let read):
        let rest = records.filter { $0.position > read.after }
        return .read(
          id: read.id,
          RecordPage(room: "demo", epoch: 7, records: rest, through: rest.last?.position ?? read.after, isLast: true)
        )
      default: return .failed(id: request.id, room: request.room, .noRecords)
      }
    }

    var rooms: StoredRooms { StoredRooms { answer($0(1)) } }
    var differences: [String] { rooms.differences(in: "demo") }
  }

  /// A room with four records, and with snapshots at the second and fourth.
  private static func sound() throws -> Stored {
    var stored = Stored()
    var fold = Fold(epoch: 7, seed: 0)
    let actor = try #require(Identifier(packed: 900))
    for number in 1...4 as ClosedRange<UInt64> {
      let stamp = try #require(Stamp(milliseconds: 1_000 + number, counter: 0, actor: actor))
      let shape = try #require(Identifier(packed: number))
      let operations = StoredOperations(run: nil, operations: [Operation(shape: shape, at: stamp, set: .star)])
      let record = LogRecord(position: number, milliseconds: 1, bytes: operations.encoded())
      stored.records.append(record)
      _ = try fold.take(RoomRecord(record, operations), wantsLosses: false) { _, _ in }
      guard number % 2 == 0 else { continue }
      let bytes = fold.image().encoded()
      let place = SnapshotPlace(
        position: number,
        milliseconds: 1,
        operations: number,
        shapes: number,
        byteCount: bytes.count
      )
      stored.snapshots.append(RoomSnapshot(place: place, bytes: bytes))
    }
    stored.last = 4
    return stored
  }

  @Test("a sound room has no differences")
  func nothing() throws {
    #expect(try StoredRoomsTests.sound().differences == [])
  }

  @Test("what precedes a trimmed room's records is the snapshot there, with the number of its operations")
  func trimmed() throws {
    var stored = try StoredRoomsTests.sound()
    stored.trimmed = 2
    stored.records.removeFirst(2)
    #expect(stored.differences == [])
    let (fold, operations) = try stored.rooms.base(of: stored.summary)
    #expect(fold.position == 2 && operations == 2)
  }

  @Test("a snapshot that lacks a record is found")
  func snapshotLacksRecord() throws {
    var stored = try StoredRoomsTests.sound()
    var fold = Fold(epoch: 7, seed: 0)
    for record in stored.records {
      let isLacking = record.position == 3
      let operations = isLacking ? StoredOperations(run: nil, operations: []) : StoredOperations(record.bytes)
      _ = try fold.take(RoomRecord(record, try #require(operations)), wantsLosses: false) { _, _ in }
    }
    stored.snapshots[1] = RoomSnapshot(place: stored.snapshots[1].place, bytes: fold.image().encoded())
    #expect(stored.differences == ["the snapshot of room demo at position 4 is not what its records add up to"])
  }

  @Test(
    "each damaged snapshot is named that the log passes over",
    arguments: [[2], [4], [2, 4]] as [Set<UInt64>]
  )
  func damagedSnapshots(damaged: Set<UInt64>) throws {
    var stored = try StoredRoomsTests.sound()
    stored.damaged = damaged
    #expect(
      stored.differences
        == damaged.sorted(by: >).map {
          "the snapshot of room demo at position \($0) is damaged; the room can be used without it"
        }
    )
  }

  @Test("a record that is missing at the end is found")
  func lastRecordMissing() throws {
    var stored = try StoredRoomsTests.sound()
    stored.records.removeLast()
    stored.snapshots.removeLast()
    #expect(stored.differences == ["room demo lacks its records after position 3: it ended at 4"])
  }

  @Test("a record that is missing in the middle is found")
  func recordMissing() throws {
    var stored = try StoredRoomsTests.sound()
    stored.records.remove(at: 1)
    #expect(stored.differences == ["record 2 of room demo is missing"])
    var fold = Fold(epoch: 7, seed: 0)
    let fault = #expect(throws: StoredRooms.Fault.self) {
      try stored.rooms.take(stored.records, of: stored.summary, into: &fold)
    }
    #expect(fault?.isDamage == true, "the room is left out of a copy, and the others aren't")
  }
}
