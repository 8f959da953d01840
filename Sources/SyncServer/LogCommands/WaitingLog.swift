import Basics
import Glibc
import RoomLog
import Synchronization

/// The log of a command. The command waits for the answer to each request before it goes on.
struct WaitingLog {
  private let log: any RoomLog
  private let answers: LogAnswers
  /// The secret from which the actors' keys are made. `nil` if the log doesn't store it.
  let secret: [UInt8]?

  /// Waits until the log is open. Gives up if the database has been unreachable for `LogAnswers.patienceSeconds`.
  /// - Parameters:
  ///   - place: a directory that no server is using, or a database.
  ///   - mayCreate: whether the tables of a database are created or upgraded. Otherwise a database without them is
  ///     refused.
  ///   - secret: the secret to store if the log has none yet.
  init(_ place: Configuration.Storage, mayCreate: Bool = false, secret: [UInt8]? = nil) throws(StorageFault) {
    try self.init { (sink: @escaping LogSink) throws(StorageFault) -> any RoomLog in
      switch place {
      case .directory(let directory):
        var options = SQLiteOptions()
        options.offeredSecret = secret
        return try SQLiteLog(directory: directory, options: options, sink: sink)
      case .postgres(let url): return try PostgresLog(url, mayCreate: mayCreate, secret: secret, sink: sink)
      case .memory: throw .missing(path: "memory")
      }
    }
  }

  init(_ make: (_ sink: @escaping LogSink) throws(StorageFault) -> any RoomLog) throws(StorageFault) {
    let answers = LogAnswers()
    self.answers = answers
    log = try make { answers.take($0) }
    self.secret = try answers.waitForOpening()
  }

  func ask<Answer>(_ question: LogQuestion<Answer>) throws(LogError) -> Answer {
    try question.answer(in: answer(to: question.request))
  }

  func answer(to request: (_ id: UInt64) -> LogRequest) -> LogEvent {
    let id = answers.nextID()
    log.submit(request(id))
    return answers.wait(for: id)
  }

  /// Sends many requests together, and waits for all answers.
  func askAll<Answer>(_ questions: [LogQuestion<Answer>]) -> [Result<Answer, LogError>] {
    let ids = questions.map { _ in answers.nextID() }
    log.submit(zip(ids, questions).map { $1.request($0) })
    return zip(ids, questions).map { id, question in
      do throws(LogError) { return .success(try question.answer(in: answers.wait(for: id))) } catch {
        return .failure(error)
      }
    }
  }

  var rooms: [RoomSummary]? { try? ask(.rooms) }
  var locks: Set<String> { answers.locks }

  func close() {
    log.close()
    answers.waitForEnd()
  }
}

/// The log's answers, for the one thread that waits for them.
final class LogAnswers: Sendable {
  private struct State {
    var lastID: UInt64 = 0
    var events: [UInt64: LogEvent] = [:]
    var locks: Set<String> = []
    /// The log's secret once the log is open, or why the log can't be used.
    var opening: Result<[UInt8]?, StorageFault>?
    /// Why the log isn't open yet, and since when.
    var waiting: (for: StorageFault, sinceMilliseconds: UInt64)?
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
        switch event {
        case .opened(let secret): state.opening = .success(secret)
        case .waiting(let fault):
          StandardError.complain("waiting for the database: \(fault)")
          state.waiting = (fault, state.waiting?.sinceMilliseconds ?? SteadyClock.milliseconds())
        case .unusable(let fault): state.opening = .failure(fault)
        case .locks(let names): state.locks = names
        case .closed: state.isClosed = true
        default: break
        }
        if let id = event.id { state.events[id] = event }
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

  /// - Returns: the log's secret. `nil` if the log doesn't store it.
  func waitForOpening() throws(StorageFault) -> [UInt8]? {
    while true {
      let (opening, waiting) = state.withLock { ($0.opening, $0.waiting) }
      if let opening { return try opening.get() }
      if let waiting, SteadyClock.milliseconds() >= waiting.sinceMilliseconds + LogAnswers.patienceSeconds * 1_000 {
        throw waiting.for
      }
      bell.wait(atMostSeconds: 1)
    }
  }

  /// How long the command waits for an unreachable database. A failover takes less time, and a person who mistyped an
  /// address should soon learn of it.
  private static let patienceSeconds: UInt64 = 10

  /// The rooms that are locked. Empty if the log doesn't store locks.
  var locks: Set<String> { state.withLock { $0.locks } }

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

  func wait(atMostSeconds seconds: Int) {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    _ = sem_timedwait(semaphore, &end)
  }
}
