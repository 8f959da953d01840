@testable import CanvasCRDT
@testable import RoomLog
@testable import SyncServer

/// The log's own store, on a disk that takes its time, fails, and loses what was not synced.
struct Disk {
  struct Record {
    let position: UInt64
    let milliseconds: UInt64
    let operations: [Operation]
    /// Whether the record came too late: deletions that it may cross were forgotten before it.
    let isLate: Bool
    /// A hash of all records up to this one, so that two logs with different records have different marks.
    let mark: UInt64

    /// The operations that rooms take: none if the record is too late.
    var taken: [Operation] { isLate ? [] : operations }
  }

  /// What the records add up to, with all deletions remembered.
  private struct Sum {
    var canvas = Canvas()
    var forgottenBefore: UInt64 = 0

    /// Adds the operations, unless they are too late.
    /// - Returns: whether they were left out.
    mutating func add(_ stored: StoredOperations) -> Bool {
      forgottenBefore = max(forgottenBefore, stored.forgottenBefore)
      for operation in stored.operations where operation.at.milliseconds < forgottenBefore {
        // Deletions don't count. If a deletion is from before that time, it can't be known whether it was accepted
        // before.
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
    /// Every record that the room's log has had, including trimmed ones.
    var records: [Record] = []
    var sum = Sum()

    var epoch: UInt64? { store.rooms[Disk.roomName]?.entry.epoch }

    /// The records of this state that another state lacks. At one place the two may have different records, as after a
    /// standby has taken over.
    func records(beyond other: State) -> [Record] {
      guard epoch == other.epoch else { return records }
      let common = zip(records, other.records).prefix { $0.mark == $1.mark }.count
      return Array(records.dropFirst(common))
    }
  }

  private var state = State()
  var downUntil: UInt64 = 0
  var isDown = false
  /// The number of the log's life: another one each time the room was deleted or an older copy was put back.
  private(set) var life = 0
  /// The log's timeline: another one each time a standby has taken over.
  private(set) var timeline: UInt64 = 0
  /// An older copy of the whole data directory.
  private var copy: State?
  /// What a standby has. It is sent everything, some time later.
  private var standby = State()
  private var lastRequest: UInt64 = 0

  var store: MemoryStore { state.store }
  var records: [Record] { state.records }

  static let roomName = "demo"

  var epoch: UInt64? { state.epoch }

  mutating func request(
    _ batch: Batch,
    operationsMax: Int,
    run: UInt64?,
    epoch: UInt64,
    mayCreate: Bool,
    milliseconds: UInt64,
    timeline: UInt64
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
      },
      timeline: timeline
    )
  }

  /// The refusal of an append that was sent before a standby took over: the append might follow records that the
  /// standby lacks.
  static let otherTimeline = LogError.unavailable(.database("the log goes on from another copy"))

  /// Makes an append durable, unless its room is gone.
  mutating func commit(_ request: AppendRequest) throws(LogError) -> AppendedRecords {
    guard request.timeline == timeline else { throw Disk.otherTimeline }
    let appended = try state.store.append(request, step: 1)
    for record in appended.records {
      guard let stored = StoredOperations(record.bytes) else { continue }
      state.records.append(
        Record(
          position: record.position,
          milliseconds: record.milliseconds,
          operations: stored.operations,
          isLate: state.sum.add(stored),
          mark: Disk.mark(of: stored.operations, after: records.last?.mark ?? Disk.noMark)
        )
      )
    }
    return appended
  }

  /// The mark of a room without records.
  static let noMark: UInt64 = 1

  static func mark(of operations: [Operation], after mark: UInt64) -> UInt64 {
    operations.reduce(mark) { mark, operation in
      (mark ^ operation.at.time ^ operation.at.actor.packed) &* 0x100_0000_01B3 &+ operation.shape.packed
    }
  }

  /// The mark of the log up to a place.
  func mark(at position: UInt64) -> UInt64 { records.last { $0.position <= position }?.mark ?? Disk.noMark }

  mutating func write(_ request: SnapshotRequest, retention: Retention) {
    guard request.timeline == timeline else { return }
    try? state.store.store(request, retention: retention)
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

  /// Puts the older copy back as a whole.
  /// - Returns: the records that only the newer state had. `nil` if there is no copy.
  mutating func restoreCopy() -> [Record]? {
    guard let copy else { return nil }
    let lost = state.records(beyond: copy)
    state = copy
    standby = copy
    life += 1
    return lost
  }

  /// Sends the standby everything that is stored by now.
  mutating func sendToStandby() { standby = state }

  /// The standby takes over, with what it has been sent.
  /// - Returns: the records that are lost.
  mutating func failOver() -> [Record] {
    let lost = state.records(beyond: standby)
    if !lost.isEmpty || epoch != standby.epoch { life += 1 }
    state = standby
    timeline += 1
    return lost
  }

  /// Whether the log has the records that were reported up to a place.
  func has(_ epoch: UInt64, through position: UInt64) -> Bool {
    epoch == self.epoch && position <= records.last?.position ?? 0
  }

  // MARK: Reading

  var summary: RoomSummary? { store.rooms[Disk.roomName]?.entry.summary(damage: nil) }

  /// The last position that was written at or before a moment, and is not after another position.
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
