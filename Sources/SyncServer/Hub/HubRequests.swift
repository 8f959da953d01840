import CanvasCRDT
import RoomLog
import WebSocketLoop

// What HTTP asks of rooms, as jobs that may wait for the log.

extension Hub {
  /// Operations without a connection: durable, or why not.
  func submit(_ operations: [ProposedOperation], to open: OpenRoom) async -> Result<Cursor, Rejection> {
    let id = nextRequest()
    let actor = Identifier.random(using: &generator)
    return await withCheckedContinuation { continuation in
      submitters[id] = continuation
      open.room.submit(operations, request: id, actor: actor, now: .now())
      carryOutEffects(of: open)
      markDirty(open)
    }
  }

  /// A room as it was; nothing where that is no longer kept, or can't be read.
  func history(of open: OpenRoom, at end: RoomHistory.End) async -> Result<RoomHistory, HistoryError> {
    let bound: LogBound =
      switch end {
      case .position(let position): .position(position)
      case .time(let milliseconds): .milliseconds(milliseconds)
      }
    let event = await ask { .load(LoadRequest(id: $0, room: open.name, through: bound)) }
    guard case .loaded(_, let loaded) = event else { return .failure(HistoryError(event)) }
    let seed = generator.next()
    var snapshot: RoomImage?
    if let stored = loaded.snapshot { snapshot = try? RoomImage(stored.bytes, seed: seed) }
    var history = RoomHistory(end: end, image: snapshot, seed: seed)
    var after = history.position
    while after < loaded.summary.last {
      let event = await ask {
        .read(
          ReadRequest(id: $0, room: open.name, epoch: loaded.summary.epoch, after: after, through: bound)
        )
      }
      guard case .read(_, let page) = event else { return .failure(HistoryError(event)) }
      for record in page.records {
        guard let operations = StoredOperations.decode(record.bytes) else {
          return .failure(.unreadable("another form"))
        }
        let record = RoomRecord(position: record.position, milliseconds: record.milliseconds, operations: operations)
        guard history.fold(record) else { return .success(history) }
      }
      guard page.through > after, !page.isLast else { break }
      after = page.through
    }
    return .success(history)
  }

  /// All rooms that anyone has written to and `grant` is for, by name.
  func list(of grant: Grant) async -> Result<[RoomListing], HistoryError> {
    let event = await ask { .list(id: $0) }
    guard case .rooms(_, let stored) = event else { return .failure(HistoryError(event)) }
    var summaries: [RoomListing] = []
    let visible = stored.filter { grant.covers($0.room) }
    for entry in visible.sorted(by: { $0.room.utf8.lexicographicallyPrecedes($1.room.utf8) }) {
      if let open = rooms[entry.room], !open.isGone {
        summaries.append(open.room.listing)
      } else if let snapshot = entry.snapshot, snapshot.position == entry.last {
        summaries.append(
          RoomListing(
            room: Text(entry.room),
            shapes: Int(clamping: snapshot.shapes),
            peers: 0,
            cursor: RoomCursor(epoch: entry.epoch, position: entry.last).cursor,
            operations: entry.operations
          )
        )
      } else if case .open(let open) = await opened(entry.room, mayCreate: false) {
        // Closed without a snapshot, by a crash: only its log tells how many shapes it has.
        summaries.append(open.room.listing)
      }
    }
    return .success(summaries)
  }
}

/// Why the log doesn't tell.
enum HistoryError: Error {
  case trimmed
  case unreadable(String)

  init(_ event: LogEvent) {
    if case .failed(_, _, .trimmed) = event { self = .trimmed } else { self = .unreadable(Hub.words(event)) }
  }
}
