@testable import CanvasCRDT
@testable import RoomLog
@testable import SyncServer

/// The log's store on a simulated disk, which is slow, fails, and loses what was not synced.
struct Disk {
  struct Record {
    let position: UInt64
    let milliseconds: UInt64
    let operations: [Operation]
    /// Whether the record was stored too late: the room had already dropped erasures (tombstones) that might overrule
    /// it.
    let isLate: Bool
    /// A hash of all records up to this one. Two logs with different records have different hashes.
    let mark: UInt64

    /// The operations that a room applies.
    var taken: [Operation] { isLate ? [] : operations }
  }

  /// The canvas that the records add up to. Unlike a room, it never drops erasures (tombstones).
  private struct Sum {
    private var canvas = Canvas()
    private var forgottenBefore: UInt64 = 0

    /// Adds the operations. Ignores all of them if one is older than the forgotten deletions and was not added before.
    /// - Returns: whether the operations were ignored.
    mutating func add(_ stored: StoredOperations) -> Bool {
      forgottenBefore = max(forgottenBefore, stored.forgottenBefore)
      for operation in stored.operations where operation.at.milliseconds < forgottenBefore {
        // If the room holds one of the values of this old operation, the room has already applied the operation.
        // Deletions are left out, because the room might have dropped them.
        let values = operation.set.assigned.subtracting([.deleted])
        let isHere = values.contains { canvas.stamp(of: $0, in: operation.shape) == operation.at }
        if !isHere { return true }
      }
      for operation in stored.operations { canvas.apply(operation) }
      return false
    }
  }

  /// Everything that is durable at some moment.
  private struct State {
    var store = MemoryStore()
    /// All records that the room's log ever had, including those that retention has removed.
    var records: [Record] = []
    var sum = Sum()

    var epoch: UInt64? { store.rooms[Disk.roomName]?.entry.epoch }

    /// The records of this state that the other state doesn't have. After a failover, the two can have different
    /// records at the same position.
    func records(beyond other: State) -> [Record] {
      guard epoch == other.epoch else { return records }
      let common = zip(records, other.records).prefix { $0.mark == $1.mark }.count
      return Array(records.dropFirst(common))
    }
  }

  private var state = State()
  var downUntil: UInt64 = 0
  var isDown = false
  /// The number of the current log of the room. It grows when the room is deleted, when an older copy is restored, and
  /// when a standby that lacks records takes over.
  private(set) var life = 0
  /// The log's timeline. It changes each time a standby takes over.
  private(set) var timeline: UInt64 = 0
  /// An older copy of the whole data directory, for a later restore.
  private var copy: State?
  /// The records of the standby database, which receives the primary's records with a delay.
  private var standby = State()

  var store: MemoryStore { state.store }
  var records: [Record] { state.records }

  static let roomName = "demo"

  var epoch: UInt64? { state.epoch }

  /// The error for an append that was sent before a standby took over. The append might depend on records that the
  /// standby lacks.
  static let otherTimeline = LogError.unavailable(.database("the log goes on from another copy"))

  /// Makes an append durable. Fails if its room is gone.
  mutating func commit(_ request: AppendRequest) throws(LogError) -> AppendedRecords {
    guard request.timeline == timeline else { throw Disk.otherTimeline }
    let appended = try state.store.append(request)
    for record in appended.records {
      guard let stored = StoredOperations(record.bytes) else { continue }
      let isLate = state.sum.add(stored)
      state.records.append(
        Record(
          position: record.position,
          milliseconds: record.milliseconds,
          operations: stored.operations,
          isLate: isLate,
          mark: Disk.mark(of: stored.operations, after: records.last?.mark ?? Disk.noMark)
        )
      )
    }
    return appended
  }

  static func stamps(of request: AppendRequest) -> [Stamp] {
    request.records.compactMap { StoredOperations($0.bytes) }.flatMap(\.operations).map(\.at)
  }

  /// The hash (`mark`) of a log without records.
  static let noMark: UInt64 = 1

  static func mark(of operations: [Operation], after mark: UInt64) -> UInt64 {
    operations.reduce(mark) { mark, operation in
      (mark ^ operation.at.time ^ operation.at.actor.packed) &* 0x100_0000_01B3 &+ operation.shape.packed
    }
  }

  /// The hash of the log's records up to a position.
  func mark(at position: UInt64) -> UInt64 { records.last { $0.position <= position }?.mark ?? Disk.noMark }

  mutating func write(_ request: SnapshotRequest, retention: Retention) throws(LogError) {
    try state.store.store(request, retention: retention)
  }

  mutating func retain(_ retention: Retention, milliseconds: UInt64) -> Bool {
    guard
      let place = store.rooms[Disk.roomName]?.entry.trimmable(by: retention, milliseconds: milliseconds).last
    else { return false }
    _ = state.store.trim(Disk.roomName, to: place, retention: retention)
    return true
  }

  mutating func delete() -> Bool {
    guard (try? state.store.delete(Disk.roomName)) != nil else { return false }
    state.records = []
    state.sum = Sum()
    life += 1
    return true
  }

  mutating func takeCopy() { copy = state }

  /// Restores the older copy of the data directory.
  /// - Returns: the records that are lost by this. `nil` if there is no copy.
  mutating func restoreCopy() -> [Record]? {
    guard let copy else { return nil }
    let lost = state.records(beyond: copy)
    state = copy
    standby = copy
    life += 1
    return lost
  }

  mutating func sendToStandby() { standby = state }

  /// Replaces the primary by the standby, which has only what it received.
  /// - Returns: the records that are lost.
  mutating func failOver() -> [Record] {
    let lost = state.records(beyond: standby)
    if !lost.isEmpty || epoch != standby.epoch { life += 1 }
    state = standby
    timeline += 1
    return lost
  }

  /// Whether the log still has the records that a node was told about, up to a position.
  func has(_ epoch: UInt64, through position: UInt64) -> Bool {
    epoch == self.epoch && position <= records.last?.position ?? 0
  }

  // MARK: Reading

  var summary: RoomSummary? { store.rooms[Disk.roomName]?.entry.summary(damage: nil) }

  /// The last position at or before `last` that was written no later than the given time.
  func position(notAfter milliseconds: UInt64, upTo last: UInt64) -> UInt64 {
    records.last { $0.milliseconds <= milliseconds && $0.position <= last }?.position ?? 0
  }
}
