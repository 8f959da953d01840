/// Notifications between nodes through the database: which rooms have new records, messages that aren't stored, and
/// which rooms are locked. All of them may get lost, except changes of the locks.
///
/// What always holds: whenever any node has changed the locks, the owner gets the list of locked rooms.
final class PostgresBells {
  private let link: PostgresLink
  private let reports: PostgresReports
  /// The locked rooms as they were last reported. `nil` until they have been read.
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

  /// Texts in place of a room's name. No room can have such a name. One stands for messages to all nodes, one for
  /// changed locks.
  private static let everyRoom = "*"

  // MARK: Telling

  /// Notifies the other nodes that rooms have new records. Without a connection nothing is sent. The other nodes then
  /// find the records when they next poll.
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

  /// The upper bound on a notification's bytes. PostgreSQL's own is 8,000.
  private static let payloadBytesMax = 7_900

  func tell(_ id: UInt64, _ room: String?, _ bytes: [UInt8]) {
    reports.release(.tell(id: id, room: room, bytes: bytes))
    // PostgreSQL's notifications carry text only, so the bytes are encoded.
    if link.isReady, bytes.count <= LogRequest.toldBytesMax {
      link.send([(.tell, [.text("\(room ?? PostgresBells.everyRoom) \(Base64.encoded(bytes))")])]) { _ in }
    }
    reports.tell([.told(id: id, room: room)])
  }

  // MARK: Hearing

  /// The news in another node's notification. `nil` if the notification doesn't concern this node.
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

  /// Takes the locks from the database, unless this node has changed a lock since the locks were requested. The change
  /// went over another connection, so the rows may be older than the change. The next poll then brings the right list.
  /// - Parameters:
  ///   - rows: the answer to `.locks`.
  ///   - ownLockChanges: the value that `ownLockChanges` had when the locks were requested.
  func noteLocks(_ rows: PostgresRows, askedAt ownLockChanges: Int) {
    guard ownLockChanges == self.ownLockChanges else { return }
    let now = Set((0..<rows.count).map { rows.text($0, 0) })
    guard now != locks else { return }
    locks = now
    if reports.isOpen { reports.tell([.locks(now)]) }
  }

  /// This node has locked or unlocked a room, at its owner's request. The other nodes are notified.
  func noteLock(_ room: String, isLocked: Bool) {
    ownLockChanges += 1
    if isLocked { locks?.insert(room) } else { locks?.remove(room) }
    if link.isReady { link.send([(.notify, [.text(PostgresBells.everyRoom)])]) { _ in } }
  }
}
