import CanvasCRDT
import RoomLog
import WebSocketLoop

// What the log has to tell.

extension Hub {
  func take(_ events: [LogEvent]) {
    for event in events { take(event) }
  }

  private func take(_ event: LogEvent) {
    switch event {
    case .appended(let appended): deliver(appended)
    case .failed(let id, let room, let error):
      if let append = appends.removeValue(forKey: id) {
        failed(append, error)
      } else {
        waiters.removeValue(forKey: id)?.resume(returning: event)
        if case .damaged = error { logger.error("\(error)", ["room": .text(room ?? "")]) }
      }
    case .availability(let fault):
      self.fault = fault
      if let fault {
        logger.error("the log can't be written; readers go on", ["fault": .text("\(fault)")])
      } else {
        logger.info("the log can be written again")
      }
    case .committed(let report):
      if report.microseconds > Hub.slowCommitMicroseconds {
        logger.warning(
          "slow commit",
          [
            "milliseconds": .init(report.microseconds / 1_000), "rooms": .init(report.rooms),
            "records": .init(report.records), "bytes": .init(report.bytes),
          ]
        )
      }
    case .deleted(let id, let room, _):
      removed(room)
      if let id { waiters.removeValue(forKey: id)?.resume(returning: event) }
    case .snapshotted(let id, _, _): waiters.removeValue(forKey: id)?.resume(returning: event)
    case .read(let id, _), .loaded(let id, _), .retained(let id), .repaired(let id, _, _, _, _),
      .verified(let id, _, _), .rooms(let id, _):
      waiters.removeValue(forKey: id)?.resume(returning: event)
    case .trimmed(let id, let room, let through):
      logger.debug("history trimmed", ["room": .text(room), "through": .init(through)])
      if let id { waiters.removeValue(forKey: id)?.resume(returning: event) }
    case .closed: logClosed()
    }
  }

  /// What a commit may take before an operator is told.
  private static let slowCommitMicroseconds: UInt64 = 250_000

  private func deliver(_ appended: AppendedRecords) {
    let append = appended.id.flatMap { appends.removeValue(forKey: $0) }
    guard let open = append?.room ?? rooms[appended.room], !open.isGone, open.room.epoch == appended.epoch else {
      return
    }
    open.isStored = true
    let now = Moment.now()
    for (part, record) in appended.records.enumerated() {
      guard let operations = append?.parts[part] ?? StoredOperations.decode(record.bytes) else {
        logger.error("a record of another form", ["room": .text(open.name), "position": .init(record.position)])
        continue
      }
      let appeared = logger.writes(.debug) ? absentShapes(of: operations, in: open) : []
      open.room.delivered(
        RoomRecord(
          position: record.position,
          milliseconds: record.milliseconds,
          batch: part == appended.records.count - 1 ? append?.batch : nil,
          operations: operations
        ),
        now: now
      )
      metrics.operationsOut += UInt64(operations.count * open.room.memberCount)
      for id in appeared {
        if let shape = open.room.canvas[id] { logger.debug("shape \(shape)", ["room": .text(open.name)]) }
      }
    }
    if let append { open.arrivals.append(append.arrivedAt) }
    markDirty(open)
  }

  private func absentShapes(of operations: [Operation], in open: OpenRoom) -> [Identifier] {
    var absent: [Identifier] = []
    for operation in operations where open.room.canvas[operation.shape] == nil && !absent.contains(operation.shape) {
      absent.append(operation.shape)
    }
    return absent
  }

  private func failed(_ append: Append, _ error: LogError) {
    guard !append.room.isGone else { return }
    // The room counts it, and what came over HTTP is logged with its answer.
    if case .member(let id, _) = append.room.room.inFlight[append.batch]?.origin, let client = append.room.client(id) {
      logRefusal("unavailable", address: client.address, reason: "\(error)")
    }
    append.room.room.failed(batch: append.batch)
    markDirty(append.room)
    switch error {
    case .otherEpoch, .noSuchRoom: removed(append.room.name)
    default: break
    }
  }

  /// Asks the log and waits for what it says.
  func ask(_ request: (_ id: UInt64) -> LogRequest) async -> LogEvent {
    let id = nextRequest()
    let request = request(id)
    return await withCheckedContinuation { continuation in
      waiters[id] = continuation
      requests.append(request)
    }
  }

  /// Why something that was asked for did not come.
  static func words(_ event: LogEvent) -> String {
    if case .failed(_, _, let error) = event { "\(error)" } else { "the log gave another answer" }
  }
}
