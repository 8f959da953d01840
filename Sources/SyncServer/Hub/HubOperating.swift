import CanvasCRDT
import WebSocketLoop

// What operators do to rooms and to those in them, and what is put on record.

extension Hub {
  func isLocked(_ room: String) -> Bool { locks.contains(room) }

  /// Locks a room, or unlocks it. Those whose role changes by that are closed, and come back with the other role.
  func setLock(_ room: String, isLocked: Bool, by request: Request) async -> Result<Void, StateFileFault> {
    // Another node may have changed what is known here, so a log that nodes share is told in any case.
    guard sharesRooms || locks.contains(room) != isLocked else { return .success(()) }
    if sharesRooms {
      let event = await ask { .lock(id: $0, room: room, isLocked: isLocked) }
      guard case .locked = event else { return .failure(StateFileFault(words: event.words)) }
    }
    let isNew = locks.contains(room) != isLocked
    do throws(StateFileFault) {
      try locks.set(room, isLocked: isLocked)
    } catch {
      logger.error("the locks can't be stored", ["reason": .text(error.words)])
      return .failure(error)
    }
    if isNew { lockHasChanged(room) }
    record(isLocked ? "locked" : "unlocked", request, room: room)
    return .success(())
  }

  /// The log tells which rooms are locked: another node may have changed it.
  func take(locks names: Set<String>) {
    let before = locks
    locks = RoomLocks(names)
    for room in locks.differences(from: before).sorted() { lockHasChanged(room) }
  }

  private func lockHasChanged(_ room: String) {
    let isLocked = isLocked(room)
    let words: Text =
      isLocked ? "the room was locked; connect again to look on" : "the room was unlocked; connect again"
    for visitor in visitors.all where visitor.room == room && visitor.grant.level == .editor && !visitor.isGone {
      close(visitor, .goingAway, words)
    }
    logger.info(isLocked ? "room locked" : "room unlocked", ["room": .text(room)])
  }

  func memory(of open: OpenRoom) -> RoomMemory? {
    guard !open.isGone else { return nil }
    return RoomMemory(erasures: open.room.canvas.erasureCount, forgottenBefore: open.room.forgottenBefore)
  }

  func forgetErasures(of open: OpenRoom, before milliseconds: UInt64) async -> Result<Cursor, Rejection> {
    // A server that has just started has to hear of all others first.
    while recordForm == nil { await pause(milliseconds: 100) }
    guard let recordForm, recordForm >= .forgetting else {
      return .failure(
        Rejection(code: .unavailable, message: "an older server that shares the rooms could not read that")
      )
    }
    return await asking(open) { room, number in room.forgetErasures(before: milliseconds, request: number) }
  }

  // MARK: On record

  func record(_ event: StaticString, _ request: Request, room: String, actor: String? = nil) {
    guard audit != nil else { return }
    complain(
      audit?.write(
        AuditLog.Deed(
          event: event,
          room: room,
          actor: actor,
          token: grant(of: request.token)?.label,
          address: address(of: request)
        )
      )
    )
  }

  func recordEntry(of visitor: Visitor, name: Text, as role: Role) {
    guard audit != nil else { return }
    complain(
      audit?.write(
        AuditLog.Deed(
          event: "entered",
          room: visitor.room,
          actor: visitor.actor?.text,
          token: visitor.grant.label,
          address: visitor.address,
          details: [("role", role == .editor ? "editor" : "viewer"), ("name", name.string)],
          isOften: true
        )
      )
    )
  }

  func recordRenewal(of visitor: Visitor) {
    guard audit != nil else { return }
    complain(
      audit?.write(
        AuditLog.Deed(
          event: "renewed",
          room: visitor.room,
          actor: visitor.actor?.text,
          token: visitor.grant.label,
          address: visitor.address,
          isOften: true
        )
      )
    )
  }

  /// Only who was kept from entering or from doing something is on record, not each operation that was wrong.
  func record(_ refusal: Refusal) {
    guard audit != nil, Hub.refusalsOnRecord.contains(refusal.code) else { return }
    complain(
      audit?.writeRefusal(
        AuditLog.Deed(
          event: "refused",
          room: refusal.room,
          actor: refusal.actor,
          token: refusal.token,
          address: refusal.address,
          details: [("code", refusal.code), ("reason", refusal.reason)],
          isOften: true
        )
      )
    )
  }

  private static let refusalsOnRecord: Set<String> = [
    "no_token", "token_refused", "forbidden", "removed", "too_many", "http_401", "http_403", "http_421",
  ]

  func reopenAudit() {
    do throws(AuditFault) { try audit?.reopen() } catch { complain(error) }
  }

  func complain(_ fault: AuditFault?) {
    guard let fault else { return }
    logger.error("the audit log can't be written", ["reason": .text(fault.words)])
  }
}
