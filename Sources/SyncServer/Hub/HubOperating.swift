import CanvasCRDT
import RoomLog
import WebSocketLoop

// What operators do to rooms and people. Each action is written to the audit log.

extension Hub {
  func isLocked(_ room: String) -> Bool { locks.contains(room) }

  /// Locks or unlocks a room. Connections whose role changes are closed. Their clients get the new role when they
  /// reconnect.
  func setLock(_ room: String, isLocked: Bool, by request: Request) async -> Result<Void, LockFault> {
    if sharesRooms {
      // The request goes to the log even if the room seems to be locked or unlocked already: another node might have
      // changed the lock meanwhile.
      do throws(LogError) { try await ask(.lock(room, isLocked: isLocked)) } catch {
        if case .noSuchRoom = error { return .failure(.noSuchRoom) }
        return .failure(.unstored(StateFileFault(words: "\(error)")))
      }
    } else {
      // Each change of a lock writes the list of all locked rooms. So this change waits until the previous change is
      // stored.
      let before = lockWriting
      let party = party(of: request)
      let writing = job {
        _ = await before?.value
        return await store(lockOf: room, isLocked, for: party)
      }
      lockWriting = writing
      switch await writing.value {
      case .success(let isNew): if !isNew { return .success(()) }
      case .failure(let fault):
        if case .unstored(let fault) = fault {
          logger.error("the locks can't be stored", ["reason": .text(fault.words)])
        }
        return .failure(fault)
      }
    }
    record(isLocked ? "locked" : "unlocked", request, room: room, actor: nil)
    return .success(())
  }

  /// - Returns: whether the lock has changed.
  private func store(lockOf room: String, _ isLocked: Bool, for party: String) async -> Result<Bool, LockFault> {
    guard locks.contains(room) != isLocked else { return .success(false) }
    var changed = locks
    changed.set(room, isLocked: isLocked)
    do throws(HeavyWork.Refusal) {
      let stored = changed
      if let fault = try await workOut(for: party, { stored.store() }) { return .failure(.unstored(fault)) }
    } catch {
      return .failure(.refused(error))
    }
    noteLock(of: room, isLocked)
    return .success(true)
  }

  /// The log has stored a room's lock. The events of a shared log have to be processed in order, because a later one
  /// can report that another node has changed the same lock.
  func noteLock(of room: String, _ isLocked: Bool) {
    guard locks.contains(room) != isLocked else { return }
    locks.set(room, isLocked: isLocked)
    lockHasChanged(room)
  }

  /// The log reports all locked rooms. Another node might have changed some of the locks.
  func take(locks names: Set<String>) {
    let before = locks
    locks = RoomLocks(names)
    for room in locks.differences(from: before).sorted() { lockHasChanged(room) }
  }

  private func lockHasChanged(_ room: String) {
    let isLocked = isLocked(room)
    let words: Text =
      isLocked ? "the room was locked; connect again to look on" : "the room was unlocked; connect again"
    let editors = sessions.all.filter { $0.room == room && $0.grant.level == .editor }
    // The lock refuses writes on a connection even before that connection is closed.
    job {
      await inPortions(editors) { session in
        if self.isLocked(room) == isLocked { close(session, .goingAway, words) }
      }
    }
    logger.info(isLocked ? "room locked" : "room unlocked", ["room": .text(room)])
  }

  func memory(of open: OpenRoom) -> RoomMemory? {
    guard !open.isGone else { return nil }
    return RoomMemory(erasures: open.room.canvas.erasureCount, forgottenBefore: open.room.forgottenBefore)
  }

  func forgetErasures(
    of open: OpenRoom,
    before milliseconds: UInt64,
    by writer: Writer
  ) async -> Result<Cursor, WritingRefusal> {
    await asking(open, for: writer) { room, number in
      room.forgetErasures(before: milliseconds, request: number)
    }
  }

  // MARK: Audit log

  func record(_ event: String, _ request: Request, room: String, actor: String?) {
    let token = grant(of: request.token)?.label
    journal.tell(AuditLog.Deed(event: event, room: room, actor: actor, token: token, address: address(of: request)))
  }

  func recordWriting(_ event: String, _ request: Request, room: String, as actor: Identifier, operations: Int) {
    let writer = WritingGathering.Writer(
      event: event,
      room: room,
      actor: actor.text,
      token: grant(of: request.token)?.label,
      address: address(of: request)
    )
    journal.noteWriting(by: writer, operations: operations, now: now.monotonicMilliseconds)
  }

  func recordEntry(of session: Session, name: Text, as role: Role) {
    let role = role == .editor ? "editor" : "viewer"
    record("entered", of: session, [("role", .text(role)), ("name", .text(name.string))])
  }

  func record(_ event: String, of session: Session, _ details: [(key: String, value: Logger.Field)] = []) {
    journal.record(
      AuditLog.Deed(
        event: event,
        room: session.room,
        actor: session.actor?.text,
        token: session.grant.label,
        address: session.address,
        details: details,
        isOften: true
      )
    )
  }
}
