import Glibc

@testable import WebSocketLoop

/// A loop without sockets and without a thread. Its time passes when a test says so, and it runs jobs and timers on the
/// test's own thread, in the order in which they came. So a history repeats to the byte.
///
/// `@unchecked Sendable`: each loop belongs to one test, which runs on one thread.
final class VirtualLoop: ServerLoop, @unchecked Sendable {
  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  final class Timer: ServerTimer {
    fileprivate let due: UInt64
    fileprivate var work: (() -> Void)?

    fileprivate init(due: UInt64, _ work: @escaping () -> Void) {
      self.due = due
      self.work = work
    }

    func cancel() { work = nil }
  }

  final class Listening: ServerListening {
    let port = 1
    let connectionsMax: Int
    private(set) var isClosed = false

    fileprivate init(connectionsMax: Int) { self.connectionsMax = connectionsMax }

    func close() { isClosed = true }
  }

  private(set) var now: UInt64
  let counts = LoopCounts()
  private var posted: [Work] = []
  /// Timers in the order in which they fire.
  private var timers: [Timer] = []
  private var observers: [any TurnObserver] = []

  private let thread = pthread_self()

  /// - Parameter now: the time by the loop's monotonic clock.
  init(now: UInt64 = 1_000) { self.now = now }

  // MARK: As the hub sees it

  func enqueue(_ job: consuming ExecutorJob) {
    // The hub's work must be done on this thread. Work that is isolated to no actor would run in Swift's thread pool,
    // and would end at an unpredictable time.
    precondition(pthread_equal(thread, pthread_self()) != 0, "a part of the hub's work was done in Swift's pool")
    posted.append(.job(UnownedJob(job)))
  }
  func checkIsolated() {}
  func isIsolatingCurrentContext() -> Bool? { true }

  func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    posted.append(.closure(work))
    return true
  }

  func schedule(afterMilliseconds delay: UInt64, _ work: @escaping () -> Void) -> Timer {
    let timer = Timer(due: now + max(delay, 1), work)
    timers.insert(timer, at: timers.firstIndex { $0.due > timer.due } ?? timers.count)
    return timer
  }

  func register(_ observer: any TurnObserver) { observers.append(observer) }

  func listen(host: String, port: Int, options: ListenOptions, handler: any ServerHandler) -> Listening {
    Listening(connectionsMax: options.connectionsMax)
  }

  // MARK: As the test sees it

  var hasWork: Bool { !posted.isEmpty }

  /// How many timers have yet to fire.
  var timerCount: Int { timers.count { $0.work != nil } }

  /// Sets the clock, without firing timers.
  func pass(to time: UInt64) { now = max(now, time) }

  /// One turn (iteration) of the loop. Until nothing is left, it fires the timers that are due, runs what was posted,
  /// and tells the observers.
  func turn() {
    while let first = timers.first, first.due <= now {
      timers.removeFirst()
      first.work?()
    }
    repeat {
      runPosted()
      for observer in observers { observer.turnEnded() }
    } while !posted.isEmpty
  }

  /// Drops all timers and observers, so that nothing holds the loop and its owner any more.
  func end() {
    timers = []
    observers = []
  }

  /// Fires all timers that there are now, whenever they are due.
  func fireAll() {
    let all = timers
    timers = []
    for timer in all { timer.work?() }
  }

  private func runPosted() {
    while !posted.isEmpty {
      let work = posted
      posted = []
      for work in work {
        switch work {
        case .job(let job):
          job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .closure(let closure): closure()
        }
      }
    }
  }
}
