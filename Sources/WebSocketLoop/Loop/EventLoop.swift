internal import CWebSockets
import Basics
import Glibc
import Synchronization

/// One thread with one libuv loop, and everything that runs on it: sockets, timers, and the jobs of the actors that use
/// it as their executor.
///
/// An actor takes the loop as its `unownedExecutor`. Then a socket's callback and the actor's own jobs run on the same
/// thread, and a handler enters the actor with `assumeIsolated`: a message needs no task, no lock and no thread switch.
///
/// **A turn** is one iteration of the loop. The loop sleeps until sockets or timers are ready. Then it calls the
/// handlers of all ready sockets, runs the jobs that result, and tells each `TurnObserver` that the turn is over. The
/// observers then send in one write what the whole turn has brought. So under load writes get larger, not more
/// numerous.
///
/// **Fair.** After five milliseconds (`turnMicrosecondsMax`) a turn begins no more work; the rest waits for the next.
/// Clients' requests and messages wait in a queue that serves their addresses round-robin (`TurnQueue`).
///
/// **Threads.** `enqueue`, `execute`, `perform`, `listen` and `stop` may be called from any thread. Everything else
/// belongs to the loop's thread; a debug build checks it. A loop lives until `stop()`, even if nobody holds a reference
/// to it.
///
/// `@unchecked Sendable`: the inbox is behind a mutex, the thread's identity is atomic, and everything else is touched
/// by the loop's thread only, which each entry point checks.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  private struct Inbox {
    var work: [LoopWork] = []
    var isClosed = false
  }

  /// The time limit for one turn (iteration of the loop). A turn that has lasted this long begins no more work, so that
  /// other ready sockets and jobs don't wait much longer.
  static let turnMicrosecondsMax: UInt64 = 5_000
  /// The least time that waiting work gets in a turn (iteration of the loop), even if reading from sockets has used up
  /// the turn's time limit.
  private static let workMicrosecondsMin: UInt64 = 1_000
  /// The upper bound on rounds of jobs when the loop ends. There are several because a job can enqueue others.
  private static let lastRoundsMax = 16

  public let name: String
  let uv: UnsafeMutablePointer<uv_loop_t>
  private let wake: UnsafeMutablePointer<uv_async_t>
  private let beforeSleep: UnsafeMutablePointer<uv_prepare_t>
  private let afterPoll: UnsafeMutablePointer<uv_check_t>
  private let stayAwake: UnsafeMutablePointer<uv_idle_t>
  private let inbox = Mutex(Inbox())
  private let threadIdentity = Atomic<UInt>(0)
  private let ended = Semaphore()

  private var posted = Fifo<LoopWork>()
  private var queue = TurnQueue()
  private var observers: [any TurnObserver] = []
  private var turnClock = TurnClock()
  private var turn = LoopTurn()
  /// When the last step of the current turn (iteration of the loop) ended, in microseconds.
  private var stepEndedAt: UInt64 = 0
  /// The thread's processor time at the end of the last turn (iteration of the loop), in microseconds.
  private var processorUsed: UInt64 = 0
  private var isStopping = false
  private var lastIdentifier: UInt64 = 0
  /// Whether clients of this loop may use TLS.
  let speaksTLS: Bool
  private let isPreferred: Bool
  private var guests: [any LoopGuest] = []
  private var takesGuests = true
  var residents: [ObjectIdentifier: any LoopResident] = [:]
  let memory = FreedMemory()
  public internal(set) var counts = LoopCounts()

  /// Starts the thread.
  /// - Parameters:
  ///   - speaksTLS: whether `connect` and `request` take secure endpoints. Setting TLS up takes a millisecond. A server
  ///     doesn't need TLS, because the proxy in front of it handles TLS.
  ///   - isPreferred: whether the tasks of the loop's actors prefer the loop as their executor. Either all of these
  ///     tasks do, or none does (`LoopWork.run`).
  ///   - log: gets the warnings and errors of libwebsockets. The process has only one log: the closure of the newest
  ///     loop gets the messages about all loops, each on the thread of the loop that the message is about.
  public init(
    name: String = "loop",
    speaksTLS: Bool = false,
    isPreferred: Bool = false,
    log: (@Sendable (LoopLogLevel, String) -> Void)? = nil
  ) throws(EventLoopError) {
    self.name = name
    self.speaksTLS = speaksTLS
    self.isPreferred = isPreferred
    uv = .allocate(capacity: 1)
    wake = .allocate(capacity: 1)
    beforeSleep = .allocate(capacity: 1)
    afterPoll = .allocate(capacity: 1)
    stayAwake = .allocate(capacity: 1)
    if let log { LoopLog.route(to: log) } else { LoopLog.quietUnlessRouted() }
    FileLimit.prepare()
    guard uv_loop_init(uv) == 0 else { throw .noLoop(errno) }
    installHandles()
    try startThread()
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    post(.job(UnownedJob(job)))
  }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  public func checkIsolated() {
    precondition(isCurrent, "not on the thread of loop \(name)")
  }

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool {
    threadIdentity.load(ordering: .relaxed) == pthread_self()
  }

  /// Runs `work` on the loop, after everything that the calling thread posted before. Returns false if the loop has
  /// stopped; then `work` never runs.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    post(.closure(work))
  }

  /// Runs `work` on the loop and waits for its result. If the caller is on the loop, `work` runs at once. The loop must
  /// not have stopped.
  @discardableResult
  public func perform<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if isCurrent { return try work() }
    let answer = Answer<Value, Failure>()
    let isPosted = execute { answer.give(Result(catching: work)) }
    precondition(isPosted, "loop \(name) has stopped")
    return try answer.wait().get()
  }

  /// Adds work. From the loop's own thread this takes no lock and no system call. From another thread it wakes the loop,
  /// unless earlier work has already done so.
  @discardableResult
  private func post(_ work: LoopWork) -> Bool {
    if isCurrent {
      posted.append(work)
      return true
    }
    return inbox.withLock { inbox in
      if inbox.isClosed { return false }
      inbox.work.append(work)
      // This call is made while the lock is held. Otherwise the handle could be closed between the check and the call.
      if inbox.work.count == 1 { uv_async_send(wake) }
      return true
    }
  }

  // MARK: Iterations

  /// Tells `observer` of the end of each turn (iteration of the loop), until the loop stops. Observers are told in the
  /// order in which they were registered.
  public func register(_ observer: any TurnObserver) {
    assertCurrent()
    observers.append(observer)
  }

  /// Whether the time limit of this turn (iteration of the loop) is used up, so that no more work should begin. Work
  /// that takes more than some microseconds has to check this first.
  public var isTurnSpent: Bool {
    SteadyClock.microseconds() >= turnClock.turnBegan(atMilliseconds: now) + Self.turnMicrosecondsMax
  }

  /// Puts `taker` into the queue of waiting work. Its `takeTurn` is called once, in this iteration of the loop or a
  /// later one.
  func queueUp(_ taker: any TurnTaker) {
    assertCurrent()
    queue.add(taker)
  }

  /// Called when the loop has woken and the handlers of sockets have run. libuv's clock still has the time at which the
  /// loop woke.
  private func wokeUp() {
    let began = turnClock.turnBegan(atMilliseconds: now)
    stepEndedAt = began
    stepEnded(.receiving)
    queue.admit()
    endTurn(until: max(began + Self.turnMicrosecondsMax, stepEndedAt + Self.workMicrosecondsMin))
  }

  /// Called when the loop is about to sleep. Timers may have run since the loop woke, and may have posted more work.
  private func willSleep() {
    let began = turnClock.turnBegan(atMilliseconds: now)
    stepEndedAt = max(stepEndedAt, began)
    stepEnded(.working)
    endTurn(until: began + Self.turnMicrosecondsMax)
    turn.microseconds = turnClock.turnEnds()
    let used = ProcessorClock.microseconds()
    turn.processorMicroseconds = used - processorUsed
    processorUsed = used
    for observer in observers { observer.turnTook(turn) }
    turn = LoopTurn()
  }

  /// Does the waiting work, tells the observers, and then runs the jobs that the observers posted.
  private func endTurn(until end: UInt64) {
    repeat {
      if stepEndedAt < end { work(until: end) }
      for observer in observers { observer.turnEnded() }
      stepEnded(.sending)
    } while stepEndedAt < end && (!posted.isEmpty || queue.hasNext)
    // While work waits, the next poll doesn't sleep: it has a timeout of zero, and only serves the ready sockets.
    if posted.isEmpty && queue.isEmpty { uv_idle_stop(stayAwake) } else { uv_idle_start(stayAwake) { _ in } }
  }

  /// Runs the posted jobs, and lets each client that waits do one piece of work. After each piece, the jobs that result
  /// from it are run.
  private func work(until end: UInt64) {
    takeForeignWork()
    var step = LoopTurn.Step.working
    while true {
      for _ in 0..<posted.count {
        guard let work = posted.popFirst() else { break }
        work.run(on: self, isPreferred: isPreferred)
        stepEnded(step)
        if stepEndedAt >= end { return }
      }
      guard let (party, taker) = queue.next() else { return }
      step = .serving(party)
      taker.takeTurn()
      stepEnded(step)
      if stepEndedAt >= end { return }
    }
  }

  private func stepEnded(_ step: LoopTurn.Step) {
    let now = SteadyClock.microseconds()
    turn.note(step, now - min(now, stepEndedAt))
    stepEndedAt = now
  }

  private func takeForeignWork() {
    let foreign = inbox.withLock { inbox -> [LoopWork] in
      guard !inbox.work.isEmpty else { return [] }
      defer { inbox.work = [] }
      return inbox.work
    }
    if !foreign.isEmpty { posted.append(contentsOf: foreign) }
  }

  /// Runs all work that is left. There is no time limit, because the loop ends after this.
  private func finish() {
    for _ in 0..<Self.lastRoundsMax {
      work(until: .max)
      for observer in observers { observer.turnEnded() }
      if posted.isEmpty { return }
    }
  }

  /// Milliseconds of a monotonic clock, read once in each iteration of the loop.
  public var now: UInt64 { uv_now(uv) }

  /// A number that no other connection, request or listener of this loop has.
  func nextIdentifier() -> UInt64 {
    lastIdentifier += 1
    return lastIdentifier
  }

  /// Calls `work` on the loop once, after at least `delay` milliseconds, unless the timer is cancelled.
  @discardableResult
  public func schedule(afterMilliseconds delay: UInt64, _ work: @escaping () -> Void) -> LoopTimer {
    assertCurrent()
    let timer = LoopTimer(loop: self, repeats: false, work)
    timer.start(afterMilliseconds: delay)
    return timer
  }

  /// The only object of this type on the loop, made at the first call. `nil` if that fails, or if the loop is ending.
  func guest<Guest: LoopGuest>(_ kind: Guest.Type) -> Guest? {
    assertCurrent()
    guard takesGuests else { return nil }
    for case let guest as Guest in guests { return guest }
    guard let guest = Guest(loop: self) else { return nil }
    guests.append(guest)
    return guest
  }

  // MARK: Ending

  /// Closes every listener, drops every connection and reports this to its handler, runs the jobs that are still
  /// posted, and ends the thread. Returns when that is done. If `stop` is called on the loop's own thread, it returns
  /// at once, and the loop ends after the current iteration. A job that an actor of this loop gets later never runs.
  public func stop() {
    execute { [self] in
      guard !isStopping else { return }
      isStopping = true
      uv_stop(uv)
    }
    if !isCurrent { ended.waitForAll() }
  }

  func assertCurrent() {
    assert(isCurrent, "only on the thread of loop \(name)")
  }

  private func startThread() throws(EventLoopError) {
    do throws(SystemThread.Failure) {
      try SystemThread(handlesSignals: true) { self.runThread() }.detach()
    } catch {
      throw .noThread(error.code)
    }
  }

  private func runThread() {
    threadIdentity.store(pthread_self(), ordering: .relaxed)
    pthread_setname_np(pthread_self(), String(name.prefix(15)))
    uv_run(uv, UV_RUN_DEFAULT)
    tearDown()
    ended.signalAll()
  }

  /// The order matters. Residents (`LoopResident`) are closed first, because their owner has to be told. Guests
  /// (`LoopGuest`) follow, while this loop can still close their handles. Then the loop's own handles are closed, and
  /// finally the loop itself.
  private func tearDown() {
    for resident in Array(residents.values) { resident.loopStops() }
    takesGuests = false
    for guest in guests.reversed() { guest.loopEnds() }
    finish()
    inbox.withLock { $0.isClosed = true }
    finish()
    posted = Fifo()
    queue = TurnQueue()
    observers = []
    uv_walk(uv, EventLoop.closeHandle, Unmanaged.passUnretained(self).toOpaque())
    uv_run(uv, UV_RUN_DEFAULT)
    let left = uv_loop_close(uv)
    assert(left == 0, "the loop still has handles")
    wake.deallocate()
    beforeSleep.deallocate()
    afterPoll.deallocate()
    stayAwake.deallocate()
    uv.deallocate()
    guests = []
    threadIdentity.store(0, ordering: .relaxed)
  }

  /// Closes a handle that is left when the loop ends. A timer that no `LoopGuest` owns is cancelled, which also closes
  /// it.
  private static let closeHandle:
    @convention(c) (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutableRawPointer?) -> Void =
      { handle, loop in
        guard let handle, uv_is_closing(handle) == 0 else { return }
        let isGuests = EventLoop.from(loop).guests.contains { $0.owns(handle) }
        if uv_handle_get_type(handle) == UV_TIMER, !isGuests {
          LoopTimer.from(handle.pointee.data).cancel()
        } else {
          uv_close(handle, nil)
        }
      }

  /// The handles have unretained pointers to the loop, so they are closed before the thread releases the loop.
  private func installHandles() {
    let own = Unmanaged.passUnretained(self).toOpaque()
    uv_async_init(uv, wake) { _ in }
    uv_prepare_init(uv, beforeSleep)
    uv_check_init(uv, afterPoll)
    uv_idle_init(uv, stayAwake)
    beforeSleep.pointee.data = own
    afterPoll.pointee.data = own
    // Timers run before the loop sleeps. Sockets are served after the loop has slept. Both can produce bytes to send,
    // so a turn (iteration of the loop) ends at both points.
    uv_prepare_start(beforeSleep) { EventLoop.from($0!.pointee.data).willSleep() }
    uv_check_start(afterPoll) { EventLoop.from($0!.pointee.data).wokeUp() }
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data!).takeUnretainedValue()
  }
}

public enum EventLoopError: Error, Equatable {
  case noLoop(Int32)
  case noThread(Int32)
}
