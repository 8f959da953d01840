/// The rooms whose rows other transactions keep locked, with the requests that wait for them. They wait here instead of
/// in the database, where everything that this node stores would wait with them.
///
/// What always holds:
/// - Requests for one room leave in the order in which they came.
/// - A room is due for refusal `microsecondsMax` after its lock was met, unless the database has answered since.
struct LockedRooms {
  /// The requests of each room that is known to be locked.
  private var requests: [String: [LogRequest]] = [:]
  /// When the lock of a room was met. A room stays here until the database answers, or until its row is free and nobody
  /// waits for it.
  private var since: [String: UInt64] = [:]

  /// How long requests wait for a lock before they are refused.
  static let microsecondsMax: UInt64 = 4_000_000

  var isEmpty: Bool { requests.isEmpty }
  var isWaitedFor: Bool { requests.contains { !$0.value.isEmpty } }
  var names: [String] { requests.keys.sorted() }
  /// When the oldest lock was met. `nil` if there is none.
  var metAt: UInt64? { requests.keys.lazy.compactMap { since[$0] }.min() }

  func holds(_ room: String) -> Bool { requests[room] != nil }

  func isDue(_ room: String, now: UInt64) -> Bool {
    since[room].map { now >= $0 + LockedRooms.microsecondsMax } ?? false
  }

  /// Notes that somebody keeps a room locked.
  mutating func note(_ room: String, now: UInt64) { if since[room] == nil { since[room] = now } }

  mutating func add(_ request: LogRequest, to room: String) { requests[room, default: []].append(request) }

  /// Takes the requests of some rooms in, out of a list.
  mutating func move(_ rooms: Set<String>, from list: inout [LogRequest]) {
    guard !rooms.isEmpty else { return }
    list.removeAll { request in
      guard let room = request.room, rooms.contains(room) else { return false }
      add(request, to: room)
      return true
    }
  }

  /// Takes a room's requests, to refuse them. The room stays here.
  mutating func takeRequests(of room: String) -> [LogRequest] {
    defer { requests[room] = [] }
    return requests[room] ?? []
  }

  /// Takes a room and its requests out, because its row is free.
  mutating func release(_ room: String) -> [LogRequest] {
    let released = requests.removeValue(forKey: room) ?? []
    if released.isEmpty { since[room] = nil }
    return released
  }

  /// The database has carried out a request for a room, or refused it for another reason than a lock.
  mutating func noteAnswer(_ room: String) { if !since.isEmpty { since[room] = nil } }

  /// Takes everything out.
  mutating func takeAll() -> [LogRequest] {
    defer { self = LockedRooms() }
    return names.flatMap { requests[$0] ?? [] }
  }
}
