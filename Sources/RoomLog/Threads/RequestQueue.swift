import Glibc

/// The queue of requests for a thread of the log.
///
/// `@unchecked Sendable`: a mutex protects everything. It is a `pthread_mutex_t`, because waiting with a timeout needs
/// a condition variable, which Swift's own `Mutex` doesn't offer.
final class RequestQueue: @unchecked Sendable {
  enum Entry {
    case request(LogRequest)
    /// A request that didn't fit into the queue. The thread only reports that it is refused.
    case refused(id: UInt64, room: String?, LogError)
  }

  /// How many bytes may wait to be written before appends are refused as busy. This bounds the memory if the disk is
  /// slower than the writers. Requests without bytes are never refused as busy.
  static let standardBytesMax = 64 << 20
  /// How many bytes of snapshots may wait to be written. Snapshots are large, but only few of them wait at a time.
  static let standardSnapshotBytesMax = 256 << 20

  private let bytesMax: Int
  private let snapshotBytesMax: Int
  /// Is called after a request was added, for threads that wait for other things too.
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

  /// An empty queue takes a request of any size, because otherwise a very large one could never be stored.
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

  /// Takes all requests. Waits until there is one, or until the deadline on the monotonic clock, or until the queue is
  /// closed. Returns at once if the deadline has passed.
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

  /// Removes requests from the queue's byte count. Taking requests from the queue doesn't change that count.
  func release(_ requests: [LogRequest]) { count(requests, -1) }

  /// Adds requests to the queue's byte count again, because their bytes are still to be written.
  func retain(_ requests: [LogRequest]) { count(requests, 1) }

  private func count(_ requests: [LogRequest], _ sign: Int) {
    pthread_mutex_lock(mutex)
    for request in requests {
      if case .snapshot = request { snapshotBytes += sign * request.cost } else { bytes += sign * request.cost }
    }
    pthread_mutex_unlock(mutex)
  }

  /// Closes the queue. Requests in it can still be taken. Later ones are ignored.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(arrival)
    pthread_mutex_unlock(mutex)
    woken()
  }

  /// The bytes of the requests that aren't released, without those of snapshots.
  var queuedBytes: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return bytes
  }
}
