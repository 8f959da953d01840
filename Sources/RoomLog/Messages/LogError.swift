/// Why a log refused a request.
public enum LogError: Error, Hashable, Sendable {
  /// The disk or the database takes no writes now, but reading works. The log goes on trying to write.
  case unavailable(StorageFault)
  /// Too many bytes are waiting to be stored.
  case busy(queuedBytes: Int)
  case badRoomName
  case noSuchRoom(room: String)
  /// The room was deleted, and a new room now has its name. `epoch` is the new room's epoch.
  case otherEpoch(room: String, epoch: UInt64)
  case noRecords
  case recordTooLarge(bytes: Int, bytesMax: Int)
  /// The position is after the room's last record.
  case pastEnd(room: String, last: UInt64)
  /// The records up to and including this position have been trimmed.
  case trimmed(room: String, through: UInt64)
  /// The record at this position is missing, or its checksum is wrong. Position 0 means that the row about the room
  /// itself is damaged.
  case damaged(room: String, position: UInt64)
  /// The snapshot's checksum is wrong, and no older snapshot or records can replace it. Position 0 means that a page is
  /// damaged that lists some of the room's snapshots.
  case damagedSnapshot(room: String, position: UInt64)
  /// There is no complete snapshot that covers the damaged records.
  case damageNotCovered(room: String, position: UInt64)
  case notDamaged(room: String)
  case roomExists(room: String)
  /// Another node has locked the room, and this one learns it only now. So `.locks` has been reported before.
  case locked(room: String)
  /// This log can't store which rooms are locked.
  case noLocks
  /// The log is being closed. The caller can send the request again after the log has been reopened.
  case isClosing
}

extension LogError {
  /// The name of the room, if it is damaged.
  public var damagedRoom: String? {
    switch self {
    case .damaged(let room, _), .damagedSnapshot(let room, _): room
    default: nil
    }
  }
}

extension LogError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let fault): "the log can't be written: \(fault)"
    case .busy(let bytes): "the log has \(bytes) bytes waiting to be stored"
    case .badRoomName: "a room's name is 1 to 64 of A-Z a-z 0-9 . _ -"
    case .noSuchRoom(let room): "there is no room \(room)"
    case .otherEpoch(let room, _): "room \(room) was deleted or restored since"
    case .noRecords: "nothing to append"
    case .recordTooLarge(let bytes, let most): "a record of \(bytes) bytes is too large; the limit is \(most)"
    case .pastEnd(let room, let last): "room \(room) ends at \(last)"
    case .trimmed(let room, let through): "the history of room \(room) up to \(through) is no longer kept"
    case .damaged(let room, 0): "the entry of room \(room) is damaged"
    case .damaged(let room, let position): "room \(room) is damaged at position \(position)"
    case .damagedSnapshot(let room, 0): "the list of snapshots of room \(room) is damaged"
    case .damagedSnapshot(let room, let position):
      "the snapshot of room \(room) at position \(position) is damaged"
    case .damageNotCovered(let room, let position):
      "no snapshot of room \(room) reaches its damage at position \(position)"
    case .roomExists(let room): "there is a room \(room) already"
    case .locked(let room): "room \(room) was locked meanwhile"
    case .noLocks: "locks are not kept in this log"
    case .isClosing: "the log is being closed"
    case .notDamaged(let room): "room \(room) is not known to be damaged"
    }
  }
}
