import RoomLog

/// A request to the log whose answer is not needed. Any other request goes through `Hub.ask`, whose answer must be
/// used. For instance, a room must not be opened if the log refuses to report what is stored in it.
enum LogErrand {
  /// The room is closed here. If the request fails, further reports about the room are ignored.
  case unfollow(room: String)
  /// News for other nodes. The news may get lost here, as it may get lost on its way.
  case tell(room: String?, bytes: [UInt8])
  /// Drops old history. If the request fails, the next one makes up for it.
  case retain(milliseconds: UInt64)
  /// A snapshot lets a room open more quickly. If storing it fails, nothing is lost: the log has all records.
  case snapshot(SnapshotRequest)

  func request(id: UInt64) -> LogRequest {
    switch self {
    case .unfollow(let room): return .unfollow(id: id, room: room)
    case .tell(let room, let bytes): return .tell(id: id, room: room, bytes: bytes)
    case .retain(let milliseconds): return .retain(id: id, milliseconds: milliseconds)
    case .snapshot(var snapshot):
      snapshot.id = id
      return .snapshot(snapshot)
    }
  }
}
