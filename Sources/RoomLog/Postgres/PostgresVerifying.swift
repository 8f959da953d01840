import Basics

/// Verifies what is stored, in small parts, between which other requests are answered.
extension PostgresReading {
  /// Verifies a room, one page at a time.
  /// - Parameter before: the result of the earlier pages. `nil` for the first page.
  func verify(_ id: UInt64, _ room: String, _ before: (epoch: UInt64, through: UInt64, records: Int)? = nil) {
    let after = before?.through ?? 0
    ask(of: room, after: after, through: .end, bytesMax: PostgresReading.verifiedAtOnce) { answer in
      let request = LogRequest.verify(id: id, room: room)
      guard let rows = self.answer(request, answer) else { return }
      do throws(LogError) {
        let entry = try PostgresReading.entry(room, rows[0])
        try entry.check(epoch: before?.epoch)
        let page = try self.page(rows, of: entry, after: after)
        let records = (before?.records ?? 0) + page.records.count
        guard page.isLast else { return self.verify(id, room, (entry.epoch, page.through, records)) }
        self.reports.tell([.verified(id: id, room: room, records: records)])
      } catch {
        self.refuse(request, error)
      }
    }
  }

  private static let verifiedAtOnce = 1 << 20

  /// Verifies rooms in the order of their numbers, one page at a time, until a limit of the request is reached.
  /// Snapshots are not verified here, because opening a room checks them, unless it has found a damaged one.
  func verifyPart(_ request: VerifyRequest) {
    let deadline = SteadyClock.microseconds() &+ request.microsecondsMax
    if let start = request.start { return verify(from: start, VerifiedPart(), until: deadline, for: request) }
    link.send([(.lastRoom, [])]) { answer in
      // Rooms that are made later are left to the next round, unless the row of the last room can't be read.
      var last = Int64.max
      if case .failure(let failure) = answer, failure.isDamage {
      } else {
        guard let rows = self.answer(.verifyPart(request), answer)?[0] else { return }
        last = rows.number(0, 0)
      }
      let start = VerifyPlace(room: 0, stage: .end, roomMax: last)
      self.verify(from: start, VerifiedPart(), until: deadline, for: request)
    }
  }

  private func verify(from start: VerifyPlace, _ part: VerifiedPart, until deadline: UInt64, for request: VerifyRequest)
  {
    // If the last part ended in the middle of a room, this part continues in the same room.
    let after = if case .records = start.stage { start.room - 1 } else { start.room }
    findRoom(UnreadableRooms(after: after), through: start.roomMax, for: request) { rows in
      guard let rows, rows.count > 0 else { return self.reports.tell([.verifiedPart(id: request.id, part)]) }
      var place = VerifyPlace(
        room: rows.number(0, 0),
        stage: .records(after: rows.natural(0, 4), through: rows.natural(0, 3)),
        roomMax: start.roomMax
      )
      if case .records(let after, let through) = start.stage, start.room == place.room {
        place.stage = .records(after: max(after, rows.natural(0, 4)), through: through)
      }
      self.verify(rows.text(0, 1), at: place, part, until: deadline, for: request)
    }
  }

  /// Finds the next room whose row can be read, and reports if others were passed over.
  /// - Parameter then: is called with the room's row, or without one if there is no further room.
  private func findRoom(
    _ search: UnreadableRooms,
    through last: Int64,
    for request: VerifyRequest,
    then: @escaping (PostgresRows?) -> Void
  ) {
    link.send([(.roomAfter, [.number(search.next), .number(last)])]) { answer in
      var search = search
      var found: PostgresRows?
      let goesOn: Bool
      if case .failure(let failure) = answer, failure.isDamage {
        goesOn = search.isUnreadable()
      } else {
        guard let rows = self.answer(.verifyPart(request), answer)?[0] else { return }
        found = rows
        goesOn = !search.isReadable()
      }
      guard !goesOn else { return self.findRoom(search, through: last, for: request, then: then) }
      if let concern = search.concern(in: self.reports.address.description) {
        self.reports.tell([concern])
      } else {
        // The rooms up to the one that was found are deleted.
        let end = found.flatMap { $0.count > 0 ? $0.number(0, 0) - 1 : nil } ?? last
        self.reports.shared.clearDamage(roomsAfter: search.next, through: end)
      }
      then(found)
    }
  }

