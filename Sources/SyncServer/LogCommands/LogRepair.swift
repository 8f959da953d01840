import Glibc
import RoomLog
import Synchronization

/// Repairs damaged rooms with what the log itself offers, one request at a time.
struct LogRepair {
  private let log: SQLiteLog
  private let answers: LogAnswers
  private let cutting: Bool

  /// Opens the directory, which no server may be using.
  init(directory: String, cutting: Bool) throws(StorageFault) {
    let answers = LogAnswers()
    self.answers = answers
    self.cutting = cutting
    log = try SQLiteLog(directory: directory, sink: { answers.take($0) })
  }

  /// Prints what was found and done.
  /// - Returns: the exit code.
  func run(_ wanted: String?) -> Int32 {
    defer {
      log.close()
      answers.waitForEnd()
    }
    guard case .rooms(_, let rooms) = ask({ .list(id: $0) }) else {
      print("the rooms can't be listed")
      return 1
    }
    if let wanted, !rooms.contains(where: { $0.room == wanted }) {
      print("there is no room \(wanted)")
      return 1
    }
    var left = 0
    for room in rooms where wanted == nil || room.room == wanted {
      if !repair(room.room) { left += 1 }
    }
    print(left == 0 ? "all rooms can be used" : "\(left) rooms are still damaged")
    return left == 0 ? 0 : 1
  }

  /// Repairs a room. A room can be damaged in several places, and each repair uncovers the next.
  /// - Returns: whether the room is sound in the end.
  private func repair(_ room: String) -> Bool {
    var repaired: Set<LogError> = []
    while true {
      let event = ask { .verify(id: $0, room: room) }
      guard case .failed(_, _, let damage) = event else { return true }
      switch damage {
      case .damagedSnapshot(_, let position) where repaired.insert(damage).inserted:
        // Dropping a snapshot loses nothing if the records that it was made from are there, or another snapshot.
        let means = RepairRequest.Means.droppingSnapshot(position: position)
        guard case .repaired = ask({ .repair(RepairRequest(id: $0, room: room, means: means)) }) else {
          print("\(damage); restore the room from a backup")
          return false
        }
        print("\(damage); repaired: the room can be used without it")
      case .damaged where repaired.insert(damage).inserted:
        if case .repaired = ask({ .repair(RepairRequest(id: $0, room: room, means: .snapshot)) }) {
          print("\(damage); repaired: its history up to the newest snapshot is dropped")
          continue
        }
        guard cutting else {
          print(
            "\(damage); no newer snapshot covers it; restore a backup, or drop it and everything after it with --cut"
          )
          return false
        }
        let cut = ask {
          .repair(RepairRequest(id: $0, room: room, means: .cutting(newEpoch: .random(in: .min ... .max))))
        }
        guard case .repaired(_, _, _, _, let last) = cut else {
          print("\(damage); cutting failed")
          return false
        }
        print("\(damage); repaired: the room now ends at position \(last)")
      default:
        print("\(damage); it can't be repaired")
        return false
      }
    }
  }

  private func ask(_ request: (UInt64) -> LogRequest) -> LogEvent {
    let id = answers.nextID()
    log.submit(request(id))
    return answers.wait(for: id)
  }
}

/// The log's answers, for one thread that waits for them.
private final class LogAnswers: Sendable {
  private struct State {
    var lastID: UInt64 = 0
    var events: [UInt64: LogEvent] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  private let bell = Bell()

  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  func take(_ events: [LogEvent]) {
    state.withLock { state in
      for event in events {
        if case .closed = event { state.isClosed = true }
        if let id = event.answeredID { state.events[id] = event }
      }
    }
    bell.ring()
  }

  func wait(for id: UInt64) -> LogEvent {
    while true {
      if let event = state.withLock({ $0.events.removeValue(forKey: id) }) { return event }
      bell.wait()
    }
  }

  func waitForEnd() {
    while !state.withLock({ $0.isClosed }) { bell.wait() }
  }
}

/// A semaphore of the operating system.
///
/// `@unchecked Sendable`: a semaphore is made to be used from several threads.
private final class Bell: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func ring() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}

extension LogEvent {
  /// The number of the request that this answers.
  fileprivate var answeredID: UInt64? {
    switch self {
    case .repaired(let id, _, _, _, _), .verified(let id, _, _), .loaded(let id, _), .rooms(let id, _),
      .failed(let id, _, _):
      id
    default: nil
    }
  }
}
