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
  ///   - purpose: what a directory is opened for.
  init(
    _ place: Configuration.Storage,
    mayCreate: Bool = false,
    secret: [UInt8]? = nil,
    for purpose: SQLiteOptions.Purpose = .serving
  ) throws(StorageFault) {
    try self.init { (sink: @escaping LogSink) throws(StorageFault) -> any RoomLog in
      switch place {
      case .directory(let directory):
        var options = SQLiteOptions()
        options.offeredSecret = secret
        options.purpose = purpose
        return try SQLiteLog(directory: directory, options: options, sink: sink)
      case .postgres(let url): return try PostgresLog(url, mayCreate: mayCreate, secret: secret, sink: sink)
      case .memory: throw .missing(path: "memory")
      }
    }
  }

  init(
    clock: @escaping @Sendable () -> UInt64 = SteadyClock.milliseconds,
    _ make: (_ sink: @escaping LogSink) throws(StorageFault) -> any RoomLog
  ) throws(StorageFault) {
    let answers = LogAnswers(clock: clock)
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
    var silence: Silence?
    var isClosed = false

    mutating func waits(for fault: StorageFault, now: UInt64) {
      var silence = self.silence ?? Silence(fault: fault, sinceMilliseconds: now)
      silence.fault = fault
      if silence.told.insert(fault).inserted { StandardError.complain("waiting for the database: \(fault)") }
      self.silence = silence
    }

    /// The answer to a request that was sent at `start`. `nil` while one can come.
    mutating func answer(to id: UInt64, sentAt start: UInt64, now: UInt64) -> LogEvent? {
      if let event = events.removeValue(forKey: id) { return event }
      guard let silence else { return nil }
      if now >= max(silence.sinceMilliseconds, start) + LogAnswers.silenceSeconds * 1_000 {
        self.silence?.isGivenUp = true
      } else if !silence.isGivenUp {
        return nil
      }
      return .failed(id: id, room: nil, .unavailable(silence.fault))
    }
  }

  /// A time in which the log doesn't answer.
  private struct Silence {
    /// Why, as was told last.
    var fault: StorageFault
    let sinceMilliseconds: UInt64
    /// The reasons that were told.
    var told: Set<StorageFault> = []
    /// Whether a request was given up. Then no other waits either.
    var isGivenUp = false
  }

  private let state = Mutex(State())
  private let bell = Bell()
  /// Milliseconds of a clock that is never set.
  private let clock: @Sendable () -> UInt64

  init(clock: @escaping @Sendable () -> UInt64) { self.clock = clock }

  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  func take(_ events: [LogEvent]) {
    let now = clock()
    state.withLock { state in
      for event in events {
        switch event {
        case .opened(let secret):
          state.opening = .success(secret)
          state.silence = nil
        case .waiting(let fault): state.waits(for: fault, now: now)
        // A directory refuses at once what it can't store. Of a database that is out of reach no answer may come.
        case .availability(room: nil, let fault?):
          switch fault {
          case .database, .unfit: state.waits(for: fault, now: now)
          default: break
          }
        case .availability(room: nil, nil): state.silence = nil
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

  /// Gives up if the database is unreachable for `silenceSeconds`.
  func wait(for id: UInt64) -> LogEvent {
    let start = clock()
    while true {
      let now = clock()
      if let event = state.withLock({ $0.answer(to: id, sentAt: start, now: now) }) { return event }
      bell.wait(atMostSeconds: 1)
    }
  }

  /// - Returns: the log's secret. `nil` if the log doesn't store it.
  func waitForOpening() throws(StorageFault) -> [UInt8]? {
    while true {
      let (opening, silence) = state.withLock { ($0.opening, $0.silence) }
      if let opening { return try opening.get() }
      if let silence, clock() >= silence.sinceMilliseconds + LogAnswers.patienceSeconds * 1_000 { throw silence.fault }
      bell.wait(atMostSeconds: 1)
    }
  }

  /// How long the command waits for a database that it has not reached yet. A person who mistyped an address should soon
  /// learn of it.
  private static let patienceSeconds: UInt64 = 10
  /// How long the command waits for a database that it has reached before. A failover takes less time.
  private static let silenceSeconds: UInt64 = 60

  /// The rooms that are locked. Empty if the log doesn't store locks.
  var locks: Set<String> { state.withLock { $0.locks } }

  func waitForEnd() {
    while !state.withLock({ $0.isClosed || $0.silence?.isGivenUp == true }) { bell.wait() }
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
