/// Notifications between nodes, sent through the database: new records in rooms, and changes of the locks.
/// Notifications can get lost.
///
/// What always holds: when any node has changed a lock, the owner gets the new list of locked rooms. Polling finds the
/// changes whose notification was lost.
final class PostgresBells {
  private let link: PostgresLink
  private let reports: PostgresReports
  /// The locked rooms at the last report. `nil` until they have been read.
  private var locks: Set<String>?
  /// How many times this node has locked or unlocked a room, or found one locked.
  private(set) var ownLockChanges = 0

  enum News {
    case isNew(rooms: [String])
    case locks
  }

  init(_ link: PostgresLink, _ reports: PostgresReports) {
    self.link = link
    self.reports = reports
  }

  /// Takes the place of a room's name in notifications of changed locks. No room has this name.
  private static let everyRoom = "*"

  // MARK: Telling

  /// Notifies the other nodes of new records in these rooms. Without a connection, nothing is sent, and the other nodes
  /// find the records when they poll.
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

  /// A notification has at most this many bytes. PostgreSQL's limit is 8,000.
  private static let payloadBytesMax = 7_900

  // MARK: Hearing

  /// Reads a notification. `nil` if it comes from this node itself.
  func news(_ payload: String, from process: Int32) -> News? {
    guard process != link.process else { return nil }
    if payload == PostgresBells.everyRoom { return .locks }
    return .isNew(rooms: payload.split(separator: " ").map(String.init))
  }

  // MARK: Locks

  var lockedRooms: Set<String> { locks ?? [] }

  /// Takes over the list of locks that was read. If this node has changed a lock after it sent the query, the list is
  /// ignored, and the next poll reads the locks again. The change went over another connection, so the rows can be
  /// older than the change.
  /// - Parameters:
  ///   - rows: the answer to `.locks`.
  ///   - ownLockChanges: the value of `ownLockChanges` when the query was sent.
  func noteLocks(_ rows: PostgresRows, askedAt ownLockChanges: Int) {
    guard ownLockChanges == self.ownLockChanges else { return }
    let now = Set((0..<rows.count).map { rows.text($0, 0) })
    guard now != locks else { return }
    locks = now
    if reports.isOpen { reports.tell([.locks(now)]) }
  }

  /// This node has deleted a locked room, and its lock with it.
  func noteUnlocked(withDeletionOf room: String) { tellLock(room, isLocked: false) }

  /// An append has found a lock of which this node hasn't heard.
  func noteFound(lockOf room: String) {
    if !lockedRooms.contains(room) { tellLock(room, isLocked: true) }
  }

  private func tellLock(_ room: String, isLocked: Bool) {
    noteLock(room, isLocked: isLocked)
    if let locks { reports.tell([.locks(locks)]) }
  }

  /// Remembers that this node has locked or unlocked a room, and notifies the other nodes.
  func noteLock(_ room: String, isLocked: Bool) {
    ownLockChanges += 1
    if isLocked { locks?.insert(room) } else { locks?.remove(room) }
    if link.isReady { link.send([(.notify, [.text(PostgresBells.everyRoom)])]) { _ in } }
  }
}

extension PostgresStatement {
  static let locks = PostgresStatement("locks", "SELECT room FROM canvas.locks")
  /// The room can't be deleted until the lock is stored. So whoever deletes the room removes the lock.
  static let lockRoom = PostgresStatement(
    "lock_room",
    """
    WITH room AS (SELECT name FROM canvas.rooms WHERE name = $1::text FOR KEY SHARE),
    locked AS (INSERT INTO canvas.locks(room) SELECT name FROM room ON CONFLICT DO NOTHING)
    SELECT name FROM room
    """
  )
  static let unlockRoom = PostgresStatement("unlock_room", "DELETE FROM canvas.locks WHERE room = $1::text")
}
