import Basics

/// Reads rooms and pages of records. All statements of one request see the database at one moment
/// (`PostgresStatement.readAtOnce`). Nothing is cached between requests.
final class PostgresReading {
  let link: PostgresLink
  let reports: PostgresReports
  /// The damaged snapshots that were reported. Each is reported once, although every read of old history may meet it.
  private var passedOver: Set<LogError> = []
  /// When this many were reported, they are forgotten, and may be reported again.
  private static let passedOverMax = 1_000

  init(_ link: PostgresLink, _ reports: PostgresReports) {
    self.link = link
    self.reports = reports
  }

  static let statements: [PostgresStatement] = [
    .readAtOnce, .room, .rooms, .roomAfter, .lastRoom, .places, .snapshot, .page,
  ]

  var isDone: Bool { !link.hasRequests }

  func read(_ request: LogRequest) {
    // Read requests are small, so they needn't count against the queue's limit.
    reports.release(request)
    guard link.isReady else { return refuse(request, .unavailable(reports.presentFault)) }
    switch request {
    case .load(let load): self.load(load)
    case .read(let read): page(read)
    case .list(let id): list(id)
    case .verify(let id, let room): verify(id, room)
    case .verifyPart(let part): verifyPart(part)
    case .repair(let repair): check(repair)
    default: break
    }
  }

  func refuse(_ request: LogRequest, _ error: LogError) {
    reports.tell([.failed(id: request.id, room: request.room, error)])
  }

  func answer<Value>(_ request: LogRequest, _ answer: Result<Value, PostgresFailure>) -> Value? {
    switch answer {
    case .success(let value): return value
    case .failure(let failure):
      refuse(request, reports.error(failure))
      return nil
    }
  }

  /// A room's entry, from the answers to `.room` and `.places`.
  static func entry(_ name: String, _ room: PostgresRows, _ places: PostgresRows? = nil) throws(LogError) -> RoomEntry {
    guard room.count > 0 else { throw .noSuchRoom(room: name) }
    var entry = entry(room, 0, name: name)
    if let places { for row in 0..<places.count { entry.insert(place(places, row)) } }
    return entry
  }

  /// A room's entry from a row with the columns number, epoch, last, trimmed, operations, created and changed.
  private static func entry(_ rows: PostgresRows, _ row: Int, name: String) -> RoomEntry {
    var entry = RoomEntry(
      name: name,
      number: rows.number(row, 0),
      epoch: rows.unsigned(row, 1),
      milliseconds: rows.natural(row, 5)
    )
    entry.last = rows.natural(row, 2)
    entry.trimmed = rows.natural(row, 3)
    entry.operations = rows.natural(row, 4)
    entry.changedMilliseconds = rows.natural(row, 6)
    return entry
  }

  private static func place(_ rows: PostgresRows, _ row: Int, column: Int = 0) -> SnapshotPlace {
    SnapshotPlace(
      position: rows.natural(row, column),
      milliseconds: rows.natural(row, column + 1),
      operations: rows.natural(row, column + 2),
      shapes: rows.natural(row, column + 3),
      byteCount: Int(rows.number(row, column + 4))
    )
  }

  /// Reads a room's newest undamaged snapshot.
  /// - Parameter damages: the damaged snapshots that were found so far, newest first. The room can still be opened from
  ///   an older snapshot, or from all its records.
  private func load(_ request: LoadRequest, below bound: Int64 = .max, damages: [LogError] = []) {
    guard request.wantsSnapshot else {
      return link.send([(.room, [.text(request.room)]), (.places, [.text(request.room)])]) { answer in
        guard let rows = self.answer(.load(request), answer) else { return }
        do throws(LogError) {
          let entry = try PostgresReading.entry(request.room, rows[0], rows[1])
          let loaded = LoadedRoom(summary: entry.summary(), snapshot: nil, base: entry.base)
          self.reports.tell([.loaded(id: request.id, loaded)])
        } catch {
          self.refuse(.load(request), error)
        }
      }
    }
    let (position, milliseconds) = PostgresReading.bounds(request.through)
    link.findSnapshot(of: request.room, position: min(position, bound), milliseconds: milliseconds) { answer in
      guard let found = self.answer(.load(request), answer) else { return }
      do throws(LogError) {
        guard let entry = found.entry else { throw .noSuchRoom(room: request.room) }
        if let damage = found.damage {
          self.reports.note(damage, room: entry.number)
          guard case .damagedSnapshot(_, let position) = damage, position > entry.trimmed else { throw damage }
          return self.load(request, below: Int64(clamping: position) - 1, damages: damages + [damage])
        }
        if found.snapshot?.place.position ?? 0 < entry.trimmed {
          throw damages.first ?? .trimmed(room: entry.name, through: entry.trimmed)
        }
        if let damage = damages.first { self.notePassedOver(damage) }
        let summary = entry.summary()
        let loaded = LoadedRoom(summary: summary, snapshot: found.snapshot, passedOver: damages)
        self.reports.tell([.loaded(id: request.id, loaded)])
      } catch {
        self.refuse(.load(request), error)
      }
    }
  }

  /// Reports a damaged snapshot, after the room was read without it.
  private func notePassedOver(_ damage: LogError) {
    guard passedOver.insert(damage).inserted else { return }
    reports.tell([.concern("\(damage); the room is read from what was stored before it")])
    if passedOver.count >= PostgresReading.passedOverMax { passedOver = [] }
  }

