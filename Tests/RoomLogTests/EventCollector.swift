import Glibc
import RoomLog

/// Collects the log's events, and lets a test wait for an event. The time limit exists only so that a test of a broken
/// log fails instead of hanging.
///
/// `@unchecked Sendable`: a mutex protects everything.
final class EventCollector: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var events: [LogEvent] = []
  private var messages: [BusNews] = []
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

  func hear(_ told: BusNews) {
    pthread_mutex_lock(mutex)
    messages.append(told)
    pthread_cond_broadcast(news)
    pthread_mutex_unlock(mutex)
  }

  /// What the bus has brought.
  var heard: [BusNews] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return messages
  }

  /// Waits until the bus brings this.
  func hears(_ wanted: BusNews) -> Bool { wait { messages.contains(wanted) ? true : nil } ?? false }

  var all: [LogEvent] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return events
  }

  /// The events after the first `count` events.
  /// - Parameter waits: whether to wait up to ten seconds if there are none yet.
  func news(after count: Int, waits: Bool) -> [LogEvent] {
    wait { events.count > count || !waits ? Array(events[count...]) : nil } ?? []
  }

  func answer(to id: UInt64) -> LogEvent? { wait { answers[id] } }

  func first(where isWanted: (LogEvent) -> Bool) -> LogEvent? { wait { events.first(where: isWanted) } }

  /// The reported records of a room. Waits until there are at least `count`.
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

  /// Thrown if a log that should open fails to open.
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
  /// The longest time that a test waits for an event. Even a slow disk takes far less.
  static var inTenSeconds: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += 10
    return time
  }
}
