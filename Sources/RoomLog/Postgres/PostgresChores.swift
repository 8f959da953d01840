import Basics

/// Background work: storing snapshots, trimming rooms, deleting rows that are no longer needed. Chores are idempotent,
/// so two nodes may do the same one.
///
/// What always holds: each room has at most one chore under way. Its chores begin in the order of their requests.
final class PostgresChores {
  private let link: PostgresLink
  private let reports: PostgresReports
  private let timelines: PostgresTimelines
  private let following: PostgresFollowing
  private let bells: PostgresBells
  private let retention: Retention

  private var waiting: [LogRequest] = []
  /// The rooms that have a chore under way. An empty name stands for a chore on all rooms.
  private var underWay: Set<String> = []
  /// The room that a chore on all rooms has reached, and how the chore goes on without it.
  private var reached: (room: String, skip: () -> Void)?
  private var isClearing = false
  private var nextClearing: UInt64 = 0
  /// The number of the last deleted room that was passed over in this round of clearing, because the database refuses to
  /// delete its rows.
  private var passedOver: Int64 = .min
  /// The deleted rooms for which that was reported.
  private var reported: Set<Int64> = []

  init(
    _ link: PostgresLink,
    _ reports: PostgresReports,
    _ timelines: PostgresTimelines,
    _ following: PostgresFollowing,
    _ bells: PostgresBells,
    retention: Retention
  ) {
    self.link = link
    self.reports = reports
    self.timelines = timelines
    self.following = following
    self.bells = bells
    self.retention = retention
  }

  static let statements: [PostgresStatement] = [
    .count, .lockRoom, .unlockRoom, .room, .places, .snapshot, .keep, .hold, .forget, .trim, .clear, .clearDropped,
    .firstDropped, .retained,
  ]

  var isDone: Bool { waiting.isEmpty && underWay.isEmpty }
  /// The latest time at which to call `goOn`.
  var deadline: UInt64 { link.isReady && !isClearing && underWay.isEmpty ? nextClearing : .max }

  func add(_ chore: LogRequest) { waiting.append(chore) }

  func refuseWaiting() {
    let refused = waiting
    waiting = []
    for chore in refused { reports.refuse(chore) }
  }

  func goOn(now: UInt64) {
    guard link.isReady else { return refuseWaiting() }
    // Begins the waiting chores in order, but skips those of rooms that have a chore under way.
    while underWay.count < PostgresChores.atOnce,
      let next = waiting.firstIndex(where: { !underWay.contains($0.room ?? "") })
    {
      let chore = waiting.remove(at: next)
      underWay.insert(chore.room ?? "")
      switch chore {
      case .snapshot(let snapshot): keep(snapshot)
      case .trim(let trim): self.trim(trim)
      case .retain(let id, let milliseconds): retain(id, milliseconds)
      case .lock(let id, let room, let isLocked): lock(id, room, isLocked)
      default: end(chore, [])
      }
    }
    if underWay.isEmpty { clear(now: now) }
  }

  private static let atOnce = 16

  private func end(_ chore: LogRequest, _ events: [LogEvent]) {
    underWay.remove(chore.room ?? "")
    reports.release(chore)
    reports.tell(events)
  }

  /// Ends the chore with an error if its statements failed. A chore on all rooms goes on with the next room.
  /// - Returns: the value. `nil` if the chore has ended, or has gone on.
  private func answer<Value>(_ chore: LogRequest, _ answer: Result<Value, PostgresFailure>) -> Value? {
    switch answer {
    case .success(let value): return value
    case .failure(let failure):
      if case .refused(let state, let message) = failure, chore.room == nil, let reached {
        let fault = reports.address.fault(state: state, message: message)
        reports.tell([.concern("old history of room \(reached.room) is kept: \(fault)")])
        reached.skip()
        return nil
      }
      let error = reports.error(failure)
      if failure.isDamage, case .retain = chore { reports.tell([.concern("old history is kept: \(error)")]) }
      end(chore, [.failed(id: chore.id, room: chore.room, error)])
      return nil
    }
  }

  private func lock(_ id: UInt64, _ room: String, _ isLocked: Bool) {
    let chore = LogRequest.lock(id: id, room: room, isLocked: isLocked)
    link.send([(isLocked ? .lockRoom : .unlockRoom, [.text(room)])]) { answer in
      guard let rows = self.answer(chore, answer) else { return }
      guard !isLocked || rows[0].count > 0 else {
        return self.end(chore, [.failed(id: id, room: room, .noSuchRoom(room: room))])
      }
      self.bells.noteLock(room, isLocked: isLocked)
      self.end(chore, [.locked(id: id, room: room, isLocked: isLocked)])
    }
  }

