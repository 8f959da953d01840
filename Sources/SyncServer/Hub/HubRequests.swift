import CanvasCRDT
import RoomLog
import WebSocketLoop

// What HTTP requests ask of rooms, as jobs that may wait for the log.

extension Hub: RoomService {
  nonisolated var limits: Limits { configuration.limits }
  nonisolated var proxies: Proxies { configuration.proxies }
  nonisolated var sites: Sites { configuration.sites }
  var isStopping: Bool { lifetime.isStopping }
  var storageFault: String? {
    log.fault.map { "\($0)" } ?? (storage.isLow ? "the disk is nearly full: only deletions are stored" : nil)
  }

  var asksForTokens: Bool { tokens != nil || signedTokens != nil }

  func grant(of token: String?) -> Grant? {
    guard asksForTokens else { return .everything }
    return token.flatMap { tokens?.grant(of: $0) ?? signedTokens?.grant(of: $0, at: WallClock.now()) }
  }

  func noteAnswer(_ status: Int, to request: Request) {
    let fault = status == 403 || status == 421 ? sites.fault(of: request) : nil
    noteAnswer(
      status,
      Refusal(
        code: "http_\(status)",
        address: address(of: request),
        reason: fault?.words ?? request.path,
        room: request.room,
        token: grant(of: request.token)?.label
      )
    )
  }

  /// Counts an answer. A 404 or a 405 is not a refusal.
  func noteAnswer(_ status: Int, _ refusal: @autoclosure () -> Refusal) {
    counts.noteRequest(status: status)
    guard status >= 400, status != 404, status != 405 else { return }
    noteRefusal(refusal())
  }

  func noteRefusal(_ refusal: Refusal) {
    counts.noteRefusal(refusal.code)
    refusals.write(refusal)
    record(refusal)
  }

  // MARK: One room

  func take(_ name: String, mayCreate: Bool) async -> Opening<OpenRoom> {
    let opening = await opened(name, mayCreate: mayCreate)
    if case .open(let open) = opening { open.hold() }
    return opening
  }

  func giveBack(_ open: OpenRoom) { open.letLoose() }

  func view(of open: OpenRoom) -> RoomView? {
    guard !open.isGone else { return nil }
    let room = open.room
    return RoomView(name: room.name, places: room.places, position: room.position, canvas: room.canvas)
  }

  func overlapIndex(of open: OpenRoom) -> OverlapIndex {
    defer { rooms.markDirty(open) }
    return open.room.overlapIndex(now: .now())
  }

  func submit(
    _ operations: [ProposedOperation],
    to open: OpenRoom,
    from payer: Payer
  ) async -> Result<Cursor, Rejection> {
    let number = log.nextNumber()
    let actor = keys.newActor(in: open.room.name, using: &generator)
    return await withCheckedContinuation { continuation in
      log.submitter(number, continuation)
      let now = Moment.now()
      let allowance = allowance(of: payer, in: open, now: now)
      open.room.submit(operations, request: number, actor: actor, allowance: allowance, now: now)
      carryOutEffects(of: open)
      rooms.markDirty(open)
    }
  }

  func delete(_ name: String) async -> Deletion {
    if let open = rooms[name], !open.isStored, open.room.isUnwritten { return .absent }
    let event = await ask { .delete(id: $0, room: name) }
    switch event {
    case .deleted: return .done
    case .failed(_, _, .noSuchRoom): return .absent
    default: return .failed(Hub.words(event))
    }
  }

  func span(of open: OpenRoom) async -> RoomSpan? {
    guard case .loaded(_, let loaded) = await ask({ .load(LoadRequest(id: $0, room: open.name)) }) else { return nil }
    return RoomSpan(
      createdMilliseconds: loaded.summary.createdMilliseconds,
      changedMilliseconds: loaded.summary.changedMilliseconds,
      operations: loaded.summary.operations
    )
  }

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
        guard let stored = StoredOperations(record.bytes) else { return .failure(.unreadable("another form")) }
        guard history.fold(RoomRecord(record, stored)) else { return .success(history) }
      }
      guard page.through > after, !page.isLast else { break }
      after = page.through
    }
    return .success(history)
  }

  /// All rooms that somebody has written to and that `grant` is for, by name. After a crash, the newest snapshot of a
  /// closed room may be missing or old. Only opening the room tells its shapes then. A few such rooms are opened for
  /// each list, so that the list never takes long.
  func list(of grant: Grant) async -> Result<[RoomListing], HistoryError> {
    let event = await ask { .list(id: $0) }
    guard case .rooms(_, let stored) = event else { return .failure(HistoryError(event)) }
    var listings: [RoomListing] = []
    var openingsLeft = Hub.openingsForListMax
    let patientUntil = SteadyClock.microseconds() + Hub.openingsForListMicroseconds
    let visible = stored.filter { grant.covers($0.room) }
    for entry in visible.sorted(by: { $0.room.utf8.lexicographicallyPrecedes($1.room.utf8) }) {
      if let open = rooms[entry.room] {
        listings.append(open.room.listing)
        continue
      }
      var listing = RoomListing(entry)
      if listing.fault == nil, listing.isUncounted, openingsLeft > 0, SteadyClock.microseconds() < patientUntil {
        openingsLeft -= 1
        switch await opened(entry.room, mayCreate: false) {
        case .open(let open): listing = open.room.listing
        case .failed(let words): listing.fault = Text(words)
        // The room was deleted meanwhile.
        case .absent: continue
        case .full: break
        }
      }
      listings.append(listing)
    }
    return .success(listings)
  }

  private static let openingsForListMax = 64
  private static let openingsForListMicroseconds: UInt64 = 500_000
}

extension RoomListing {
  /// The room as the log knows it without reading its records. So the runs that wrote them are not known, and the
  /// cursor tells only whether more was written since.
  fileprivate init(_ summary: RoomSummary) {
    self.init(
      room: Text(summary.room),
      shapes: Int(clamping: summary.snapshot?.shapes ?? 0),
      peers: 0,
      cursor: RoomPlaces(epoch: summary.epoch).cursor(at: summary.last),
      operations: summary.operations,
      isUncounted: summary.snapshot?.position != summary.last,
      fault: summary.damage.map { Text("\($0)") }
    )
  }
}

extension HistoryError {
  fileprivate init(_ event: LogEvent) {
    if case .failed(_, _, .trimmed) = event { self = .trimmed } else { self = .unreadable(Hub.words(event)) }
  }
}
