import RoomLog

/// A request to the log whose answer is not needed. Any other request goes through `Hub.ask`, whose answer must be
/// used.
enum LogErrand {
  /// The log need not report on this room any more, because it is closed here. If the request fails, further reports
  /// are ignored.
  case unfollow(room: String)
  /// The room has applied what the log has reported of it, so the log reports more. If the request fails, the room was
  /// closed, or the log reports more anyway.
  case resume(room: String)
  /// Drops old history. If the request fails, a later one drops it.
  case retain(milliseconds: UInt64)
  /// A snapshot, with which a room opens more quickly. If storing it fails, nothing is lost, because the log has all
  /// records.
  case snapshot(SnapshotRequest)

  func request(id: UInt64) -> LogRequest {
    switch self {
    case .unfollow(let room): return .unfollow(id: id, room: room)
    case .resume(let room): return .resume(id: id, room: room)
    case .retain(let milliseconds): return .retain(id: id, milliseconds: milliseconds)
    case .snapshot(var snapshot):
      snapshot.id = id
      return .snapshot(snapshot)
    }
  }
}
