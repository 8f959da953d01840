@testable import RoomLog
@testable import SyncServer

/// A server's log and bus, which delay requests, reports and messages. It gives access to the rooms that all servers
/// share.
///
/// `@unchecked Sendable`: each log belongs to one history, which runs on one thread.
final class DelayedLog: RoomLog, Bus, @unchecked Sendable {
  /// What the logs of all servers have in common besides the rooms.
  final class Shared {
    let rooms = SharedMemory()
    /// Whether the rooms are in a database. A database that is out of reach can't be read either.
    let isDatabase: Bool
    var locks: Set<String> = []
    fileprivate var logs: [DelayedLog] = []
    /// Called before a room is deleted.
    var willDelete: () -> Void = {}
    /// Whether the next reading request gets no answer from the database.
    var hiccups: () -> Bool = { false }

    init(isDatabase: Bool) { self.isDatabase = isDatabase }
  }

  private let shared: Shared
  private let hub: Hub
  /// How long a request or a report takes.
  private let delay: () -> UInt64
  private var inner: MemoryLog!
  private var time: UInt64
  private var requests: [(due: UInt64, request: LogRequest)] = []
  /// What the hub is told later.
  private var reports: [(due: UInt64, tell: (Hub) -> Void)] = []
  /// The numbers of the requests that are not answered.
  private var unanswered: Set<UInt64> = []
  private var isClosing = false
  /// Whether nothing can be stored, and nothing read from a database.
  private(set) var isDown = false

  private static let fault = StorageFault.diskFull(path: "")

  init(_ shared: Shared, of hub: Hub, at time: UInt64, delay: @escaping () -> UInt64) {
    self.shared = shared
    self.time = time
    self.delay = delay
    self.hub = hub
    inner = MemoryLog(sharing: shared.rooms) { [unowned self] in for event in $0 { report(event) } }
    report(.locks(shared.locks))
    shared.logs.append(self)
  }

  var isIdle: Bool { requests.isEmpty && reports.isEmpty }

  // MARK: As the hub sees it

  func submit(_ requests: [LogRequest]) {
    for request in requests {
      unanswered.insert(request.id)
      // The requests are carried out in their order.
      self.requests.append((max(self.requests.last?.due ?? 0, time + delay()), request))
    }
  }

  func tell(_ message: [UInt8]) {
    for other in shared.logs where other !== self { other.later { $0.busTold(.heard(message)) } }
  }

  func statistics() -> LogStatistics { inner.statistics() }
  func close() { isClosing = true }

  // MARK: As the history sees it

  func setDown(_ isDown: Bool) {
    guard self.isDown != isDown else { return }
    self.isDown = isDown
    report(.availability(room: nil, isDown ? DelayedLog.fault : nil))
  }

  /// Carries out all requests, and makes all reports, that are due by this time.
  func pass(to time: UInt64) {
    self.time = time
    while let first = requests.first, first.due <= time { carryOut(requests.removeFirst().request) }
    if isClosing, requests.isEmpty, let inner {
      leave()
      inner.close()
      self.inner = nil
    }
    while let first = reports.first, first.due <= time {
      reports.removeFirst()
      first.tell(hub)
    }
  }

  /// The process has ended.
  /// - Parameter kept: how many of the requests on their way are carried out all the same.
  func end(carryingOut kept: Int) {
    for (_, request) in requests.prefix(kept) { carryOut(request) }
    requests = []
    reports = []
    leave()
    inner?.close()
    inner = nil
  }

  /// Refuses all unanswered requests of a process that has ended. Otherwise the jobs of its hub would wait forever.
  func refuseAll() {
    requests = []
    let numbers = unanswered.sorted()
    unanswered = []
    for number in numbers { hub.logTold([.failed(id: number, room: nil, .unavailable(DelayedLog.fault))]) }
  }

  private func leave() { shared.logs.removeAll { $0 === self } }

  private func carryOut(_ request: LogRequest) {
    let isUnreadable = shared.isDatabase && request.isReading && (isDown || shared.hiccups())
    if isDown && request.isWrite || isUnreadable {
      return report(.failed(id: request.id, room: request.room, .unavailable(DelayedLog.fault)))
    }
    switch request {
    case .lock(let id, let room, let isLocked):
      guard !isLocked || shared.rooms.store.rooms[room] != nil else {
        return report(.failed(id: id, room: room, .noSuchRoom(room: room)))
      }
      if isLocked { shared.locks.insert(room) } else { shared.locks.remove(room) }
      report(.locked(id: id, room: room, isLocked: isLocked))
      for other in shared.logs where other !== self { other.report(.locks(shared.locks)) }
    case .delete(_, let room):
      shared.willDelete()
      let isThere = shared.rooms.store.rooms[room] != nil
      inner?.submit([request])
      // A database removes the room's lock together with the room.
      if isThere, shared.locks.remove(room) != nil {
        for log in shared.logs { log.report(.locks(shared.locks)) }
      }
    default: inner?.submit([request])
    }
  }

  private func report(_ event: LogEvent) {
    if let id = event.id { unanswered.remove(id) }
    later { $0.logTold([event]) }
  }

  private func later(_ tell: @escaping (Hub) -> Void) {
    reports.append((max(reports.last?.due ?? 0, time + delay()), tell))
  }
}

extension LogRequest {
  fileprivate var isReading: Bool {
    switch self {
    case .load, .read, .follow, .list: true
    default: false
    }
  }
}
