import Basics
import CanvasCRDT
import RoomLog

/// An open room, with the hub's own state about it.
///
/// What always holds: a session that is listed here under a seat (an index) is the room's member with that seat. The hub
/// changes the room only through the functions in the last extension of this file, which also see to it that what
/// follows from a change is sent and stored. After `isGone` is set, nothing changes the room any more.
///
/// `@unchecked Sendable`: only the hub's tasks on the loop's thread use the object.
final class OpenRoom: @unchecked Sendable {
  let name: String
  fileprivate(set) var room: Room
  /// The sessions, indexed by the seats of their members.
  private var sessions: [Session?] = []
  private var inLog: RoomInLog
  /// The room was deleted, or closed because it was idle. Later requests have to open it again.
  private(set) var isGone = false
  /// Since when the room has been empty, on the monotonic clock.
  private var idleSince: UInt64?
  /// How many waiting jobs need the room to stay open.
  private var holds = 0
  /// The arrival times, in microseconds, of the operations that wait for the next broadcast.
  private var arrivals: [UInt64] = []
  /// How many broadcasts and operations the metrics have counted already.
  private var beatsNoted: UInt64 = 0
  private var beatOperationsNoted: UInt64 = 0
  /// When the next part of a large room's readers is served, on the monotonic clock.
  var roundGoesOnAt: UInt64 = 0
  /// Whether the room is on the list of rooms to flush.
  fileprivate var isToFlush = false
  private(set) var snapshot: NewestSnapshot
  /// The log's answers that the room has not processed yet. Only `Deliveries` changes this.
  var answers = Fifo<Deliveries.Answer>()
  /// The position of the newest record that the log has reported.
  private var reported: UInt64 = 0
  /// How many answers the room has processed ever.
  var answersTaken = 0
  /// Jobs that wait until the room has stored something.
  var storing = OwedAnswers<Result<Cursor, Rejection>>()
  /// Jobs that wait for the room's overlaps.
  var settling = OwedAnswers<SettledOverlaps?>()
  /// The addresses that have sent these jobs, by the number of the request.
  var overlapAskers: [UInt64: String] = [:]
  /// Those who wait for the newest work on the room's index of overlaps.
  var overlapWork: HeavyWork.Askers?
  /// The HTTP client behind each write that is not durable yet, by the number of the request.
  var writers: [UInt64: Writer] = [:]
  /// Whether an account has been charged for the creation of this room.
  private var isPaid = false
  /// The highest position at which stored bytes of the room were found damaged. `nil` if none were, or if a snapshot
  /// has replaced them.
  private var damagedPosition: UInt64?

  /// - Parameter snapshotPosition: the position of the snapshot from which the room was opened.
  init(name: String, room: Room, isStored: Bool, snapshotPosition: UInt64 = 0) {
    self.name = name
    self.room = room
    inLog = RoomInLog(isStored: isStored)
    snapshot = NewestSnapshot(position: snapshotPosition, operations: room.operationCount)
  }

  /// Whether the room is new, and no account has been charged for creating it.
  var isUnpaid: Bool { !isStored && !isPaid }

  /// Remembers that an account is charged for creating the room.
  /// - Returns: whether the account has to be charged now.
  func putOnAccount() -> Bool {
    defer { isPaid = true }
    return isUnpaid
  }

  func takeOffAccount() { isPaid = false }

  // MARK: Sessions

  func session(_ id: MemberID) -> Session? {
    guard sessions.indices.contains(id.seat), let session = sessions[id.seat] else { return nil }
    guard case .here(_, _, id) = session.stage else { return nil }
    return session
  }

  /// Where a member comes from. `nil` for one that is not connected to this node.
  func origin(of id: MemberID) -> Person.Origin? {
    session(id).map { Person.Origin(token: $0.grant.label, address: $0.address) }
  }

  /// The addresses of those who ask for overlaps, whose turns the work on them takes. Of very many people only some
  /// count.
  var overlapParties: [String] {
    var parties = Set(overlapAskers.values)
    for case let session? in sessions where parties.count < OpenRoom.overlapPartiesMax {
      guard case .here(_, _, let id) = session.stage else { continue }
      if room.audience.channel(of: id)?.hasOverlaps == true { parties.insert(session.connection.party) }
    }
    return parties.isEmpty ? [HeavyWork.freeing] : parties.sorted()
  }

  private static let overlapPartiesMax = 16

  func seat(_ session: Session, _ id: MemberID) {
    while sessions.count <= id.seat { sessions.append(nil) }
    sessions[id.seat] = session
    idleSince = nil
  }

  /// Gives a seat (an index in the room) to a session.
  /// - Returns: the session that had the seat before.
  @discardableResult
  func unseat(_ id: MemberID) -> Session? {
    guard let session = session(id) else { return nil }
    sessions[id.seat] = nil
    return session
  }

  // MARK: Staying open

  func hold() { holds += 1 }
  func letLoose() { holds -= 1 }

