import CanvasCRDT
import RoomLog
import WebSocketLoop

// Events that the log reports.

extension Hub {
  func take(_ events: [LogEvent]) {
    for event in events { take(event) }
    deliver()
  }

  private func take(_ event: LogEvent) {
    switch event {
    case .opened(let secret):
      if let secret { keys = ActorKeys(secret: secret) }
      log.noteOpen()
      announce()
    case .waiting(let fault):
      log.noteWaiting(fault)
      logger.warning("waiting for the database", ["reason": .text("\(fault)")], alike: .none)
    case .unusable(let fault): end(for: fault)
    case .appended(let appended): return queue(appended)
    case .failed(let id, _, let error):
      if let append = log.takeAppend(id) {
        deliveries.add(.failure(append, error), for: append.room)
      }
      // Any request may find that a room is damaged. That is handled at once, because the log stores nothing more in
      // the room until a snapshot replaces the damaged records.
      if error.damagedRoom != nil { found(error) }
    case .availability(nil, let fault):
      log.note(fault)
      if let fault {
        logger.error("the log can't be written; reading still works", ["fault": .text("\(fault)")])
      } else {
        logger.info("the log can be written again", alike: .byAll)
      }
    case .availability(.some(let room), let fault):
      // Clients are told nothing here, because each writer gets a refusal of its own batch.
      if let fault {
        logger.error("a room can't be written; reading still works", ["room": .text(room), "fault": .text("\(fault)")])
      } else {
        logger.info("a room can be written again", ["room": .text(room)], alike: .byAll)
      }
    case .otherTimeline(let number, let lost): goOn(onTimeline: number, lost: lost)
    case .readability(let fault):
      log.noteReading(fault)
      if let fault {
        logger.error("rooms can't be opened or followed; open ones can be written", ["fault": .text("\(fault)")])
      } else {
        logger.info("rooms can be opened and followed again", alike: .byAll)
      }
    case .concern(let words): logger.warning("the database needs a look", ["reason": .text(words)])
    case .committed(let report):
      if report.microseconds > Hub.slowCommitMicroseconds {
        logger.warning(
          "slow commit",
          [
            "milliseconds": .init(report.microseconds / 1_000), "rooms": .init(report.rooms),
            "records": .init(report.records), "bytes": .init(report.bytes),
          ],
          alike: .by([])
        )
      }
    case .deleted(_, let room, let epoch):
      if let open = rooms.heeding(room), open.room.epoch == epoch { removed(open) }
    case .unfollowed(nil, let room):
      if let open = rooms.heeding(room) { stop(open, "the log can't tell what came next; connect again") }
    case .trimmed(_, let room, let through):
      logger.debug("history trimmed", ["room": .text(room), "through": .init(through)])
    case .paused(let room):
      if let open = rooms.heeding(room) { deliveries.add(.pause, for: open) } else { log.resume(room) }
    case .locks(let names): take(locks: names)
    case .locked(_, let room, let isLocked): noteLock(of: room, isLocked)
    case .closed: logClosed()
    case .unfollowed, .following, .resumed, .created, .snapshotted, .read, .loaded, .retained, .repaired, .verified,
      .verifiedPart, .rooms:
      break
    }
    if let id = event.id { log.answer(id, with: event) }
  }

  /// The log continues on another timeline (an unbroken history of the database). Some of what this process stored
  /// might be lost, and other nodes might have stored other records at the same positions.
  private func goOn(onTimeline number: UInt64, lost: String?) {
    if run.goOn(onTimeline: number, as: UInt64.random(in: 1...UInt64.max, using: &generator)) {
      logger.warning("the database goes on from another copy: a standby has taken over, or a backup was restored")
    }
    guard let lost else { return }
    logger.error("the database has lost records of a room that had been stored", ["room": .text(lost)])
    if let open = rooms.heeding(lost) { stop(open, "the database has lost some of what was stored; connect again") }
  }

  /// A commit that takes longer than this is logged as slow.
  private static let slowCommitMicroseconds: UInt64 = 250_000

