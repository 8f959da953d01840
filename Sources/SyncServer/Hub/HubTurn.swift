import CanvasCRDT
import RoomLog
import WebSocketLoop

// The end of a turn: what rooms ask for goes to the log, what is new goes out.

extension Hub {
  func endTurn() {
    defer { turns.end() }
    if rooms.hasDirty { flushRooms() }
    switch log.endTurn(now: { SteadyClock.milliseconds() }) {
    case .nothing: break
    case .waits(let due): wake(at: due, now: SteadyClock.milliseconds())
    }
  }

  private func flushRooms() {
    let now = Moment.now()
    var due: UInt64?
    for open in rooms.takeDirty() {
      if open.room.isFlushDue(now: now) { open.room.flush(now: now) }
      let writes = counts.writes
      if open.room.hasUnsent { open.room.send(now: now) { self.write($1, to: $0, of: open) } }
      if let (beats, operations) = open.takeBeats() {
        counts.noteBeats(beats, operations: operations, frames: counts.writes - writes)
      }
      let arrivals = open.takeArrivals()
      if !arrivals.isEmpty { counts.noteArrivals(arrivals, now: SteadyClock.microseconds()) }
      carryOutEffects(of: open)
      if let next = open.room.flushDueAt, !open.isGone {
        due = min(due ?? next, next)
        rooms.markDirty(open)
      }
    }
    if let due { wake(at: due, now: now.monotonicMilliseconds) }
  }

  /// Has a turn come at that time.
  private func wake(at due: UInt64, now: UInt64) {
    turns.wake(at: due, now: now) { milliseconds in
      loop.schedule(afterMilliseconds: milliseconds) { self.turns.isWoken() }
    }
  }

  func carryOutEffects(of open: OpenRoom) {
    for effect in open.room.takeEffects() {
      switch effect {
      case .append(let batch): append(batch, to: open)
      case .answered(let request, let result): log.answerSubmitter(request, with: result)
      case .close(let id, let code, let reason, let isBetweenMessages):
        guard let visitor = open.unseat(id) else { continue }
        logger.debug("sent away", ["room": .text(open.name), "reason": .text(reason.string)])
        sayGoodbye(to: visitor, code, reason, error: isBetweenMessages ? code.word : nil)
      case .pauseReading(let id): open.visitor(id)?.pauseReading(.backlog)
      case .resumeReading(let id): open.visitor(id)?.resumeReading(.backlog)
      }
    }
  }

  private func append(_ batch: Batch, to open: OpenRoom) {
    let number = log.nextNumber()
    let parts = batch.parts(operationsMax: Int(limits.operationsPerMessage))
    counts.noteAppend(operations: batch.operations.count)
    log.append(
      LogDesk.Append(room: open, batch: batch.number, parts: parts, arrivedAt: SteadyClock.microseconds()),
      number: number,
      AppendRequest(
        id: number,
        room: open.name,
        epoch: open.room.epoch,
        mayCreate: !open.isStored,
        milliseconds: WallClock.now(),
        records: parts.map {
          NewRecord(bytes: StoredOperations.encode($0), operations: UInt32(clamping: $0.count))
        }
      )
    )
  }

  // MARK: The seconds

  /// Once a second: what nobody waits for.
  func tick() {
    lifetime.willTick(loop.schedule(afterMilliseconds: 1_000) { self.tick() })
    guard !isStopping else { return }
    let now = Moment.now()
    for open in rooms.all {
      open.room.rest(now: now)
      if let idle = open.idleTime(now: now.monotonicMilliseconds) {
        if idle >= limits.roomIdleMilliseconds { closeIdle(open) }
      } else if open.isWorthSnapshot {
        snapshot(open)
      }
    }
    requestBook.forgetFullRates(now: now.monotonicMilliseconds)
    refusals.beginSecond()
    log.retain(now: now)
  }
}

extension Batch {
  /// A layout may be a hundred messages' worth. It is stored whole or not at all, in records that can be read one by one.
  fileprivate func parts(operationsMax: Int) -> [[Operation]] {
    guard operations.count > operationsMax else { return [operations] }
    return stride(from: 0, to: operations.count, by: operationsMax).map {
      Array(operations[$0..<min($0 + operationsMax, operations.count)])
    }
  }
}
