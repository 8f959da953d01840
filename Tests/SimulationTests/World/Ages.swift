@testable import CanvasCRDT
@testable import SyncServer

/// When the room left each place that it has been at.
struct Ages: Sendable {
  /// By a cursor of the room: when the room first had something newer.
  private var passedAt: [Cursor: UInt64] = [:]
  private var newest: Cursor?
  /// The largest number of bytes that sending a newcomer everything has ever taken. A stream that has begun may be from
  /// a time when the room had more than now.
  private(set) var stateBytesMax = 0

  mutating func note(_ room: borrowing Room, at time: UInt64) {
    let cursor = room.cursor
    guard cursor != newest else { return }
    if let newest { passedAt[newest] = time }
    newest = cursor
    // The room may be at this place again, because an older copy of the log was put back.
    passedAt[cursor] = nil
    let state = room.canvas.stateParts().reduce(into: 0) { bytes, part in
      bytes += WireEncoding.json.encode(.operations(Delivery(cursor: cursor, content: .state(part)))).count
    }
    stateBytesMax = max(stateBytesMax, state)
  }

  /// Since when a client at this cursor has lacked something. `nil` if the client lacks nothing, or if the cursor is
  /// from elsewhere.
  func passed(_ cursor: Cursor) -> UInt64? { passedAt[cursor] }
}

// Checks how old the drawings of clients behind slow lines are.

extension World {
  /// Checks that a client that nothing has disturbed shows what the room had a short while ago: the time that its line
  /// takes for a message that has begun and for the newest value of everything. However fast others write, the backlog
  /// never grows beyond that.
  mutating func checkAges() {
    guard history.dice.link != nil else { return }
    if let room { ages.note(room, at: time) }
    for index in parties.indices where parties[index].link != nil { checkAge(of: index) }
  }

  private mutating func checkAge(of index: Int) {
    let party = parties[index]
    guard let link = party.link, let replica = party.replica, let cursor = replica.cursor, let line = party.line,
      node.isUp, room != nil, replica.state == .live, time >= party.stalledUntil, time >= lines[line].hushedUntil
    else { return parties[index].calmSince = time }
    guard let passed = ages.passed(cursor) else { return }
    let age = time - max(passed, party.calmSince)
    let turn = max(history.dice.stepMillisecondsMax, World.waitingTurnMilliseconds)
    let soonest = link.delayMilliseconds + 4 * turn + limits.beatMilliseconds + 100
    if age > soonest { count(.oldOnThinLine) }
    guard age > 2 * soonest else { return }
    // In each turn the line's buffer is filled once. That may be less than the line could carry in a turn.
    let carried = min(link.bytesPerSecond, UInt64(link.bufferBytes) * 1_000 / turn)
    // Besides the drawing, the line carries who is there, what they show, and answers.
    let beside = UInt64(parties.count) * 300 + min(limits.waitingAnswerBytes, limits.inFlightOperations * 200)
    let bytes = 2 * (UInt64(ages.stateBytesMax) + beside) + UInt64(link.bufferBytes)
    // One second is added, because turns are coarse.
    let allowed = 2 * soonest + bytes * 1_000 / carried + 1_000
    if age > allowed {
      fail(.age, "\(party.name) shows what is \(age) ms old; its line accounts for \(allowed) ms")
    }
  }
}