  /// When the room has to be flushed again, on the monotonic clock. `nil` if it has nothing to send.
  var flushDueAt: UInt64? {
    let due = room.hasUnsent ? min(roundGoesOnAt, room.flushDueAt ?? .max) : room.flushDueAt
    return isGone ? nil : due
  }

  // MARK: The log

  var isStored: Bool { inLog.isStored }

  func begin(epoch: UInt64) -> Bool { inLog.begin(&room, epoch: epoch) }

  func epochToAppend(_ new: () -> UInt64) -> UInt64 { inLog.epochToAppend(to: room, new) }

  func noteReported(_ position: UInt64) { reported = max(reported, position) }

  /// The position of the newest record that the room has, or will have once it has processed the log's answers.
  var newestPosition: UInt64 { max(reported, room.position) }

  func markGone() {
    isGone = true
    storing.end()
    settling.end()
  }

  /// Whether the room can be closed: it is empty, nothing is on its way to the log, and no job needs it.
  var mayGo: Bool { room.isIdle && holds == 0 && answers.isEmpty }

  /// - Returns: since when the room has been idle. `nil` if it can't be closed now.
  func idleTime(now: UInt64) -> UInt64? {
    guard mayGo else {
      idleSince = nil
      return nil
    }
    let since = idleSince ?? now
    idleSince = since
    return now - since
  }

  // MARK: Metrics

  func noteArrival(_ microseconds: UInt64) { arrivals.append(microseconds) }

  /// Removes and returns the arrival times of the operations that have been sent by now.
  func takeArrivals(_ room: borrowing Room) -> [UInt64] {
    // Gathered presence doesn't count, because two people in a room cause presence nearly all the time.
    guard !arrivals.isEmpty, !room.isGathering else { return [] }
    defer { arrivals.removeAll(keepingCapacity: true) }
    return arrivals
  }

  /// The number of broadcasts since the last call of this method, and the number of operations in these broadcasts.
  func takeBeats(_ room: borrowing Room) -> (beats: UInt64, operations: UInt64)? {
    guard room.counts.beats > beatsNoted else { return nil }
    let beats = room.counts.beats - beatsNoted
    let operations = room.counts.beatOperations - beatOperationsNoted
    beatsNoted += beats
    beatOperationsNoted += operations
    return (beats, operations)
  }

  // MARK: Snapshots

  func beginSnapshot() { snapshot.begin() }

  /// To be called when the log has been given a snapshot.
  func giveSnapshot(position: UInt64) { snapshot.give(position: position) }

  /// - Parameters:
  ///   - position: the position in the log up to which the snapshot has the room's records.
  ///   - isStored: false if the snapshot differs from the room, or the log refused it.
  ///   - now: the time in monotonic milliseconds.
  func endSnapshot(position: UInt64, operations: UInt64, isStored: Bool, now: UInt64) {
    snapshot.end(position: position, operations: operations, isStored: isStored, now: now)
    // If the snapshot was begun before the damage was found, it might have only records before the damaged one. Then it
    // doesn't replace the damaged record.
    if isStored, let damaged = damagedPosition, damaged <= position { damagedPosition = nil }
  }

  /// A stored record or snapshot of the room was found damaged. The open room is sound, because it was read before the
  /// damage.
  func noteDamage(at position: UInt64, isSnapshot: Bool) {
    guard isSnapshot ? position >= snapshot.position : position > snapshot.position else { return }
    if isSnapshot { snapshot.forget() }
    damagedPosition = max(damagedPosition ?? 0, position)
  }

  var isLogDamaged: Bool { damagedPosition != nil }

  /// Whether the newest snapshot lacks some of the room's records, and no other snapshot is being made.
  var lacksSnapshot: Bool { isStored && !snapshot.isUnderWay && room.position > snapshot.position }

  /// Whether the newest snapshot that the log has been given lacks some records. When the server stops, a snapshot that
  /// is still being made doesn't count.
  var lacksSnapshotAtTheEnd: Bool { isStored && room.position > max(snapshot.position, snapshot.positionGiven) }

  /// Whether an idle room stays open until it has a snapshot. If storing one has failed, the room is closed without it,
  /// because the log has all records. A room with a damaged log stays open in any case.
  var awaitsSnapshot: Bool { lacksSnapshot && (isLogDamaged || room.position > snapshot.positionTried) }

  /// As many bytes of texts and paths in a snapshot cost about as much as reading an operation without any. An operation
  /// may have some too, so they make snapshots at most four times rarer.
  private static let longBytesOfOperation = 256

  /// A new snapshot is worth its cost if reading the operations since the old one takes at least as long as making it.
  /// A room with a damaged log needs a snapshot anyway.
  var isWorthSnapshot: Bool {
    if isLogDamaged { return lacksSnapshot }
    let since = room.operationCount - min(snapshot.operations, room.operationCount)
    let least = max(4_096, room.canvas.shapeCount)
    let wanted = max(least, room.canvas.longBytes / OpenRoom.longBytesOfOperation)
    return isStored && since >= UInt64(min(wanted, 4 * least))
  }
}

