@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

/// Remembers for each cursor when it became outdated.
struct Ages: Sendable {
  /// For each cursor, the time at which the room first had newer content.
  private var passedAt: [Cursor: UInt64] = [:]
  private var newest: Cursor?
  /// The size of the largest full state that the room ever had, in bytes. A stream may still be sending a state from a
  /// time when the room was larger.
  private(set) var stateBytesMax = 0

  mutating func note(_ room: borrowing Room, at time: UInt64) {
    let cursor = room.cursor
    guard cursor != newest else { return }
    if let newest { passedAt[newest] = time }
    newest = cursor
    // An older copy of the log might have been restored. Then the room can be at this cursor for a second time.
    passedAt[cursor] = nil
    let state = room.canvas.stateParts().reduce(into: 0) { bytes, part in
      bytes += WireEncoding.json.encode(.operations(Delivery(cursor: cursor, content: .state(part)))).count
    }
    stateBytesMax = max(stateBytesMax, state)
  }

  /// The time since which a client at this cursor is behind the room. `nil` if the client is up to date, or if the room
  /// has never had this cursor.
  func passed(_ cursor: Cursor) -> UInt64? { passedAt[cursor] }
}

// Checks how far clients lag behind if their network links are slow.

extension World {
  /// Checks that a client behind a slow link doesn't lag too far behind the room, however much others write.
  mutating func checkAges() {
    guard history.dice.link != nil else { return }
    if let open { ages.note(open.room, at: time) }
    for index in parties.indices where parties[index].link != nil { checkAge(of: index) }
  }

  private mutating func checkAge(of index: Int) {
    let party = parties[index]
    guard let link = party.link, let replica = party.replica, let cursor = replica.cursor, let line = party.line,
      node.isUp, open != nil, replica.state == .live, time >= party.stalledUntil, time >= lines[line].hushedUntil,
      !waitsForOthers(line)
    else { return parties[index].calmSince = time }
    guard let passed = ages.passed(cursor) else { return }
    let age = time - max(passed, party.calmSince)
    let turn = max(history.dice.stepMillisecondsMax, World.waitingTurnMilliseconds)
    let soonest = link.delayMilliseconds + 4 * turn + limits.beatMilliseconds + 100
    if age > soonest { count(.oldOnThinLine) }
    guard age > 2 * soonest else { return }
    // The simulation fills the link's buffer only once per step, so a link can carry less than its rate allows.
    let carried = min(link.bytesPerSecond, UInt64(link.bufferBytes) * 1_000 / turn)
    // The link has to carry presence, the list of people, and answers as well.
    let beside = UInt64(parties.count) * 300 + min(limits.waitingAnswerBytes, limits.inFlightOperations * 200)
    let bytes = 2 * (UInt64(ages.stateBytesMax) + beside) + UInt64(link.bufferBytes)
    // The allowance includes one second, because the simulation advances time in coarse steps.
    let allowed = 2 * soonest + bytes * 1_000 / carried + 1_000
    if age > allowed {
      fail(.age, "\(party.name) shows what is \(age) ms old; its line accounts for \(allowed) ms")
    }
  }

  /// Whether the client waits for a state because as many as there may be are on their way to other clients. The server
  /// bounds this wait, but others can read so slowly that it takes half a minute.
  private func waitsForOthers(_ line: Int) -> Bool {
    guard let member = lines[line].member, isServed(line), lines[line].connection.closure == nil else { return false }
    return open?.room.audience.readers.wasTurnedAway(member.seat) ?? false
  }
}
