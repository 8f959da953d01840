/// Notifications between nodes through the database: rooms with new records, messages that aren't stored, and locked
/// rooms. All but the locks may get lost.
///
/// What always holds: the owner gets the list of locked rooms whenever any node has changed it.
final class PostgresBells {
  private let link: PostgresLink
  private let reports: PostgresReports
  /// The locked rooms that were last reported. `nil` until they have been read.
  private var locks: Set<String>?
  /// How often this node has locked or unlocked a room.
  private(set) var ownLockChanges = 0

  enum News {
    case isNew(rooms: [String])
    case locks
    /// A message to the followers of a room, or, without a room, to all nodes.
    case told(room: String?, bytes: [UInt8])
  }

  init(_ link: PostgresLink, _ reports: PostgresReports) {
    self.link = link
    self.reports = reports
  }

  /// Used in place of a room's name, since no room can have such a name: one for messages to all nodes, one for changed
  /// locks.
  private static let everyRoom = "*"

  // MARK: Telling

  /// Tells other nodes that rooms have new records. Without a connection nothing is sent, and the others find out by
  /// polling.
  func ring(for rooms: [String]) {
    guard link.isReady else { return }
    var payload = ""
    for room in Set(rooms) {
      if payload.utf8.count + room.utf8.count + 1 > PostgresBells.payloadBytesMax {
        link.send([(.notify, [.text(payload)])]) { _ in }
        payload = ""
      }
      payload += payload.isEmpty ? room : " " + room
    }
    if !payload.isEmpty { link.send([(.notify, [.text(payload)])]) { _ in } }
  }

  /// PostgreSQL's bound for a payload is 8,000.
  private static let payloadBytesMax = 7_900

  func tell(_ id: UInt64, _ room: String?, _ bytes: [UInt8]) {
    reports.release(.tell(id: id, room: room, bytes: bytes))
    // PostgreSQL carries text only.
    if link.isReady, bytes.count <= LogRequest.toldBytesMax {
      link.send([(.tell, [.text("\(room ?? PostgresBells.everyRoom) \(Base64.encoded(bytes))")])]) { _ in }
    }
    reports.tell([.told(id: id, room: room)])
  }

  // MARK: Hearing

  /// The news in another node's message; `nil` if it doesn't concern this node.
  func news(_ payload: String, on channel: String, from process: Int32) -> News? {
    guard process != link.process else { return nil }
    if channel == "canvas_nodes" {
      let parts = payload.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let bytes = Base64.decoded(parts[1].utf8) else { return nil }
      return .told(room: parts[0] == PostgresBells.everyRoom ? nil : String(parts[0]), bytes: bytes)
    }
    if payload == PostgresBells.everyRoom { return .locks }
    return .isNew(rooms: payload.split(separator: " ").map(String.init))
  }

  // MARK: Locks

  var lockedRooms: Set<String> { locks ?? [] }

  /// - Parameters:
  ///   - rows: the answer to `.locks`.
  ///   - ownLockChanges: its value when the locks were requested. If it has changed, the rows may be older than what
  ///     this node has changed itself over another connection. Then the next poll brings the right list.
  func noteLocks(_ rows: PostgresRows, askedAt ownLockChanges: Int) {
    guard ownLockChanges == self.ownLockChanges else { return }
    let now = Set((0..<rows.count).map { rows.text($0, 0) })
    guard now != locks else { return }
    locks = now
    if reports.isOpen { reports.tell([.locks(now)]) }
  }

  /// This node has locked or unlocked a room. Its owner knows, and the other nodes are told.
  func noteLock(_ room: String, isLocked: Bool) {
    ownLockChanges += 1
    if isLocked { locks?.insert(room) } else { locks?.remove(room) }
    if link.isReady { link.send([(.notify, [.text(PostgresBells.everyRoom)])]) { _ in } }
  }
}
