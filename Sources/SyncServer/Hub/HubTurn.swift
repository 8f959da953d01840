import CanvasCRDT
import RoomLog
import WebSocketLoop

// The end of an iteration of the event loop: the rooms' requests go to the log, and their updates go to clients.

extension Hub {
  func endTurn() {
    defer { turns.end() }
    if !rooms.toFlush.isEmpty { flushRooms() }
    tellNeighbours()
    switch log.endTurn(now: { clocks.steadyMilliseconds }) {
    case .nothing: break
    case .waits(let due): wake(at: due, now: clocks.steadyMilliseconds)
    }
  }

  private func flushRooms() {
    let now = now
    let until = clocks.steadyMicroseconds() + Hub.flushMicrosecondsMax
    var due: UInt64?
    var waiting = rooms.toFlush.takeAll()[...]
    while let open = waiting.popFirst() {
      giveTurn(to: open) { flush(&$0, of: open, now: now) }
      if let next = open.flushDueAt { due = min(due ?? next, next) }
      // When the time is up, the remaining rooms wait for the next iteration, so that a client with a thousand rooms
      // doesn't delay everyone else. At shutdown all rooms are served in one iteration.
      if clocks.steadyMicroseconds() >= until, !isStopping { break }
    }
    if !waiting.isEmpty {
      rooms.toFlush.putBack(waiting)
      due = now.monotonicMilliseconds
    }
    if let due { wake(at: due, now: now.monotonicMilliseconds) }
  }

  private func flush(_ room: inout Room, of open: OpenRoom, now: Moment) {
    if room.isFlushDue(now: now) { room.flush(now: now) }
    gatherNews(of: &room, open, now: now)
    let writes = counts.writes
    if room.hasUnsent { send(&room, of: open, now: now) }
    if let (beats, operations) = open.takeBeats(room) {
      counts.noteBeats(beats, operations: operations, frames: counts.writes - writes)
    }
    let arrivals = open.takeArrivals(room)
    if !arrivals.isEmpty { counts.noteArrivals(arrivals, now: clocks.steadyMicroseconds()) }
  }

  private func send(_ room: inout Room, of open: OpenRoom, now: Moment) {
    let began = clocks.processorMicroseconds()
    let seatsMax = now.monotonicMilliseconds < open.roundGoesOnAt ? 0 : Hub.seatsInATurn
    let seats = room.send(now: now, seatsMax: seatsMax) { self.write($1, to: $0, of: open) }
    guard seats > 0 else { return }
    let took = clocks.processorMicroseconds() - began
    room.sendingTook(microseconds: took, seats: seats)
    // The pause is twice as long as serving these readers took. So sending to a large room takes at most a third of the
    // loop's time.
    if room.hasUnsent { open.roundGoesOnAt = now.monotonicMilliseconds + 1 + took * 2 / 1_000 }
  }

  /// The time limit for sending from all rooms in one iteration of the event loop. Rooms that were not served come
  /// first in the next iteration.
  private static let flushMicrosecondsMax: UInt64 = 3_000

  /// The most readers of one room that are served in one iteration of the event loop. Serving this many takes some
  /// milliseconds. The other readers of a large room are served in later iterations.
  private static let seatsInATurn = 256

  /// Makes sure that the event loop wakes up at time `due`.
  private func wake(at due: UInt64, now: UInt64) {
    turns.wake(at: due, now: now) { milliseconds in
      loop.schedule(afterMilliseconds: milliseconds) { self.turns.noteAlarm() }
    }
  }

  func carryOut(_ effects: [RoomEffect], of open: OpenRoom) {
    var goodbyes: [Goodbye] = []
    for effect in effects {
      switch effect {
      case .append(let batch):
        let number = run.numberUnknown(to: open.room)
        append(EncodedBatch(batch, run: number, timeline: run.timeline, limits), to: open)
      case .prepare(let layout): prepare(layout, for: open)
      case .answered(let request, let result): open.storing.answer(request, with: result)
      case .overlaps(let order): carryOut(order, for: open)
      case .overlapsAnswered(let request, let index, let cursor):
        open.settling.answer(request, with: SettledOverlaps(index: index, cursor: cursor))
      case .close(let id, let code, let reason, let isBetweenMessages):
        guard let session = open.unseat(id) else { continue }
        logger.debug("sent away", ["room": .text(open.name), "reason": .text(reason.string)])
        goodbyes.append(goodbye(to: session, code, reason, error: isBetweenMessages ? code.errorWord : nil))
      case .pauseReading(let id): open.session(id)?.pauseReading(.backlog)
      case .resumeReading(let id): open.session(id)?.resumeReading(.backlog)
      case .differs:
        counts.noteDifference()
        logger.error("another node has this room otherwise", ["room": .text(open.name)], alike: .by(["room"]))
      }
    }
    sayGoodbye(goodbyes)
  }

