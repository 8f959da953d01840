import Glibc

/// Requests on their way to a thread of the log.
///
/// `@unchecked Sendable`: a mutex protects everything. It is the system's mutex, because the thread waits for a
/// condition with a time limit, and Swift's own mutex offers no such wait.
final class RequestQueue: @unchecked Sendable {
  enum Entry {
    case request(LogRequest)
    /// A request that didn't fit into the queue. The thread only has to report its refusal.
    case refused(id: UInt64, room: String?, LogError)
  }

  /// How many bytes may wait to be stored before appends are refused as `busy`. This bounds memory if the disk is
  /// slower than the writers. Requests without bytes are never refused as `busy`, because that could do harm. For
  /// instance, a refusal to follow a room would close the room.
  static let standardBytesMax = 64 << 20
  /// How many bytes of snapshots may wait. Snapshots are large, and there are few at a time.
  static let standardSnapshotBytesMax = 256 << 20

  private let bytesMax: Int
  private let snapshotBytesMax: Int
  /// Is called after a request was added, to wake a thread that waits for something other than this queue.
  private let woken: @Sendable () -> Void
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var entries: [Entry] = []
  private var bytes = 0
  private var snapshotBytes = 0
  private var isClosed = false

  init(
    bytesMax: Int = standardBytesMax,
    snapshotBytesMax: Int = standardSnapshotBytesMax,
    woken: @escaping @Sendable () -> Void = {}
  ) {
    self.bytesMax = bytesMax
    self.woken = woken
    self.snapshotBytesMax = snapshotBytesMax
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(arrival, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// If the queue is empty, it accepts a request of any size. So every request that is allowed can be stored.
  func add(_ requests: some Sequence<LogRequest>) {
    defer { woken() }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    for request in requests {
      if isClosed { return }
      if !hasRoom(for: request) {
        entries.append(.refused(id: request.id, room: request.room, .busy(queuedBytes: bytes + snapshotBytes)))
      } else {
        if case .snapshot = request { snapshotBytes += request.cost } else { bytes += request.cost }
        entries.append(.request(request))
      }
    }
    pthread_cond_signal(arrival)
  }

  private func hasRoom(for request: LogRequest) -> Bool {
    if case .snapshot = request { return snapshotBytes == 0 || snapshotBytes + request.cost <= snapshotBytesMax }
    guard request.mayWaitElsewhere else { return true }
    return bytes == 0 || bytes + request.cost <= bytesMax
  }

  /// Takes everything from the queue. Waits until there is a request, until `deadline` (on the monotonic clock), or
  /// until the queue is closed. If the deadline has passed already, returns at once.
  func take(deadline: UInt64?) -> (entries: [Entry], isClosed: Bool) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while entries.isEmpty, !isClosed {
      if let deadline {
        var time = timespec(tv_sec: Int(deadline / 1_000_000), tv_nsec: Int(deadline % 1_000_000) * 1_000)
        if pthread_cond_timedwait(arrival, mutex, &time) != 0 { break }
      } else {
        pthread_cond_wait(arrival, mutex)
      }
    }
    var taken: [Entry] = []
    swap(&taken, &entries)
    return (taken, isClosed)
  }

  /// Requests that were taken count as queued until they are released.
  func release(_ requests: [LogRequest]) { count(requests, -1) }

  /// Counts requests as queued that have been answered, but whose bytes have yet to be written.
  func retain(_ requests: [LogRequest]) { count(requests, 1) }

  private func count(_ requests: [LogRequest], _ sign: Int) {
    pthread_mutex_lock(mutex)
    for request in requests {
      if case .snapshot = request { snapshotBytes += sign * request.cost } else { bytes += sign * request.cost }
    }
    pthread_mutex_unlock(mutex)
  }

  /// Closes the queue. Requests that are in it can still be taken. Those that come later are ignored.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(arrival)
    pthread_mutex_unlock(mutex)
    woken()
  }

  var waiting: (bytes: Int, snapshotBytes: Int) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return (bytes, snapshotBytes)
  }
}