  private func verify(
    _ name: String,
    at start: VerifyPlace,
    _ before: VerifiedPart,
    until deadline: UInt64,
    for request: VerifyRequest
  ) {
    guard case .records(let after, let through) = start.stage else { return }
    ask(of: name, after: after, through: .position(through), bytesMax: request.bytesMax - before.bytes) { answer in
      var part = before
      var place = start
      place.stage = .end
      var rows: [PostgresRows] = []
      if case .failure(let failure) = answer, failure.isDamage {
        let damage = LogError.damaged(room: name, position: 0)
        part.damages.append(damage)
        self.reports.note(damage, room: start.room)
      } else {
        guard let read = self.answer(.verifyPart(request), answer) else { return }
        rows = read
      }
      // A room that was deleted after the list was read needs no verification.
      if let room = rows.first, let entry = try? PostgresReading.entry(name, room), entry.number == start.room {
        do throws(LogError) {
          let page = try self.page(rows, of: entry, after: after, through: .position(through))
          part.records += page.records.count
          part.bytes += page.records.reduce(0) { $0 + $1.bytes.count }
          if page.isLast {
            self.reports.shared.noteSound(room: start.room, through: through)
          } else {
            place.stage = .records(after: page.through, through: through)
          }
        } catch {
          part.damages.append(error)
        }
      }
      guard case .end = place.stage, self.reports.shared.hasDamagedSnapshot(room: start.room) else {
        return self.goOn(from: place, part, until: deadline, for: request)
      }
      self.verifySnapshots(of: name, at: place, part, until: deadline, for: request)
    }
  }

  private func goOn(
    from place: VerifyPlace,
    _ part: VerifiedPart,
    until deadline: UInt64,
    for request: VerifyRequest
  ) {
    var part = part
    if case .end = place.stage { part.rooms += 1 }
    guard part.bytes >= request.bytesMax || SteadyClock.microseconds() >= deadline else {
      return verify(from: place, part, until: deadline, for: request)
    }
    part.next = place
    reports.tell([.verifiedPart(id: request.id, part)])
  }

  /// Verifies the snapshots of a room that is known to have damaged ones, the newest first. Meanwhile others may have
  /// replaced or dropped these.
  private func verifySnapshots(
    of name: String,
    at place: VerifyPlace,
    through bound: Int64 = .max,
    areDamaged: Bool = false,
    _ before: VerifiedPart,
    until deadline: UInt64,
    for request: VerifyRequest
  ) {
    link.findSnapshot(of: name, position: bound) { answer in
      var part = before
      var found = FoundSnapshot(entry: nil)
      if case .failure(let failure) = answer, failure.isDamage {
        // Not even the list of snapshots can be read.
        found.damage = .damagedSnapshot(room: name, position: 0)
      } else {
        guard let answer = self.answer(.verifyPart(request), answer) else { return }
        if answer.entry?.number == place.room { found = answer }
      }
      part.bytes += found.snapshot?.bytes.count ?? 0
      if let damage = found.damage { part.damages.append(damage) }
      var position = found.snapshot?.place.position
      if case .damagedSnapshot(_, let damaged)? = found.damage { position = damaged }
      let areDamaged = areDamaged || found.damage != nil
      guard let position, position > 1 else {
        self.reports.shared.noteSnapshots(areDamaged: areDamaged, room: place.room)
        return self.goOn(from: place, part, until: deadline, for: request)
      }
      self.verifySnapshots(
        of: name,
        at: place,
        through: Int64(clamping: position) - 1,
        areDamaged: areDamaged,
        part,
        until: deadline,
        for: request
      )
    }
  }
}
