import RoomLog

/// A request to the log whose answer nothing waits for. Anything else is asked by `Hub.ask`, whose answer has to be
/// looked at: a room that isn't followed, for instance, must not be used.
enum LogErrand {
  /// The room is closed here. At worst its news are passed over.
  case unfollow(room: String)
  /// May get lost on its way, too.
  case tell(room: String?, bytes: [UInt8])
  /// Comes again after a while.
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
