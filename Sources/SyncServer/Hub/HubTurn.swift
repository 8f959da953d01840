import CanvasCRDT
import RoomLog
import WebSocketLoop

// The end of a turn: what rooms ask for goes to the log, what is new goes out.

extension Hub {
  func markDirty(_ open: OpenRoom) {
    guard !open.isDirty else { return }
    open.isDirty = true
    dirtyRooms.append(open)
  }

  func endTurn() {
    defer { turn += 1 }
    if !dirtyRooms.isEmpty { flushRooms() }
    guard !requests.isEmpty, isSubmissionDue() else { return }
    let submitted = requests
    requests.removeAll(keepingCapacity: true)
    log?.submit(submitted)
  }

  /// What is to be stored gathers for a beat too: a commit costs as much for one operation as for a hundred, and no frame
  /// would bring it sooner. After a beat of quiet it goes at once, and so does whatever else is asked of the log.
  private func isSubmissionDue() -> Bool {
    let now = SteadyClock.microseconds() / 1_000
    let due = submittedAt + limits.beatMilliseconds
    if now < due, requests.count < Hub.gatheredRequestsMax, requests.allSatisfy(\.isAppend) {
      wake(at: due, now: now)
      return false
    }
    submittedAt = now
    return true
  }

  /// Enough for a commit to be worth its sync.
  private static let gatheredRequestsMax = 1_024

  private func flushRooms() {
    let now = Moment.now()
    let dirty = dirtyRooms
    dirtyRooms = []
    var due: UInt64?
    for open in dirty {
      open.isDirty = false
      if open.room.isFlushDue(now: now) { open.room.flush(now: now) }
      let writes = metrics.writes
      if open.room.hasUnsent { open.room.send(now: now) { self.write($1, to: $0, of: open) } }
      if open.room.counts.beats > open.beatsNoted { noteBeats(of: open, frames: metrics.writes - writes) }
      // What peers show may be due again already: with two of them it always is.
      if !open.arrivals.isEmpty, open.room.pendingOperations.isEmpty { noteDeliveries(of: open) }
      carryOutEffects(of: open)
      if let next = open.room.flushDueAt, !open.isGone {
        due = min(due ?? next, next)
        markDirty(open)
      }
    }
    if let due { wake(at: due, now: now.monotonicMilliseconds) }
  }

  /// Has a turn come when the next beat is due.
  private func wake(at due: UInt64, now: UInt64) {
    if let beatTimer {
      guard due < beatTimer.due else { return }
      beatTimer.timer.cancel()
    }
    let timer = loop.schedule(afterMilliseconds: due > now ? due - now : 0) { self.beatTimer = nil }
    beatTimer = (timer, due)
  }

  private func noteBeats(of open: OpenRoom, frames: UInt64) {
    let beats = open.room.counts.beats - open.beatsNoted
    let operations = open.room.counts.beatOperations - open.beatOperationsNoted
    open.beatsNoted += beats
    open.beatOperationsNoted += operations
    // Seldom more than one a turn: then they count as alike.
    for _ in 0..<beats { metrics.beatOperations.add(operations / beats) }
    metrics.beatFrames.add(frames)
  }

  private func noteDeliveries(of open: OpenRoom) {
    let now = SteadyClock.microseconds()
    for arrival in open.arrivals { metrics.deliveryMicroseconds.add(now - min(now, arrival)) }
    open.arrivals.removeAll(keepingCapacity: true)
  }

  func carryOutEffects(of open: OpenRoom) {
    for effect in open.room.takeEffects() {
      switch effect {
      case .append(let batch): append(batch, to: open)
      case .answered(let request, let result): submitters.removeValue(forKey: request)?.resume(returning: result)
      case .close(let id, let code, let reason, let isBetweenMessages):
        guard let client = open.client(id) else { continue }
        open.clients[Int(id.index)] = nil
        logger.debug("sent away", ["room": .text(open.name), "reason": .text(reason.string)])
        sayGoodbye(to: client, code, reason, error: isBetweenMessages ? code.word : nil)
      case .pauseReading(let id): open.client(id)?.pauseReading(.backlog)
      case .resumeReading(let id): open.client(id)?.resumeReading(.backlog)
      }
    }
  }

  private func append(_ batch: Batch, to open: OpenRoom) {
    let id = nextRequest()
    let parts = batch.parts(operationsMax: Int(limits.operationsPerMessage))
    appends[id] = Append(
      room: open,
      batch: batch.number,
      parts: parts,
      arrivedAt: SteadyClock.microseconds()
    )
    metrics.operationsIn += UInt64(batch.operations.count)
    requests.append(
      .append(
        AppendRequest(
          id: id,
          room: open.name,
          epoch: open.room.epoch,
          mayCreate: !open.isStored,
          milliseconds: WallClock.now(),
          records: parts.map {
            NewRecord(bytes: StoredOperations.encode($0), operations: UInt32(clamping: $0.count))
          }
        )
      )
    )
  }

  // MARK: The seconds

  /// Once a second: what nobody waits for.
  func tick() {
    tickTimer = loop.schedule(afterMilliseconds: 1_000) { self.tick() }
    guard !stopping.isUnderWay else { return }
    let now = Moment.now()
    for open in Array(rooms.values) {
      open.room.rest(now: now)
      if open.room.isIdle, open.holds == 0 {
        let since = open.idleSince ?? now.monotonicMilliseconds
        open.idleSince = since
        if now.monotonicMilliseconds >= since + limits.roomIdleMilliseconds { closeIdle(open) }
      } else {
        open.idleSince = nil
        snapshotIfWorthwhile(open)
      }
    }
    requestRates = requestRates.filter { !$0.value.isFull(at: now.monotonicMilliseconds) }
    summariseRefusals()
    if retainedAt.map({ now.monotonicMilliseconds >= $0 + 600_000 }) ?? true {
      retainedAt = now.monotonicMilliseconds
      requests.append(.retain(id: nextRequest(), milliseconds: now.wallMilliseconds))
    }
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

extension LogRequest {
  fileprivate var isAppend: Bool {
    if case .append = self { true } else { false }
  }
}
