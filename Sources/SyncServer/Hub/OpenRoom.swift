import CanvasCRDT
import RoomLog

/// A room that is open, with what the hub has to know about it beside.
///
/// What always holds: a visitor who has a seat here has joined this room under the member that the seat is of. Once the room is
/// gone nothing changes it any more.
///
/// `@unchecked Sendable`: as `Visitor`.
final class OpenRoom: @unchecked Sendable {
  let name: String
  var room: Room
  /// By the index of the member in the room.
  private var visitors: [Visitor?] = []
  /// Whether the log has the room: an append that comes later must not bring back one that was deleted.
  private(set) var isStored: Bool
  /// Deleted, or closed for want of anyone: to be opened anew.
  private(set) var isGone = false
  /// Since when nobody has been here, on the monotonic clock.
  private var idleSince: UInt64?
  /// How many jobs hold on to it across a wait.
  private var holds = 0
  /// When the operations arrived that the next beat brings, in microseconds.
  private var arrivals: [UInt64] = []
  /// The beats that are in the metrics, and what they had gathered.
  private var beatsNoted: UInt64 = 0
  private var beatOperationsNoted: UInt64 = 0
  /// Whether it is listed as having something to be done.
  private var isDirty = false
  private(set) var snapshot: NewestSnapshot

  /// - Parameter snapshotPosition: of the snapshot that it was opened from.
  init(name: String, room: Room, isStored: Bool, snapshotPosition: UInt64 = 0) {
    self.name = name
    self.room = room
    self.isStored = isStored
    snapshot = NewestSnapshot(position: snapshotPosition, operations: room.operationCount)
  }

  // MARK: Visitors

  func visitor(_ id: MemberID) -> Visitor? {
    guard visitors.indices.contains(id.seat), let visitor = visitors[id.seat] else { return nil }
    guard case .joined(_, id) = visitor.stage else { return nil }
    return visitor
  }

  func seat(_ visitor: Visitor, _ id: MemberID) {
    while visitors.count <= id.seat { visitors.append(nil) }
    visitors[id.seat] = visitor
    idleSince = nil
  }

  /// - Returns: who had the seat.
  @discardableResult
  func unseat(_ id: MemberID) -> Visitor? {
    guard let visitor = visitor(id) else { return nil }
    visitors[id.seat] = nil
    return visitor
  }

  // MARK: Staying open

  func hold() { holds += 1 }
  func letLoose() { holds -= 1 }

  /// - Returns: whether it has to be listed as having something to be done.
  func becomesDirty() -> Bool {
    defer { isDirty = true }
    return !isDirty
  }

  func isClean() { isDirty = false }
  func isStoredNow() { isStored = true }
  func isGoneNow() { isGone = true }

  /// Nobody is here, nothing is on its way, and no job is about to use it.
  var mayGo: Bool { room.isIdle && holds == 0 }

  /// - Returns: since when it could have gone, if it could now.
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

  /// When the operations arrived that have gone out by now.
  func takeArrivals() -> [UInt64] {
    // What peers show may be due again already: with two of them it always is.
    guard !arrivals.isEmpty, !room.isGathering else { return [] }
    defer { arrivals.removeAll(keepingCapacity: true) }
    return arrivals
  }

  /// The beats since this was last asked, and what they had gathered.
  func takeBeats() -> (beats: UInt64, operations: UInt64)? {
    guard room.counts.beats > beatsNoted else { return nil }
    let beats = room.counts.beats - beatsNoted
    let operations = room.counts.beatOperations - beatOperationsNoted
    beatsNoted += beats
    beatOperationsNoted += operations
    return (beats, operations)
  }

  // MARK: Snapshots

  func beginSnapshot() { snapshot.isUnderWay = true }

  /// - Parameter position: what the snapshot is of, whether or not it was stored: where it was not, another is not made at
  ///   once. The log has all of it anyway.
  func endSnapshot(position: UInt64, operations: UInt64) {
    snapshot = NewestSnapshot(position: position, operations: operations)
  }

  func dropSnapshot() { snapshot.isUnderWay = false }

  /// Whether there is anything that the newest snapshot lacks, and no other is being made.
  var lacksSnapshot: Bool { isStored && !snapshot.isUnderWay && room.position > snapshot.position }

  /// As many operations as a snapshot has shapes cost as much to read as it does to write.
  var isWorthSnapshot: Bool {
    let since = room.operationCount - min(snapshot.operations, room.operationCount)
    return isStored && since >= UInt64(max(4_096, room.canvas.shapeCount))
  }
}

/// What the newest snapshot of a room is of.
struct NewestSnapshot {
  let position: UInt64
  let operations: UInt64
  fileprivate(set) var isUnderWay = false

  fileprivate init(position: UInt64, operations: UInt64) {
    self.position = position
    self.operations = operations
  }
}
