import Basics

/// Creates and deletes rooms, each in a transaction of its own. The node first reads which room has the name. So if the
/// connection breaks, comparing the room before and after shows whether the change was made.
extension PostgresWriting {
  func change(_ request: LogRequest) {
    if case .create(let create) = request {
      do throws(LogError) { try RoomEntry.check(name: create.room) } catch { return reports.refuse(request, error) }
    }
    var batch = PostgresBatch(requests: [request], beganAt: SteadyClock.microseconds())
    ask(.epoch, [.text(request.room ?? "")], for: batch) { rows in
      batch.epoch = rows.count > 0 ? rows.unsigned(0, 0) : nil
      self.change(request, batch)
    }
  }

  private func change(_ request: LogRequest, _ batch: PostgresBatch) {
    switch request {
    case .create(let create):
      guard batch.epoch == nil else { return reports.refuse(request, .roomExists(room: create.room)) }
      let values: [PostgresValue] = [
        .text(create.room), .unsigned(create.epoch), .unsigned(create.trimmed), .unsigned(create.operations),
        .unsigned(create.createdMilliseconds),
      ]
      carryOut(batch, [(.beginRoom, values)]) { rows in
        if rows[0].count > 0 {
          self.tellCreated(request)
        } else {
          self.reports.refuse(request, .roomExists(room: create.room))
        }
      }
    case .delete(let id, let room):
      guard let epoch = batch.epoch else { return reports.refuse(request, .noSuchRoom(room: room)) }
      carryOut(batch, [(.delete, [.text(room), .unsigned(epoch)]), (.unlockDeleted, [.text(room)])]) { rows in
        // If there are no rows, another node has just deleted the room.
        guard rows[0].count > 0 else { return self.reports.refuse(request, .noSuchRoom(room: room)) }
        self.reports.release(request)
        self.reports.shared.clearDamage(room: rows[0].number(0, 0))
        self.following.tellDeleted(room, epoch: epoch, by: id)
        let took = SteadyClock.microseconds() - batch.beganAt
        self.reports.note(CommitReport(rooms: 1, records: 0, bytes: 0, microseconds: took))
        // All hear of the deletion first. Otherwise the room's editors would be told only that it was unlocked, and would
        // come back to a new room of that name.
        self.bells.ring(for: [room])
        if rows[1].tag != "DELETE 0" { self.bells.noteUnlocked(withDeletionOf: room) }
      }
    default: break
    }
  }

  private func tellCreated(_ request: LogRequest) {
    guard let room = request.room else { return }
    reports.release(request)
    reports.tell([.created(id: request.id, room: room)])
  }

  /// Reports the outcome of a change that was under way when the connection broke. By now it is stored, or never will
  /// be.
  /// - Parameters:
  ///   - before: the epoch of the room with this name before the change.
  ///   - now: the epoch of the room that has the name now.
  func settle(_ change: LogRequest, before: UInt64?, now: UInt64?) {
    switch change {
    case .create(let create):
      guard let now else { return reports.refuse(change) }
      if now == create.epoch { tellCreated(change) } else { reports.refuse(change, .roomExists(room: create.room)) }
    case .delete(let id, let room):
      guard let before, before != now else { return reports.refuse(change) }
      reports.release(change)
      following.tellDeleted(room, epoch: before, by: id)
      if now == nil, bells.lockedRooms.contains(room) { bells.noteUnlocked(withDeletionOf: room) }
    default: break
    }
  }
}

extension PostgresStatement {
  /// Removes a deleted room's lock, in the transaction that deletes the room. Otherwise a node that ends between the two
  /// would leave a lock to the next room of that name. This is a statement of its own, so that it also sees a lock that
  /// was stored while the deletion waited for the room's row.
  static let unlockDeleted = PostgresStatement(
    "unlock_deleted",
    "DELETE FROM canvas.locks WHERE room = $1::text AND NOT EXISTS(SELECT FROM canvas.rooms WHERE name = room)"
  )
}