  private func keep(_ request: SnapshotRequest) {
    let chore = LogRequest.snapshot(request)
    // The snapshot was made on another timeline than the present one, which might lack the records that the snapshot
    // covers.
    guard request.timeline == timelines.number else {
      return end(chore, [.failed(id: request.id, room: request.room, .unavailable(reports.otherCopy))])
    }
    guard request.isCopy || following.vouches(for: request.room, epoch: request.epoch, through: request.position) else {
      let fault = StorageFault.database("room \(request.room) isn't followed here up to this snapshot")
      return end(chore, [.failed(id: request.id, room: request.room, .unavailable(fault))])
    }
    link.send([
      (
        .keep,
        [
          .text(request.room), .unsigned(request.epoch), .number(Int64(clamping: request.position)),
          .unsigned(request.shapes),
          .number(Checksum.stored(of: request.bytes)), .bytes(request.bytes),
          .unsigned(request.origin?.milliseconds ?? 0), .unsigned(request.origin?.operations ?? 0),
        ]
      ), (.room, [.text(request.room)]), (.places, [.text(request.room)]),
    ]) { answer in
      guard let rows = self.answer(chore, answer) else { return }
      do throws(LogError) {
        let entry = try PostgresReading.entry(request.room, rows[1], rows[2])
        try entry.check(epoch: request.epoch)
        try entry.check(position: request.position)
        guard rows[0].count > 0 else { throw .trimmed(room: request.room, through: entry.trimmed) }
        self.forgetNeedless(of: entry, chore) {
          self.end(chore, [.snapshotted(id: request.id, room: request.room, position: request.position)])
        }
      } catch {
        self.end(chore, [.failed(id: request.id, room: request.room, error)])
      }
    }
  }

  private func forgetNeedless(of entry: RoomEntry, _ chore: LogRequest, _ then: @escaping () -> Void) {
    let needless = entry.needlessSnapshots(by: retention)
    guard !needless.isEmpty else { return then() }
    let positions = needless.map { Int64(bitPattern: $0.position) }
    let room: [PostgresValue] = [.text(entry.name), .unsigned(entry.epoch)]
    link.send([(.hold, room), (.forget, room + [.numbers(positions)])]) { answer in
      if self.answer(chore, answer) != nil { then() }
    }
  }

  private func trim(_ request: TrimRequest) {
    let chore = LogRequest.trim(request)
    link.send([(.room, [.text(request.room)]), (.places, [.text(request.room)])]) { answer in
      guard let rows = self.answer(chore, answer) else { return }
      do throws(LogError) {
        let entry = try PostgresReading.entry(request.room, rows[0], rows[1])
        try entry.check(epoch: request.epoch)
        self.trim(entry, to: entry.snapshot(through: .position(request.through))?.position ?? 0, chore) { through in
          self.end(chore, [.trimmed(id: request.id, room: request.room, through: through)])
        }
      } catch {
        self.end(chore, [.failed(id: request.id, room: request.room, error)])
      }
    }
  }

  /// Trims a room to its newest undamaged snapshot at or before a position. Each candidate is read and checked first,
  /// because records must not be dropped if only a damaged snapshot covers them.
  /// - Parameter then: is called with the position up to which the room is now trimmed.
  private func trim(_ entry: RoomEntry, to position: UInt64, _ chore: LogRequest, _ then: @escaping (UInt64) -> Void) {
    guard position > entry.trimmed else { return then(entry.trimmed) }
    link.findSnapshot(of: entry.name, position: Int64(clamping: position)) { answer in
      guard let found = self.answer(chore, answer) else { return }
      guard let damage = found.damage, case .damagedSnapshot(_, let damaged) = damage else {
        return self.drop(entry, before: found.snapshot?.place.position ?? 0, chore, then)
      }
      self.reports.note(damage, room: entry.number)
      self.reports.tell([.concern("\(damage); its records are kept")])
      self.trim(entry, to: max(damaged, 1) - 1, chore, then)
    }
  }

  /// Drops the records that the snapshot at `position` covers.
  private func drop(
    _ entry: RoomEntry,
    before position: UInt64,
    _ chore: LogRequest,
    _ then: @escaping (UInt64) -> Void
  ) {
    guard position > entry.trimmed else { return then(entry.trimmed) }
    let room: [PostgresValue] = [.text(entry.name), .unsigned(entry.epoch)]
    link.send([(.hold, room), (.trim, room + [.unsigned(position)])]) { answer in
      guard let rows = self.answer(chore, answer)?[1] else { return }
      // If there is no row, another node has meanwhile deleted the room, or has trimmed it further and dropped this
      // snapshot.
      guard rows.count > 0 else { return then(entry.trimmed) }
      var trimmed = entry
      trimmed.trimmed = rows.natural(0, 0)
      self.reports.shared.clearDamage(room: entry.number, through: trimmed.trimmed)
      self.forgetNeedless(of: trimmed, chore) { self.clear(entry.name, chore) { then(trimmed.trimmed) } }
    }
  }

  /// Deletes the rows of trimmed records, a limited number per statement.
  private func clear(_ name: String, _ chore: LogRequest, _ then: @escaping () -> Void) {
    link.send([(.clear, [.text(name)] + PostgresChores.clearedAtOnce)]) { answer in
      guard let rows = self.answer(chore, answer) else { return }
      if rows[0].tag == "DELETE 0" { then() } else { self.clear(name, chore, then) }
    }
  }