  /// Gives stamps to the shapes of an HTTP request and encodes them, on another thread. Afterwards the writer's right
  /// is checked again, because it can have changed meanwhile.
  private func prepare(_ layout: AdmittedLayout, for open: OpenRoom) {
    let number = run.numberUnknown(to: open.room)
    let timeline = run.timeline
    let limits = limits
    log.layoutsUnderWay += 1
    // A new room is paid for before the layout is encoded. Otherwise all layouts on their way meet the same account.
    let paid = charge(layout.payer, bytes: 0, to: open)
    job {
      let party = layout.payer?.address ?? ""
      let batch = try? await heavyWork.run(for: party, isBounded: false) {
        EncodedBatch(layout.stamped(), run: number, timeline: timeline, limits)
      }
      log.layoutsUnderWay -= 1
      // If the room was deleted meanwhile, the layout has been refused already.
      if !open.isGone, let batch,
        open.writers[layout.request].map({ refusal(of: $0, writingTo: open.name) == nil }) ?? true
      {
        append(batch, to: open, paid: paid)
      } else {
        if let paid { giveBack(paid, for: open) }
        changeAtOnce(open) { $0.withdraw(batch: layout.number) }
      }
    }
  }

  /// - Parameter paid: what the account was charged already.
  private func append(_ batch: EncodedBatch, to open: OpenRoom, paid: Charge? = nil) {
    let number = log.nextNumber()
    var charge = charge(batch.payer, bytes: batch.storedBytes, to: open)
    charge?.rooms += paid?.rooms ?? 0
    counts.noteAppend(operations: batch.operationCount)
    log.append(
      LogDesk.Append(
        room: open,
        batch: batch.number,
        parts: batch.parts,
        charge: charge,
        arrivedAt: clocks.steadyMicroseconds()
      ),
      number: number,
      AppendRequest(
        id: number,
        room: open.name,
        epoch: open.epochToAppend { generator.next() },
        mayCreate: !open.isStored,
        milliseconds: now.wallMilliseconds,
        records: batch.records,
        timeline: batch.timeline
      )
    )
  }

  // MARK: Once a second

  /// To be called once a second, for work that nobody waits for.
  func tick() {
    lifetime.willTick(loop.schedule(afterMilliseconds: 1_000) { self.tick() })
    let now = now
    requestBook.rest(now: now.monotonicMilliseconds)
    guard !isStopping else { return }
    job { await letRoomsRest() }
    counts.passTurns(now)
    keepNeighbours()
    lookAtStorage()
    accounts.quotas.forgetFaded(now: now.monotonicMilliseconds)
    writeGathered()
    lookAtEnds(now: now)
    guard log.isOpen else { return }
    log.retain(now: now)
    verifySome(now: now)
  }

  /// Lets each room do what it does once a second. The rooms are spread over several jobs of the loop, because all
  /// 10,000 together would take twenty milliseconds.
  private func letRoomsRest() async {
    guard !rooms.areResting else { return }
    rooms.areResting = true
    defer { rooms.areResting = false }
    for (index, open) in rooms.all.enumerated() {
      if index % Hub.roomsRestingInAJob == Hub.roomsRestingInAJob - 1 { await letOthersGoFirst() }
      if !open.isGone, !isStopping { letRest(open) }
    }
  }

  /// After this many calls of `letRest`, the job lets others go first. Together, these calls take a third of a
  /// millisecond.
  static let roomsRestingInAJob = 128

  private func letRest(_ open: OpenRoom) {
    let now = now
    giveTurn(to: open) {
      $0.rest(now: now)
      gatherNews(of: &$0, open, now: now)
    }
    if let idle = open.idleTime(now: now.monotonicMilliseconds) {
      if idle >= limits.roomIdleMilliseconds { closeIdle(open) }
    } else if open.isWorthSnapshot {
      snapshot(open)
    }
  }

  /// Writes one log line for many events of a kind, instead of a line for each event.
  func writeGathered(isEnd: Bool = false) {
    journal.beginSecond(now: now.monotonicMilliseconds, isEnd: isEnd)
    logger.writeSums(isEnd: isEnd)
  }
}
