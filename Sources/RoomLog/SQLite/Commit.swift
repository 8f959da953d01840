import Basics

/// The changes that a transaction makes. They are applied to the state in memory when the transaction is durable.
struct Staging {
  /// The changed rooms in their new state. `nil` for a deleted room.
  var rooms: [String: RoomEntry?] = [:]
  var lastNumber: Int64
  var events: [LogEvent] = []
  var clearings: [Clearing] = []
  var writings: [SnapshotWriting] = []
  var retentions: [Retaining] = []
  var records = 0
  var bytes = 0
  /// The numbers of rooms that were repaired or deleted. Stored reports of damage in these rooms are dropped.
  var repaired: [Int64] = []
  /// The snapshots that this transaction completes.
  var covered: [(room: Int64, position: UInt64)] = []
}

/// Why a request can't be carried out. `.refused` concerns this request alone. Every other case fails the whole
/// transaction.
enum StagingFailure: Error {
  case refused(LogError)
  case failed(SQLiteFailure)
  case misplaced(StorageFault)
  /// The page where the room's next record belongs is damaged.
  case damaged(room: RoomEntry)
}

extension Writer {
  /// Stores a batch of requests in one transaction, and reports the results.
  func commit(_ batch: [LogRequest]) {
    guard !batch.isEmpty || !completions.isEmpty || !trims.isEmpty else { return }
    let start = SteadyClock.microseconds()
    var whole = completions
    var trims = trims
    var damaged: RoomEntry?
    while true {
      do throws(StagingFailure) {
        let staging = try store(batch, completing: whole, dropping: trims)
        let took = SteadyClock.microseconds() - start
        completions = []
        self.trims = []
        queue.release(whole.map(\.asRequest))
        queue.release(batch)
        adopt(staging, microseconds: took)
        break
      } catch {
        switch error {
        case .damaged(let room):
          // The first time, only this room is refused, and the batch is tried again for the other rooms. The second
          // time, the damage must be in the page to which all rooms' records are added.
          if let first = damaged {
            shared.clearDamage(room: first.number)
            give(up: batch, for: .damaged(path: path, detail: "where records are added"))
            break
          }
          damaged = room
          shared.note(.init(room: room.name, position: room.last, isHistory: false), room: room.number)
          continue
        case .failed(let failure) where failure.isDamage && !(whole.isEmpty && trims.isEmpty):
          // The damage may be in the table of snapshots. The batch can be stored without them.
          refuse(whole, for: failure.fault(path: path))
          outlet.tell(trims.compactMap(\.answer).map { .retained(id: $0) })
          (whole, trims) = ([], [])
          (completions, self.trims) = ([], [])
          continue
        case .failed(let failure): give(up: batch, for: failure.fault(path: path))
        case .misplaced(let fault): give(up: batch, for: fault)
        case .refused: break
        }
        break
      }
    }
  }

  private func give(up batch: [LogRequest], for fault: StorageFault) {
    shared.update { $0.failedCommits += 1 }
    queue.release(batch)
    let refusals = batch.map { LogEvent.failed(id: $0.id, room: $0.room, .unavailable(fault)) }
    suspend(fault)
    outlet.tell(refusals)
  }

  private func store(
    _ batch: [LogRequest],
    completing whole: [SnapshotWriting],
    dropping trims: [RetentionTrim]
  ) throws(StagingFailure) -> Staging {
    guard let connection else { return Staging(lastNumber: lastNumber) }
    var staging = Staging(lastNumber: lastNumber)
    var thrown: StagingFailure?
    do throws(StorageFault) { try checkFiles() } catch { throw .misplaced(error) }
    do throws(SQLiteFailure) {
      try connection.transaction(synced: true) { () throws(SQLiteFailure) in
        for request in batch {
          do throws(StagingFailure) {
            try stage(request, in: &staging, connection)
          } catch {
            guard case .refused(let refusal) = error else {
              thrown = error
              throw SQLiteFailure(code: 0, systemError: 0, message: "given up")
            }
            staging.events.append(.failed(id: request.id, room: request.room, refusal))
          }
        }
        for snapshot in whole { try complete(snapshot, in: &staging, connection) }
        for trim in trims { try stage(trim, in: &staging, connection) }
        // The rooms are written in the order of their numbers, so that the same requests always write the same pages.
        for entry in staging.rooms.values.compactMap(\.self).sorted(by: { $0.number < $1.number }) {
          try connection.put(entry)
        }
      }
    } catch {
      throw thrown ?? .failed(error)
    }
    return staging
  }

  /// Applies the changes of a durable transaction to the state in memory, and reports them.
  private func adopt(_ staging: Staging, microseconds: UInt64) {
    lastNumber = staging.lastNumber
    for (name, entry) in staging.rooms { rooms[name] = entry }
    for number in staging.repaired { shared.clearDamage(room: number) }
    for (number, position) in staging.covered { shared.cover(room: number, through: position) }
    chores.clearings += staging.clearings
    chores.retentions += staging.retentions
    // These snapshots stay in memory until their parts are written, so the queue goes on counting their bytes.
    queue.retain(staging.writings.map(\.asRequest))
    chores.writings += staging.writings
    let report = CommitReport(
      rooms: staging.rooms.count,
      records: staging.records,
      bytes: staging.bytes,
      microseconds: microseconds
    )
    let count = rooms.count
    shared.update { figures in
      figures.rooms = count
      guard report.rooms > 0 else { return }
      figures.commits += 1
      figures.records += UInt64(report.records)
      figures.bytes += UInt64(report.bytes)
      figures.commitMicroseconds.add(microseconds)
      figures.batchRecords.add(UInt64(report.records))
    }
    outlet.tell(report.rooms > 0 ? staging.events + [.committed(report)] : staging.events)
  }
}