  /// A statement deletes about this many rows and bytes at most.
  private static let clearedAtOnce: [PostgresValue] = [.number(5_000), .number(16 << 20)]

  /// A room as retention finds it.
  private struct Retained {
    let name: String
    let epoch: UInt64
    /// Whether the room still has trimmed records.
    let isUncleared: Bool
    /// The snapshot to which it can be trimmed. 0 if there is none.
    let through: UInt64
  }

  /// Trims the rooms after a name by their age, a limited number with each query. A query of very many rooms would be
  /// silent for long.
  private func retain(_ id: UInt64, _ milliseconds: UInt64, after name: String = "") {
    let chore = LogRequest.retain(id: id, milliseconds: milliseconds)
    let age = Int64(clamping: retention.ageMillisecondsMax ?? .max)
    reached = nil
    let values: [PostgresValue] = [
      .unsigned(milliseconds), .number(age), .text(name), .number(PostgresChores.retainedAtOnce),
    ]
    link.send([(.retained, values)]) { answer in
      guard let rows = self.answer(chore, answer)?[0] else { return }
      guard rows.count > 0 else { return self.end(chore, [.retained(id: id)]) }
      let rooms = (0..<rows.count).map { row in
        Retained(
          name: rows.text(row, 0),
          epoch: rows.unsigned(row, 1),
          isUncleared: !rows.isNull(row, 2),
          through: rows.isNull(row, 3) ? 0 : rows.natural(row, 3)
        )
      }
      self.retain(rooms.filter { $0.isUncleared || $0.through > 0 }[...], chore) {
        self.retain(id, milliseconds, after: rooms.last?.name ?? "")
      }
    }
  }

  private static let retainedAtOnce: Int64 = 2_000

  private func retain(_ rooms: ArraySlice<Retained>, _ chore: LogRequest, _ then: @escaping () -> Void) {
    let goOn = { self.retain(rooms.dropFirst(), chore, then) }
    reached = rooms.first.map { ($0.name, goOn) }
    guard let room = rooms.first else { return then() }
    guard room.isUncleared else { return trim(room, chore, goOn) }
    clear(room.name, chore) { room.through > 0 ? self.trim(room, chore, goOn) : goOn() }
  }

  private func trim(_ room: Retained, _ chore: LogRequest, _ then: @escaping () -> Void) {
    link.send([(.room, [.text(room.name)]), (.places, [.text(room.name)])]) { answer in
      guard let rows = self.answer(chore, answer) else { return }
      // The room might have been deleted meanwhile. A new room might have its name.
      guard let entry = try? PostgresReading.entry(room.name, rows[0], rows[1]), entry.epoch == room.epoch else {
        return then()
      }
      self.trim(entry, to: room.through, chore) { through in
        if through > entry.trimmed { self.reports.tell([.trimmed(id: nil, room: room.name, through: through)]) }
        then()
      }
    }
  }

  /// Deletes some of the records of deleted rooms. It runs only when no chore is under way.
  private func clear(now: UInt64) {
    guard !isClearing, now >= nextClearing else { return }
    isClearing = true
    link.send([(.count, [])]) { answer in
      if case .success(let rows) = answer { self.reports.update { $0.rooms = Int(rows[0].number(0, 0)) } }
    }
    link.send([(.clearDropped, PostgresChores.clearedAtOnce + [.number(passedOver)])]) { answer in
      switch answer {
      case .success(let rows): self.endClearing(goesOn: rows[0].number(0, 1) > 0)
      case .failure(.refused(let state, let message)) where PostgresFailure.isAboutWhatWasAsked(state):
        self.passOver(for: self.reports.address.fault(state: state, message: message))
      case .failure: self.endClearing(goesOn: false)
      }
    }
  }

  private func endClearing(goesOn: Bool) {
    isClearing = false
    let now = SteadyClock.microseconds()
    nextClearing = goesOn ? now : now + PostgresChores.clearMicroseconds
    if !goesOn { passedOver = .min }
  }

  /// Goes on behind the deleted room whose rows the database has just refused to delete. The next round tries it again.
  private func passOver(for fault: StorageFault) {
    link.send([(.firstDropped, [.number(passedOver)])]) { answer in
      guard case .success(let rows) = answer, rows[0].count > 0 else { return self.endClearing(goesOn: false) }
      self.passedOver = rows[0].number(0, 0)
      if self.reported.count >= PostgresChores.reportedMax { self.reported = [] }
      if self.reported.insert(self.passedOver).inserted {
        self.reports.tell([.concern("the rows of deleted room number \(self.passedOver) are kept: \(fault)")])
      }
      self.endClearing(goesOn: true)
    }
  }

  /// When this many deleted rooms were reported, they are forgotten, and may be reported again.
  private static let reportedMax = 1_000

  private static let clearMicroseconds: UInt64 = 10_000_000
}
