@testable import CanvasCRDT
@testable import RoomLog
@testable import SyncServer

/// The log's own store, with a disk under it that takes its time, fails, and loses what was not synced.
struct Disk {
  struct Record {
    let position: UInt64
    let milliseconds: UInt64
    let operations: [Operation]
    /// Whether it came too late: deletions that it may cross were forgotten before it.
    let isLate: Bool
    /// Of all records up to this one: two histories that differ have different marks.
    let mark: UInt64

    /// The operations that count.
    var taken: [Operation] { isLate ? [] : operations }
  }

  /// What the records add up to, with all deletions remembered.
  private struct Sum {
    var canvas = Canvas()
    var forgottenBefore: UInt64 = 0

    /// - Returns: whether they are left out.
    mutating func add(_ stored: StoredOperations) -> Bool {
      forgottenBefore = max(forgottenBefore, stored.forgottenBefore)
      for operation in stored.operations where operation.at.milliseconds < forgottenBefore {
        let isHere = operation.set.assigned.contains { canvas.stamp(of: $0, in: operation.shape) == operation.at }
        if !isHere { return true }
      }
      for operation in stored.operations { canvas.apply(operation) }
      return false
    }
  }

  /// What is durable.
  private(set) var store = MemoryStore()
  var downUntil: UInt64 = 0
  var isDown = false
  /// Every record that the room's present log ever had, trimmed or not.
  private(set) var records: [Record] = []
  private var sum = Sum()
  /// Which life of the log it is: another after each time that it was deleted or an older copy was put back.
  private(set) var life = 0
  /// An older copy of the whole directory.
  private var copy: (store: MemoryStore, records: [Record], sum: Sum)?
  private var lastRequest: UInt64 = 0

  static let roomName = "demo"

  var epoch: UInt64? { store.rooms[Disk.roomName]?.entry.epoch }

  mutating func request(
    _ batch: Batch,
    operationsMax: Int,
    run: UInt64?,
    epoch: UInt64,
    mayCreate: Bool,
    milliseconds: UInt64
  ) -> AppendRequest {
    lastRequest += 1
    return AppendRequest(
      id: lastRequest,
      room: Disk.roomName,
      epoch: epoch,
      mayCreate: mayCreate,
      milliseconds: milliseconds,
      records: batch.parts(operationsMax: operationsMax).map {
        let stored = StoredOperations(run: run, forgottenBefore: batch.forgottenBefore, operations: $0)
        return NewRecord(bytes: stored.encoded(), operations: UInt32($0.count))
      }
    )
  }

  /// Makes an append durable; nothing where the log refuses it, because its room is gone.
  mutating func commit(_ request: AppendRequest, step: UInt64) -> AppendedRecords? {
    guard let appended = try? store.append(request, step: step) else { return nil }
    for record in appended.records {
      guard let stored = StoredOperations(record.bytes) else { continue }
      let mark = stored.operations.reduce(records.last?.mark ?? 1) { mark, operation in
        (mark ^ operation.at.time ^ operation.at.actor.packed) &* 0x100_0000_01B3 &+ operation.shape.packed
      }
      records.append(
        Record(
          position: record.position,
          milliseconds: record.milliseconds,
          operations: stored.operations,
          isLate: sum.add(stored),
          mark: mark
        )
      )
    }
    return appended
  }

  /// What the log has had up to a place.
  func mark(at position: UInt64) -> UInt64? { records.last { $0.position <= position }?.mark }

  mutating func write(_ request: SnapshotRequest, retention: Retention) {
    try? store.store(request, retention: retention)
  }

  mutating func retain(_ retention: Retention, milliseconds: UInt64) -> Bool {
    guard
      let place = store.rooms[Disk.roomName]?.entry.trimmable(by: retention, milliseconds: milliseconds)
    else { return false }
    _ = store.trim(Disk.roomName, to: place, retention: retention)
    return true
  }

  mutating func delete() -> Bool {
    guard (try? store.delete(Disk.roomName)) != nil else { return false }
    records = []
    sum = Sum()
    life += 1
    return true
  }

  mutating func takeCopy() { copy = (store, records, sum) }

  /// Puts the older copy back as a whole.
  /// - Returns: what the newer one had and the older has not; nothing where there is no copy.
  mutating func restoreCopy() -> [Operation]? {
    guard let copy else { return nil }
    let kept = copy.records.count
    let isSameLife = copy.store.rooms[Disk.roomName]?.entry.epoch == epoch
    let lost = isSameLife ? Array(records.dropFirst(kept)) : records
    store = copy.store
    records = copy.records
    sum = copy.sum
    life += 1
    return lost.flatMap(\.operations)
  }

  // MARK: Reading

  var summary: RoomSummary? { store.rooms[Disk.roomName]?.entry.summary(damage: nil) }

  /// The last place that was written no later than a moment, of those up to another place.
  func position(notAfter milliseconds: UInt64, upTo last: UInt64) -> UInt64 {
    records.last { $0.milliseconds <= milliseconds && $0.position <= last }?.position ?? 0
  }

  func load(through bound: LogBound = .end) -> LoadedRoom? {
    try? store.load(LoadRequest(id: 0, room: Disk.roomName, through: bound))
  }

  func read(after position: UInt64, through bound: LogBound = .end) -> [LogRecord]? {
    var records: [LogRecord] = []
    var after = position
    while true {
      let request = ReadRequest(id: 0, room: Disk.roomName, after: after, through: bound, bytesMax: 700)
      guard let page = try? store.read(request) else { return nil }
      records += page.records
      guard !page.isLast, page.through > after else { return records }
      after = page.through
    }
  }
}
