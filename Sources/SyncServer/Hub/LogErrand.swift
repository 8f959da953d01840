import RoomLog

/// A request to the log whose answer is not needed. Any other request goes through `Hub.ask`, whose answer must be
/// used: a room that the log refuses to follow, for instance, must not be opened.
enum LogErrand {
  /// The room is closed here. If this fails, its news is ignored.
  case unfollow(room: String)
  /// News for other nodes. It may also get lost on the way.
  case tell(room: String?, bytes: [UInt8])
  /// Sent again after a while.
  case retain(milliseconds: UInt64)
  /// Makes a room quicker to open after the next start. The log has everything without it.
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
