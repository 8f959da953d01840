/// Follow requests in a log that only this process writes to. Such a log already reports each record when it stores the
/// record. So the answer to a follow request has only the records that the caller hasn't read.
extension LogRequest {
  var isAboutFollowing: Bool {
    switch self {
    case .follow, .unfollow, .resume: true
    default: false
    }
  }
}

extension Writer {
  func answer(following request: LogRequest) {
    switch request {
    case .follow(let wanted): outlet.tell(follow(wanted))
    case .resume(let id, let room): outlet.tell([.resumed(id: id, room: room)])
    case .unfollow(let id, let room): outlet.tell([.unfollowed(id: id, room: room)])
    default: return
    }
    queue.release([request])
  }

  private func follow(_ request: FollowRequest) -> [LogEvent] {
    let answer = LogEvent.following(id: request.id, room: request.room)
    do throws(LogError) {
      guard let entry = rooms[request.room] else {
        // While there is no connection, the room may exist although the log doesn't know it, because a failed commit
        // may have stored it. So the request isn't refused, and the room is reported once it is found.
        if request.epoch != nil, connection != nil { throw .noSuchRoom(room: request.room) }
        return [answer]
      }
      try entry.check(epoch: request.epoch)
      guard entry.last > request.after else { return [answer] }
      try entry.check(position: request.after)
      guard let connection else { throw .unavailable(shared.statistics.fault ?? .outOfMemory) }
      let records: [LogRecord]
      let damage: UInt64?
      do throws(SQLiteFailure) {
        (records, damage) = try connection.records(of: entry, after: request.after)
      } catch {
        throw .unavailable(error.fault(path: path))
      }
      if let damage {
        shared.note(damageAt: damage, of: entry)
        throw .damaged(room: entry.name, position: damage)
      }
      return [.appended(AppendedRecords(id: nil, room: entry.name, epoch: entry.epoch, records: records)), answer]
    } catch {
      return [.failed(id: request.id, room: request.room, error)]
    }
  }
}
