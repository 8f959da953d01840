import CSQLite
import Glibc
import Testing

@testable import RoomLog

/// The rules about rooms that all logs share, as values.
@Suite("Rules about rooms")
struct RoomRulesTests {
  // MARK: Entries

  @Test("a record has at most 64 MiB, and one that has more keeps the whole append out")
  func recordBytes() {
    func error(_ counts: [Int]) -> LogError? {
      let records = counts.map { NewRecord(bytes: [UInt8](repeating: 0, count: $0), operations: 1) }
      do throws(LogError) { try RoomEntry.check(records) } catch { return error }
      return nil
    }
    #expect(error([64 << 20]) == nil)
    #expect(error([1, (64 << 20) + 1]) == .recordTooLarge(bytes: (64 << 20) + 1, bytesMax: 64 << 20))
  }

  private func place(_ position: UInt64, milliseconds: UInt64 = 0, shapes: UInt64 = 0) -> SnapshotPlace {
    SnapshotPlace(position: position, milliseconds: milliseconds, operations: 0, shapes: shapes, byteCount: 0)
  }

  @Test(
    "snapshots are in the order of their positions, a newer one takes its place, and the newest up to a bound is found"
  )
  func snapshots() {
    var entry = RoomEntry(name: "demo", number: 1, epoch: 7, milliseconds: 0)
    for position in [5, 9, 1] as [UInt64] { entry.insert(place(position, milliseconds: position * 10)) }
    entry.insert(place(5, milliseconds: 50, shapes: 3))
    #expect(entry.snapshots.map(\.position) == [1, 5, 9] && entry.snapshots[1].shapes == 3)
    let bounds: [(LogBound, UInt64?)] = [
      (.end, 9), (.position(9), 9), (.position(8), 5), (.position(0), nil), (.milliseconds(50), 5),
      (.milliseconds(49), 1),
      (.milliseconds(9), nil),
    ]
    for (bound, position) in bounds { #expect(entry.snapshot(through: bound)?.position == position, "\(bound)") }
    #expect(!entry.lacksBase)
    entry.trimmed = 9
    #expect(!entry.lacksBase)
    entry.trimmed = 10
    #expect(entry.lacksBase)
    entry.lacksSnapshots = true
    #expect(!entry.lacksBase, "there may be one that can't be read")
  }

  @Test("a snapshot's time is that of its record; else of an earlier one there, or of the log that it comes from")
  func snapshotTimes() {
    let origin = SnapshotPlace(position: 4, milliseconds: 1, operations: 2, shapes: 9, byteCount: 9)
    var earlier = origin
    (earlier.milliseconds, earlier.operations) = (3, 4)
    let request = SnapshotRequest(
      id: 1,
      room: "demo",
      epoch: 7,
      position: 4,
      shapes: 5,
      bytes: [1, 2, 3],
      origin: origin
    )
    let cases: [((milliseconds: UInt64, operations: UInt64)?, SnapshotPlace?, UInt64, UInt64)] = [
      ((5, 6), earlier, 5, 6), (nil, earlier, 3, 4), (nil, nil, 1, 2),
    ]
    for (last, before, milliseconds, operations) in cases {
      let place = SnapshotPlace(of: request, last: last, earlier: before)
      let expected = SnapshotPlace(
        position: 4,
        milliseconds: milliseconds,
        operations: operations,
        shapes: 5,
        byteCount: 3
      )
      #expect(place == expected)
    }
  }

  // MARK: Damage

  @Test("of a room's damages that one is known that keeps it from opening, and of these the first")
  func damages() {
    let shared = SharedFigures()
    func note(_ position: UInt64, isHistory: Bool = false) -> UInt64? {
      shared.note(.init(room: "demo", position: position, isHistory: isHistory), room: 1)
      return shared.damage(room: 1)?.position
    }
    #expect(note(8, isHistory: true) == 8 && shared.refusal(room: 1) == nil)
    #expect(note(9, isHistory: true) == 8 && note(7, isHistory: true) == 7)
    #expect(note(20) == 20 && shared.refusal(room: 1) == .damaged(room: "demo", position: 20))
    #expect(note(3, isHistory: true) == 20 && note(21) == 20 && note(19) == 19)
    shared.cover(room: 1, through: 18)
    #expect(shared.refusal(room: 1) != nil)
    shared.cover(room: 1, through: 19)
    #expect(shared.refusal(room: 1) == nil && shared.statistics.damagedRooms == 1)
    shared.clearDamage(room: 1, through: 18)
    #expect(shared.damage(room: 1) != nil)
    shared.clearDamage(room: 1, through: 19)
    #expect(shared.damage(room: 1) == nil)
    // No record covers a damaged entry, and none that is dropped ends it. But it is sound if it was read.
    _ = note(0)
    shared.cover(room: 1, through: 9)
    shared.clearDamage(room: 1, through: 9)
    #expect(shared.refusal(room: 1) == .damaged(room: "demo", position: 0))
    shared.noteSound(room: 1, through: 0)
    #expect(shared.damage(room: 1) == nil)
    _ = note(9)
    shared.noteSound(room: 1, through: 8)
    #expect(shared.damage(room: 1) != nil)
  }

  @Test("damaged rooms are counted once each, until they are gone or sound")
  func damagedRooms() {
    let shared = SharedFigures()
    for number in 1...4 as ClosedRange<Int64> {
      shared.note(.init(room: "\(number)", position: 1, isHistory: false), room: number)
      shared.noteSnapshots(areDamaged: true, room: number + 2)
    }
    #expect(shared.statistics.damagedRooms == 6 && shared.hasDamagedSnapshot(room: 6))
    shared.clearDamage(roomsAfter: 1, through: 3)
    #expect(shared.statistics.damagedRooms == 4)
    #expect((1...6).map { shared.damage(room: $0) != nil } == [true, false, false, true, false, false])
    #expect((1...6).map { shared.hasDamagedSnapshot(room: $0) } == [false, false, false, true, true, true])
    shared.clearDamage(room: 4)
    shared.noteSnapshots(areDamaged: false, room: 5)
    #expect(shared.statistics.damagedRooms == 2)
  }

  // MARK: Rooms that can't be read

  /// Looks for the first room above a number, where rows in a range can't be read.
  /// - Returns: the room, the search, and how often it read.
  private func find(
    after number: Int64,
    rooms: [Int64],
    unreadable: ClosedRange<Int64>
  ) -> (room: Int64?, search: UnreadableRooms, reads: Int) {
    var search = UnreadableRooms(after: number)
    var reads = 0
    while true {
      reads += 1
      let room = rooms.first { $0 > search.next }
      if let room, unreadable.contains(room) {
        guard search.isUnreadable() else { return (nil, search, reads) }
      } else if search.isReadable() {
        return (room, search, reads)
      }
    }
  }

  @Test("the first room behind those that can't be read is found, however many they are, and they are named")
  func unreadableRooms() {
    for count in 1...20 as ClosedRange<Int64> {
      for first in 1...count {
        for last in first...count {
          let found = find(after: first - 1, rooms: Array(1...count), unreadable: first...last)
          #expect(found.room == (last < count ? last + 1 : nil), "\(first) to \(last) of \(count)")
          let isNamed =
            found.search.concern(in: "here")
            == .concern(
              "here: rows about the rooms numbered \(first) to \(last) can't be read, so these are not verified"
            )
          #expect(isNamed, "\(String(describing: found.search.concern(in: "")))")
        }
      }
    }
    let sound = find(after: 0, rooms: [3], unreadable: 4...9)
    #expect(sound.room == 3 && sound.reads == 1 && sound.search.concern(in: "here") == nil)
    let far = find(after: 0, rooms: [1, 1 << 40, 1 << 62], unreadable: 1...1 << 40)
    #expect(far.room == 1 << 62 && far.reads <= 127)
    let all = find(after: 5, rooms: [6, .max], unreadable: 6 ... .max)
    #expect(all.room == nil && all.reads <= 127)
  }

  // MARK: Faults of a disk

  @Test("an error of SQLite is said as what an operator can do something about")
  func faults() {
    func fault(_ code: Int32, _ systemError: Int32 = 0) -> StorageFault {
      SQLiteFailure(code: code, systemError: systemError, message: "words").fault(path: "db")
    }
    let full = StorageFault.diskFull(path: "db")
    for error in [ENOSPC, EDQUOT, EFBIG] { #expect(fault(SQLITE_IOERR, error) == full) }
    for (code, expected) in [
      (SQLITE_FULL, full), (SQLITE_READONLY, .readOnly(path: "db")), (SQLITE_PERM, .noRight(path: "db")),
      (SQLITE_AUTH, .noRight(path: "db")), (SQLITE_BUSY, .locked(path: "db")), (SQLITE_LOCKED, .locked(path: "db")),
      (SQLITE_NOTADB, .notADatabase(path: "db")), (SQLITE_CORRUPT, .damaged(path: "db", detail: "words")),
      (SQLITE_NOMEM, .outOfMemory), (SQLITE_IOERR | 4 << 8, .syncFailed(path: "db", detail: "words")),
      (SQLITE_IOERR | 5 << 8, .syncFailed(path: "db", detail: "words")),
      (SQLITE_IOERR | 1 << 8, .inputOutput(path: "db", detail: "words")),
      (SQLITE_CANTOPEN, .inputOutput(path: "db", detail: "words")), (SQLITE_BUSY | 2 << 8, .locked(path: "db")),
    ] as [(Int32, StorageFault)] { #expect(fault(code) == expected, "\(code)") }
    for error in [EACCES, EPERM] { #expect(fault(SQLITE_CANTOPEN, error) == .noRight(path: "db")) }
    #expect(fault(SQLITE_CANTOPEN, EROFS) == .readOnly(path: "db"))
    #expect(fault(SQLITE_IOERR, EIO) == .inputOutput(path: "db", detail: "words, Input/output error"))
  }

  @Test(
    "damage is told from a disk that fails, and both from what only reading meets",
    arguments: [
      (SQLITE_CORRUPT, true, true), (SQLITE_CORRUPT | 1 << 8, true, true), (SQLITE_NOTADB, true, true),
      (SQLITE_CONSTRAINT | 6 << 8, true, true), (SQLITE_BUSY, false, true), (SQLITE_IOERR | 1 << 8, false, true),
      (SQLITE_IOERR | 3 << 8, false, false), (SQLITE_IOERR, false, false), (SQLITE_FULL, false, false),
    ]
  )
  func kinds(code: Int32, isDamage: Bool, isOfReading: Bool) {
    let failure = SQLiteFailure(code: code, systemError: 0, message: "")
    #expect(failure.isDamage == isDamage && failure.isOfReading == isOfReading)
  }
}
