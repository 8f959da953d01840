import Glibc
import RoomLog

/// A sink that remembers events, and lets a test wait for the one it expects. Waiting ends with the event. The time
/// limit only makes a broken log fail a test instead of hanging it.
///
/// `@unchecked Sendable`: a mutex protects everything.
final class EventCollector: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var events: [LogEvent] = []
  private var answers: [UInt64: LogEvent] = [:]
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(news, nil)
  }

  deinit {
    pthread_cond_destroy(news)
    pthread_mutex_destroy(mutex)
    news.deallocate()
    mutex.deallocate()
  }

  func take(_ told: [LogEvent]) {
    pthread_mutex_lock(mutex)
    for event in told {
      events.append(event)
      if let id = event.id { answers[id] = event }
      if event == .closed { isClosed = true }
    }
    pthread_cond_broadcast(news)
    pthread_mutex_unlock(mutex)
  }

  var all: [LogEvent] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return events
  }

  /// What was reported after so many events.
  /// - Parameter waits: whether to wait for some, up to ten seconds.
  func news(after count: Int, waits: Bool) -> [LogEvent] {
    wait { events.count > count || !waits ? Array(events[count...]) : nil } ?? []
  }

  func answer(to id: UInt64) -> LogEvent? { wait { answers[id] } }

  func first(where isWanted: (LogEvent) -> Bool) -> LogEvent? { wait { events.first(where: isWanted) } }

  /// What was reported of a room, once it is so much.
  func records(of room: String, atLeast count: Int) -> [LogRecord]? {
    wait {
      let records = events.compactMap(\.appended).filter { $0.room == room }.flatMap(\.records)
      return records.count >= count ? records : nil
    }
  }

  func untilOpened() throws {
    guard first(where: \.isOpened) == nil else { return }
    throw NotOpened(events: all)
  }

  /// A log that ought to be open isn't.
  struct NotOpened: Error {
    let events: [LogEvent]
  }

  func closed() -> Bool { wait { isClosed ? true : nil } ?? false }

  private func wait<Found>(_ find: () -> Found?) -> Found? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var deadline = timespec.inTenSeconds
    while true {
      if let found = find() { return found }
      if pthread_cond_timedwait(news, mutex, &deadline) != 0 { return find() }
    }
  }
}

extension timespec {
  /// How long a test waits for what it expects: many times what a slow disk takes.
  static var inTenSeconds: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += 10
    return time
  }
}

extension LogEvent {
  /// The request that it answers.
  var id: UInt64? {
    switch self {
    case .appended(let appended): appended.id
    case .trimmed(let id, _, _), .deleted(let id, _, _), .unfollowed(let id, _): id
    case .read(let id, _), .loaded(let id, _), .snapshotted(let id, _, _), .following(let id, _), .told(let id, _),
      .created(let id, _),
      .locked(let id, _, _),
      .retained(let id), .rooms(let id, _),
      .repaired(let id, _, _, _, _), .verified(let id, _, _), .verifiedPart(let id, _), .failed(let id, _, _):
      id
    case .opened, .waiting, .unusable, .availability, .readability, .otherTimeline, .committed, .heard, .locks, .closed,
      .concern, .missedNews:
      nil
    }
  }

  var isOpened: Bool { if case .opened = self { true } else { false } }
  var secret: [UInt8]? { if case .opened(let secret) = self { secret } else { nil } }
  var appended: AppendedRecords? { if case .appended(let appended) = self { appended } else { nil } }
  var page: RecordPage? { if case .read(_, let page) = self { page } else { nil } }
  var loaded: LoadedRoom? { if case .loaded(_, let loaded) = self { loaded } else { nil } }
  var summaries: [RoomSummary]? { if case .rooms(_, let rooms) = self { rooms } else { nil } }
  var isUnavailable: Bool { if case .failed(_, _, .unavailable) = self { true } else { false } }
  var error: LogError? { if case .failed(_, _, let error) = self { error } else { nil } }
}