/// What the newest snapshot of a room covers, and when another may be tried.
///
/// What always holds: `position` belongs to a snapshot that is stored. Each failed try doubles the pause before the
/// next one.
struct NewestSnapshot {
  private(set) var position: UInt64
  /// The position of the newest attempt to store a snapshot, whether it succeeded or not.
  private(set) var positionTried: UInt64
  private(set) var operations: UInt64
  private(set) var isUnderWay = false
  /// The position of the snapshot that was given to the log and that the log has not stored or refused yet. 0 if there
  /// is none.
  private(set) var positionGiven: UInt64 = 0
  private var pauseMilliseconds: UInt64 = 0
  private var notBefore: UInt64 = 0

  fileprivate init(position: UInt64, operations: UInt64) {
    self.position = position
    positionTried = position
    self.operations = operations
  }

  /// The upper bound on the pause after a failed attempt. A snapshot costs in proportion to the room's size, so a
  /// snapshot that always fails must not be tried each second.
  private static let pauseMillisecondsMax: UInt64 = 300_000

  /// - Parameter now: the time in monotonic milliseconds.
  func mayBegin(now: UInt64) -> Bool { !isUnderWay && now >= notBefore }

  fileprivate mutating func begin() { isUnderWay = true }
  fileprivate mutating func give(position: UInt64) { positionGiven = position }

  /// The newest snapshot turned out to be unreadable, so none counts as stored.
  fileprivate mutating func forget() { position = 0 }

  fileprivate mutating func end(position: UInt64, operations: UInt64, isStored: Bool, now: UInt64) {
    isUnderWay = false
    positionGiven = 0
    positionTried = position
    self.operations = operations
    if isStored {
      self.position = position
      pauseMilliseconds = 0
    } else {
      pauseMilliseconds = min(max(1_000, pauseMilliseconds * 2), NewestSnapshot.pauseMillisecondsMax)
      notBefore = now + pauseMilliseconds
    }
  }
}

/// The rooms that are flushed at the end of this iteration of the event loop or of a later one.
///
/// What always holds: a room is at most once on the list.
struct RoomsToFlush {
  private var rooms: [OpenRoom] = []

  var isEmpty: Bool { rooms.isEmpty }

  fileprivate mutating func add(_ open: OpenRoom) {
    guard !open.isToFlush else { return }
    open.isToFlush = true
    rooms.append(open)
  }

  mutating func takeAll() -> [OpenRoom] {
    defer { rooms = [] }
    for open in rooms { open.isToFlush = false }
    return rooms
  }

  /// Puts rooms that were taken but not served back in front of the other rooms.
  mutating func putBack(_ unserved: ArraySlice<OpenRoom>) {
    let others = rooms
    rooms = []
    for open in unserved { add(open) }
    rooms += others
  }
}

// MARK: - Changing a room

extension Hub {
  /// Changes a room. What follows from the change is sent and stored at the end of this iteration of the event loop.
  ///
  /// `body` must not read `open.room`.
  /// - Returns: `nil` if the room is gone. Then `body` was not called.
  @inline(__always) @discardableResult
  func change<Answer, Failure: Error>(
    _ open: OpenRoom,
    _ body: (inout Room) throws(Failure) -> Answer
  ) throws(Failure) -> Answer? {
    guard !open.isGone else { return nil }
    rooms.toFlush.add(open)
    return try body(&open.room)
  }

  /// Changes a room, and carries out at once what follows from the change. Only the sending waits for the end of this
  /// iteration of the event loop.
  @inline(__always) @discardableResult
  func changeAtOnce<Answer>(_ open: OpenRoom, _ body: (inout Room) -> Answer) -> Answer? {
    let answer = change(open, body)
    carryOutEffects(of: open)
    return answer
  }

  /// Lets a room do what it does when its turn comes: at the end of an iteration of the event loop, or once a second.
  /// Afterwards the room has another turn only if it still has something to send. So idle rooms cost nothing.
  @inline(__always)
  func giveTurn(to open: OpenRoom, _ body: (inout Room) -> Void) {
    guard !open.isGone else { return }
    body(&open.room)
    carryOutEffects(of: open)
    if open.flushDueAt != nil { rooms.toFlush.add(open) }
  }

  /// Takes the state out of a room that is gone, and leaves an empty one. Jobs that still hold the room then see it
  /// empty.
  func takeState(of open: OpenRoom) -> Room {
    carryOutEffects(of: open)
    var room = Room(name: open.room.name, epoch: open.room.epoch, limits: limits, framing: framing, seed: 0)
    swap(&room, &open.room)
    return room
  }

  func carryOutEffects(of open: OpenRoom) {
    let effects = open.room.takeEffects()
    if !effects.isEmpty { carryOut(effects, of: open) }
  }
}
