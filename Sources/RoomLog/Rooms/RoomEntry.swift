/// What a log knows of a room without reading its records. The rules for accepting appends, which all logs share, are
/// in this file.
struct RoomEntry: Hashable, Sendable {
  var name: String
  /// The room's number in this log. A newer room of the same name gets another number.
  var number: Int64
  var epoch: UInt64
  var last: UInt64 = 0
  var trimmed: UInt64 = 0
  var operations: UInt64 = 0
  var createdMilliseconds: UInt64
  var changedMilliseconds: UInt64
  /// The complete snapshots, oldest first.
  var snapshots: [SnapshotPlace] = []
  /// Whether the room may have more snapshots, which can't be read because a page of their table is damaged.
  var lacksSnapshots = false

  /// Whether records were dropped, and no snapshot is known that has what they had.
  var lacksBase: Bool { trimmed > 0 && !lacksSnapshots && (snapshots.last?.position ?? 0) < trimmed }

  /// The snapshot with which the kept history begins. `nil` if it begins with the room's first record.
  var base: SnapshotPlace? { trimmed > 0 ? snapshots.first { $0.position >= trimmed } : nil }

  init(name: String, number: Int64, epoch: UInt64, milliseconds: UInt64) {
    self.name = name
    self.number = number
    self.epoch = epoch
    createdMilliseconds = milliseconds
    changedMilliseconds = milliseconds
  }

  /// The entry of a room that is copied from another log. It has no records yet.
  init(_ request: CreateRequest, number: Int64) {
    self.init(
      name: request.room,
      number: number,
      epoch: request.epoch,
      milliseconds: request.createdMilliseconds
    )
    last = request.trimmed
    trimmed = request.trimmed
    operations = request.operations
  }

  /// A record has at most this many bytes. That is far more than a message has, and far below SQLite's own limit.
  static let recordBytesMax = 1 << 26

  static func check(name: String) throws(LogError) {
    let length = name.utf8.count
    guard length >= 1, length <= 64 else { throw .badRoomName }
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): break
      default: throw .badRoomName
      }
    }
  }

  func check(epoch wanted: UInt64?) throws(LogError) {
    if let wanted, wanted != epoch { throw .otherEpoch(room: name, epoch: epoch) }
  }

  /// Checks that the records after a position are still there, and that the position isn't past the end.
  func check(position: UInt64) throws(LogError) {
    guard position >= trimmed else { throw .trimmed(room: name, through: trimmed) }
    guard position <= last else { throw .pastEnd(room: name, last: last) }
  }

  /// Checks what must hold for an append to any room.
  static func check(_ records: [NewRecord]) throws(LogError) {
    guard !records.isEmpty else { throw .noRecords }
    for record in records where record.bytes.count > recordBytesMax {
      throw .recordTooLarge(bytes: record.bytes.count, bytesMax: recordBytesMax)
    }
  }

  /// Assigns the room's next position to a record, and counts its operations.
  mutating func place(_ record: NewRecord, milliseconds: UInt64) -> LogRecord {
    last += 1
    operations += UInt64(record.operations)
    changedMilliseconds = max(changedMilliseconds, milliseconds)
    return LogRecord(position: last, milliseconds: changedMilliseconds, bytes: record.bytes)
  }

  /// The newest snapshot at or before `bound`.
  func snapshot(through bound: LogBound) -> SnapshotPlace? {
    switch bound {
    case .end: snapshots.last
    case .position(let position): snapshots.last { $0.position <= position }
    case .milliseconds(let milliseconds): snapshots.last { $0.milliseconds <= milliseconds }
    }
  }

  mutating func insert(_ place: SnapshotPlace) {
    let index = snapshots.firstIndex { $0.position >= place.position } ?? snapshots.endIndex
    if index < snapshots.endIndex, snapshots[index].position == place.position {
      snapshots[index] = place
    } else {
      snapshots.insert(place, at: index)
    }
  }

  func summary(damage: LogError? = nil) -> RoomSummary {
    RoomSummary(
      room: name,
      epoch: epoch,
      last: last,
      trimmed: trimmed,
      operations: operations,
      createdMilliseconds: createdMilliseconds,
      changedMilliseconds: changedMilliseconds,
      snapshot: snapshots.last,
      damage: damage
    )
  }
}

extension SnapshotPlace {
  /// - Parameters:
  ///   - last: the time and count of the record at the snapshot's position. `nil` if that record has been dropped. Then
  ///     they come from an earlier snapshot at the same position, or from the log that the room is copied from.
  init(of request: SnapshotRequest, last: (milliseconds: UInt64, operations: UInt64)?, earlier: SnapshotPlace?) {
    self.init(
      position: request.position,
      milliseconds: last?.milliseconds ?? earlier?.milliseconds ?? request.origin?.milliseconds ?? 0,
      operations: last?.operations ?? earlier?.operations ?? request.origin?.operations ?? 0,
      shapes: request.shapes,
      byteCount: request.bytes.count
    )
  }
}
