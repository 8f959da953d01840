/// Following rooms in a log that only this process writes to. Records are reported as they are stored. So the answer to
/// a request has to report only the records that were stored after the caller's last read.
extension LogRequest {
  var isAboutFollowing: Bool {
    switch self {
    case .follow, .unfollow, .tell: true
    default: false
    }
  }
}

extension Writer {
  func answer(following request: LogRequest) {
    switch request {
    case .follow(let wanted): outlet.tell(follow(wanted))
    case .tell(let id, let room, _): outlet.tell([.told(id: id, room: room)])
    case .unfollow(let id, let room): outlet.tell([.unfollowed(id: id, room: room)])
    default: return
    }
    queue.release([request])
  }

  private func follow(_ request: FollowRequest) -> [LogEvent] {
    let answer = LogEvent.following(id: request.id, room: request.room)
    do throws(LogError) {
      guard let entry = rooms[request.room] else {
        // After a failed commit, the database may have a room that the log doesn't know of. The room is reported once
        // it is found.
        if request.epoch != nil, connection != nil { throw .noSuchRoom(room: request.room) }
        return [answer]
      }
      try entry.check(epoch: request.epoch)
      guard entry.last > request.after else { return [answer] }
      guard request.after >= entry.trimmed else { throw .trimmed(room: entry.name, through: entry.trimmed) }
      guard let connection else { throw .unavailable(shared.statistics.fault ?? .outOfMemory) }
      let records: [LogRecord]
      let damage: UInt64?
      do throws(SQLiteFailure) {
        (records, damage) = try connection.records(of: entry, after: request.after)
      } catch {
        throw .unavailable(error.fault(path: path))
      }
      if let damage {
        note(damageAt: damage, of: entry)
        throw .damaged(room: entry.name, position: damage)
      }
      return [.appended(AppendedRecords(id: nil, room: entry.name, epoch: entry.epoch, records: records)), answer]
    } catch {
      return [.failed(id: request.id, room: request.room, error)]
    }
  }
}