  /// A snapshot from the answer to `.snapshot`.
  static func snapshot(_ rows: PostgresRows, of entry: RoomEntry) throws(LogError) -> RoomSnapshot? {
    guard rows.count > 0 else { return nil }
    let stored = RoomSnapshot(place: place(rows, 0), bytes: rows.bytes(0, 6))
    guard Checksum.stored(of: stored.bytes) == rows.number(0, 5) else {
      throw .damagedSnapshot(room: entry.name, position: stored.place.position)
    }
    return stored
  }

  private static func bounds(_ bound: LogBound) -> (position: Int64, milliseconds: Int64) {
    switch bound {
    case .end: (.max, .max)
    case .position(let position): (Int64(clamping: position), .max)
    case .milliseconds(let milliseconds): (.max, Int64(clamping: milliseconds))
    }
  }

  private static let pageRecordsMax: Int64 = 4_096

  /// Requests a room's entry and one page of its records. If PostgreSQL can't read the page, smaller ones are requested.
  /// If it can't read the first record either, the answer has the entry only.
  func ask(
    of name: String,
    after: UInt64,
    through bound: LogBound,
    bytesMax: Int,
    recordsMax: Int64 = pageRecordsMax,
    _ answer: @escaping PostgresLink.Answer
  ) {
    let (position, milliseconds) = PostgresReading.bounds(bound)
    let values: [PostgresValue] = [
      .text(name), .number(Int64(clamping: after)), .number(position), .number(milliseconds),
      .number(Int64(max(bytesMax, 1))), .number(recordsMax),
    ]
    link.send([(.room, [.text(name)]), (.page, values)]) { found in
      guard case .failure(let failure) = found, failure.isDamage else { return answer(found) }
      guard recordsMax > 1 else { return self.link.send([(.room, [.text(name)])], answer) }
      let half = recordsMax / 2
      self.ask(of: name, after: after, through: bound, bytesMax: bytesMax, recordsMax: half, answer)
    }
  }

  private func page(_ request: ReadRequest) {
    ask(of: request.room, after: request.after, through: request.through, bytesMax: request.bytesMax) { answer in
      guard let rows = self.answer(.read(request), answer) else { return }
      do throws(LogError) {
        let entry = try PostgresReading.entry(request.room, rows[0])
        try entry.check(epoch: request.epoch)
        try entry.check(position: request.after)
        let page = try self.page(rows, of: entry, after: request.after, through: request.through)
        self.reports.tell([.read(id: request.id, page)])
      } catch {
        self.refuse(.read(request), error)
      }
    }
  }

  /// A page from the answer to `ask`. If it is damaged, that is noted.
  func page(
    _ answers: [PostgresRows],
    of entry: RoomEntry,
    after: UInt64,
    through bound: LogBound = .end
  ) throws(LogError) -> RecordPage {
    let start = max(after, entry.trimmed)
    guard let rows = answers.dropFirst().first else { throw damage(of: entry, at: start + 1) }
    var page = RecordPage(room: entry.name, epoch: entry.epoch, records: [], through: start, isLast: true)
    for row in 0..<rows.count {
      page.isLast = rows.isNull(row, 4)
      let position = rows.natural(row, 0)
      // Trimmed records are skipped. Their rows are deleted only later, so the rows can still be read here.
      guard position > start else { continue }
      let bytes = rows.bytes(row, 3)
      guard position == page.through + 1, Checksum.stored(of: bytes) == rows.number(row, 2) else {
        throw damage(of: entry, at: page.through + 1)
      }
      page.records.append(LogRecord(position: position, milliseconds: rows.natural(row, 1), bytes: bytes))
      page.through = position
    }
    let end =
      switch bound {
      case .end: entry.last
      case .position(let position): min(position, entry.last)
      case .milliseconds: page.through
      }
    if page.isLast, page.through < end { throw damage(of: entry, at: page.through + 1) }
    return page
  }

  private func damage(of entry: RoomEntry, at position: UInt64) -> LogError {
    let damage = LogError.damaged(room: entry.name, position: position)
    reports.note(damage, room: entry.number)
    return damage
  }

  /// One query reads at most this many rooms for the list. The log's thread needs some milliseconds for them.
  static let roomsAtOnce = 500

  /// The part of the list that has been read. It is a class, because an array would be copied for each page.
  private final class Listing {
    var rooms: [RoomSummary] = []
  }

  private func list(_ id: UInt64, _ listing: Listing = Listing()) {
    let name = listing.rooms.last?.room ?? ""
    link.send([(.rooms, [.text(name), .number(Int64(PostgresReading.roomsAtOnce))])]) { answer in
      guard let rows = self.answer(.list(id: id), answer)?[0] else { return }
      for row in 0..<rows.count {
        var entry = PostgresReading.entry(rows, row, name: rows.text(row, 7))
        if !rows.isNull(row, 8) { entry.insert(PostgresReading.place(rows, row, column: 8)) }
        listing.rooms.append(entry.summary())
      }
      guard rows.count < PostgresReading.roomsAtOnce else { return self.list(id, listing) }
      self.reports.update { $0.rooms = listing.rooms.count }
      self.reports.tell([.rooms(id: id, listing.rooms)])
    }
  }

  /// Refuses all repairs, because damaged rooms in PostgreSQL should be restored from its backups.
  private func check(_ repair: RepairRequest) {
    let request = LogRequest.repair(repair)
    link.send([(.room, [.text(repair.room)])]) { answer in
      guard let rows = self.answer(request, answer) else { return }
      self.refuse(request, rows[0].count > 0 ? .notDamaged(room: repair.room) : .noSuchRoom(room: repair.room))
    }
  }
}