  private func queue(_ appended: AppendedRecords) {
    let sent = appended.id.flatMap { log.takeAppend($0) }
    // A room that was closed while its batch was under way may be open again as another object.
    let append = sent?.room.isGone == true ? nil : sent
    guard let open = append?.room ?? rooms.heeding(appended.room), !open.isGone, open.begin(epoch: appended.epoch)
    else {
      return
    }
    for (part, record) in appended.records.enumerated() {
      deliveries.add(.record(record, part: part, of: append), for: open)
    }
  }

  /// Lets rooms process the log's answers, up to the time limit for one iteration of the event loop.
  private func deliver() {
    let until = clocks.steadyMicroseconds() + Hub.deliveryMicroseconds
    while let (open, answer) = deliveries.takeNext() {
      switch answer {
      case .failure(let append, let error): failed(append, error)
      case .pause: log.resume(open.name)
      case .record(let record, let part, let append): deliver(record, part: part, of: append, to: open)
      }
      guard clocks.steadyMicroseconds() < until else { break }
    }
    guard !deliveries.isEmpty, !deliveries.isNextTurnDue else { return }
    deliveries.isNextTurnDue = true
    loop.schedule(afterMilliseconds: 0) {
      self.deliveries.isNextTurnDue = false
      self.deliver()
    }
  }

  /// The time limit for `deliver` in one iteration of the event loop. A record of a thousand operations takes about
  /// half of it.
  private static let deliveryMicroseconds: UInt64 = 5_000

  private func deliver(_ record: LogRecord, part: Int, of append: LogDesk.Append?, to open: OpenRoom) {
    guard !open.isGone else { return }
    guard let stored = append?.parts[part] ?? StoredOperations(record.bytes) else {
      logger.error("a record in an unknown format", ["room": .text(open.name), "position": .init(record.position)])
      // This server can't read the record. If it skipped the record, its copy of the room would differ from the copy at
      // the node that wrote it.
      return stop(open, "a newer server has written to this room; this one has to be brought up to date")
    }
    let endsBatch = append.map { part == $0.parts.count - 1 } ?? true
    let appeared = logger.writes(.debug) ? absentShapes(of: stored.operations, in: open) : []
    do throws(MissingRecord) {
      let record = RoomRecord(record, stored, batch: append?.batch, endsBatch: endsBatch)
      try change(open) { room throws(MissingRecord) in try room.delivered(record, now: now) }
    } catch {
      logger.error("a record is missing", ["room": .text(open.name), "position": .init(error.position)])
      return stop(open, "the log has left out what came next; connect again")
    }
    counts.noteDelivery(operations: stored.operations.count, connections: open.room.audience.connectionCount)
    for id in appeared {
      if let shape = open.room.canvas[id] { logger.debug("shape \(shape)", ["room": .text(open.name)]) }
    }
    if endsBatch, let append { open.noteArrival(append.arrivedAt) }
  }

  private func absentShapes(of operations: [Operation], in open: OpenRoom) -> [Identifier] {
    var absent: [Identifier] = []
    for operation in operations where open.room.canvas[operation.shape] == nil && !absent.contains(operation.shape) {
      absent.append(operation.shape)
    }
    return absent
  }

  private func failed(_ append: LogDesk.Append, _ error: LogError) {
    if let charge = append.charge { giveBack(charge, for: append.room) }
    // If a session sent the operations, their refusal is logged here. If an HTTP request sent them, the refusal is
    // logged with the answer to the request.
    if let id = change(append.room, { $0.failed(batch: append.batch) }) ?? nil, let session = append.room.session(id) {
      journal.write(Refusal("unavailable", of: session, "\(error)"))
    }
    if RoomInLog.isGone(by: error) { removed(append.room) }
  }

  /// Asks the log, and waits for its answer.
  func ask<Answer>(_ question: LogQuestion<Answer>) async throws(LogError) -> Answer {
    let number = log.nextNumber()
    let event = await withCheckedContinuation { log.ask(question.request(number), number: number, $0) }
    return try question.answer(in: event)
  }
}
