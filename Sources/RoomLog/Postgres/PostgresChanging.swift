/// Creating and deleting rooms. Each is a transaction of its own, and is begun once it is known which room has that name. So
/// after a connection broke, the room that is there then tells whether it was carried out.
extension PostgresNode {
  func change(_ request: LogRequest) {
    if case .create(let create) = request {
      do throws(LogError) { try RoomEntry.check(name: create.room) } catch { return refuse(request, error) }
    }
    let batch = PostgresBatch(requests: [request], beganAt: MonotonicClock.microseconds())
    underWay = batch
    writer.send([(.epoch, [.text(request.room ?? "")])]) { answer in
      self.underWay = nil
      switch answer {
      case .success(let rows): self.change(request, batch, epoch: rows[0].count > 0 ? rows[0].unsigned(0, 0) : nil)
      case .failure(let failure):
        self.refuse(request, self.error(failure))
        if case .refused(let state, let message) = failure { self.writer.refuse(self.fault(state, message)) }
      }
    }
  }

  private func change(_ request: LogRequest, _ batch: PostgresBatch, epoch: UInt64?) {
    var batch = batch
    batch.epoch = epoch
    switch request {
    case .create(let create):
      guard epoch == nil else { return refuse(request, .roomExists(room: create.room)) }
      let values: [PostgresValue] = [
        .text(create.room), .unsigned(create.epoch), .unsigned(create.trimmed), .unsigned(create.operations),
        .unsigned(create.createdMilliseconds),
      ]
      carryOut(batch, [(.beginRoom, values)]) { rows in
        if rows[0].count > 0 { self.tellCreated(request) } else { self.refuse(request, .roomExists(room: create.room)) }
      }
    case .delete(let id, let room):
      guard let epoch else { return refuse(request, .noSuchRoom(room: room)) }
      carryOut(batch, [(.delete, [.text(room), .unsigned(epoch)])]) { rows in
        // Another node may have deleted it a moment ago.
        guard rows[0].count > 0 else { return self.refuse(request, .noSuchRoom(room: room)) }
        self.inbox.release(request)
        self.tellDeleted(room, epoch: epoch, by: id)
        let took = MonotonicClock.microseconds() - batch.beganAt
        self.note(CommitReport(rooms: 1, records: 0, bytes: 0, microseconds: took))
        self.ring(for: [room])
      }
    default: break
    }
  }

  private func tellCreated(_ request: LogRequest) {
    guard let room = request.room else { return }
    inbox.release(request)
    outlet.tell([.created(id: request.id, room: room)])
  }

  /// - Parameters:
  ///   - before: the epoch of the room that had the name when the change was begun.
  ///   - now: that of the room that has it, now that the change can't be stored any more unless it is.
  func settle(_ change: LogRequest, before: UInt64?, now: UInt64?) {
    switch change {
    case .create(let create):
      guard let now else { return refuse(change) }
      if now == create.epoch { tellCreated(change) } else { refuse(change, .roomExists(room: create.room)) }
    case .delete(let id, let room):
      guard let before, before != now else { return refuse(change) }
      inbox.release(change)
      tellDeleted(room, epoch: before, by: id)
    default: break
    }
  }
}
