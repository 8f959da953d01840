internal import CWebSockets
import Glibc
import Synchronization

/// One thread with one libuv loop, and everything that runs on it: sockets, timers, and the jobs of the actors that use
/// it as their executor.
///
/// An actor takes the loop as its `unownedExecutor`. Then a socket's callback and the actor's own jobs run on the same
/// thread, and a handler enters the actor with `assumeIsolated`: no task, no lock and no hop for each message.
///
/// **A turn.** The loop sleeps until something is ready, calls the handlers of all sockets that are, runs the resulting
/// jobs, and then tells each `TurnObserver` that the turn is over. The observers then send what the whole turn has
/// brought. So load makes writes larger, not more numerous.
///
/// **Fair.** A turn lasts at most five milliseconds (`turnMicrosecondsMax`); what is left waits for the next one.
/// Clients' requests and messages wait in a queue in which their addresses take turns (`TurnQueue`).
///
/// **Threads.** `enqueue`, `execute`, `perform`, `listen` and `stop` may be called from any thread. Everything else belongs to
/// the loop's thread; a debug build checks it. A loop lives until `stop()`, even if nobody holds it.
///
/// `@unchecked Sendable`: the inbox is behind a mutex, the thread's identity is atomic, and everything else is touched
/// by the loop's thread only, which each entry point checks.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  /// Work from another thread, or from this one for later.
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isClosed = false
  }

  /// After this time a turn begins nothing more. So everything that is ready waits hardly longer.
  static let turnMicrosecondsMax: UInt64 = 5_000
  /// If reading from sockets has taken the whole turn, this much time is still given to the waiting work.
  private static let workMicrosecondsMin: UInt64 = 1_000
  /// How many rounds of jobs that enqueue further jobs may run while the loop ends.
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

  private var posted = Fifo<Work>()
  private var queue = TurnQueue()
  private var observers: [any TurnObserver] = []
  private var turnClock = TurnClock()
  private var turn = LoopTurn()
  /// When the last step of the turn ended, in microseconds.
  private var stepEndedAt: UInt64 = 0
  /// The thread's processor time when the last turn ended, in microseconds.
  private var processorUsed: UInt64 = 0
  private var isStopping = false
  private var lastIdentifier: UInt64 = 0
  /// Whether clients of this loop may use TLS.
  let speaksTLS: Bool
  private var guests: [any LoopGuest] = []
  private var takesGuests = true
  var residents: [ObjectIdentifier: any LoopResident] = [:]
  let memory = FreedMemory()
  public internal(set) var counts = LoopCounts()

  /// Starts the thread.
  /// - Parameters:
  ///   - speaksTLS: whether `connect` and `request` take secure endpoints. Setting TLS up takes a millisecond. A
  ///     server doesn't need it, because a proxy in front of it does TLS.
  ///   - log: gets the warnings and errors of libwebsockets. The whole process has one log: the closure of the newest
  ///     loop gets all of them, from any loop's thread.
  public init(
    name: String = "loop",
    speaksTLS: Bool = false,
    log: (@Sendable (LoopLogLevel, String) -> Void)? = nil
  ) throws(EventLoopError) {
    self.name = name
    self.speaksTLS = speaksTLS
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
  /// stopped: then the work never runs.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    post(.closure(work))
  }

  /// Runs `work` on the loop and waits for it; at once if the caller is on the loop. The loop must not have stopped.
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

  /// A job from the loop's own thread waits in a plain queue, without a lock or a system call. A job from another
  /// thread wakes the loop unless another job has woken it already.
  @discardableResult
  private func post(_ work: Work) -> Bool {
    if isCurrent {
      posted.append(work)
      return true
    }
    return inbox.withLock { inbox in
      if inbox.isClosed { return false }
      inbox.work.append(work)
      // Inside the lock, so that the handle can't be closed between the check and the call.
      if inbox.work.count == 1 { uv_async_send(wake) }
      return true
    }
  }

  // MARK: Turns

  /// Tells `observer` of the end of each turn, until the loop stops. Observers are told in the order in which they registered.
  public func register(_ observer: any TurnObserver) {
    assertCurrent()
    observers.append(observer)
  }

  /// Whether this turn should begin nothing more. To be checked before anything that takes more than some microseconds.
  public var isTurnSpent: Bool {
    TurnClock.microseconds() >= turnClock.turnBegan(atMilliseconds: now) + Self.turnMicrosecondsMax
  }

  /// `taker` has something to do. Its function is called once, in this turn or a later one.
  func queueUp(_ taker: any TurnTaker) {
    assertCurrent()
    queue.add(taker)
  }

  /// The loop has woken, and the handlers of sockets have run. The loop's own clock still has the time at which it woke.
  private func wokeUp() {
    let began = turnClock.turnBegan(atMilliseconds: now)
    stepEndedAt = began
    stepEnded(.receiving)
    queue.admit()
    endTurn(until: max(began + Self.turnMicrosecondsMax, stepEndedAt + Self.workMicrosecondsMin))
  }

  /// The loop is about to sleep. Timers may have run since it woke.
  private func willSleep() {
    let began = turnClock.turnBegan(atMilliseconds: now)
    stepEndedAt = max(stepEndedAt, began)
    stepEnded(.working)
    endTurn(until: began + Self.turnMicrosecondsMax)
    turn.microseconds = turnClock.turnEnds()
    let used = TurnClock.processorMicroseconds()
    turn.processorMicroseconds = used - processorUsed
    processorUsed = used
    for observer in observers { observer.turnTook(turn) }
    turn = LoopTurn()
  }

  /// Does the waiting work, tells the observers, and then does what those posted.
  private func endTurn(until end: UInt64) {
    repeat {
      if stepEndedAt < end { work(until: end) }
      for observer in observers { observer.turnEnded() }
      stepEnded(.sending)
    } while stepEndedAt < end && (!posted.isEmpty || queue.hasNext)
    // A zero timeout for the next poll: sockets get their turn without a wait.
    if posted.isEmpty && queue.isEmpty { uv_idle_stop(stayAwake) } else { uv_idle_start(stayAwake) { _ in } }
  }

  /// Runs posted jobs, and gives the waiting takers one turn each, together with the jobs that result.
  private func work(until end: UInt64) {
    takeForeignWork()
    var step = LoopTurn.Step.working
    while true {
      for _ in 0..<posted.count {
        guard let work = posted.popFirst() else { break }
        run(work)
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
    let now = TurnClock.microseconds()
    turn.note(step, now - min(now, stepEndedAt))
    stepEndedAt = now
  }

  private func takeForeignWork() {
    let foreign = inbox.withLock { inbox -> [Work] in
      guard !inbox.work.isEmpty else { return [] }
      defer { inbox.work = [] }
      return inbox.work
    }
    if !foreign.isEmpty { posted.append(contentsOf: foreign) }
  }

  private func run(_ work: Work) {
    switch work {
    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    case .closure(let closure): closure()
    }
  }

  /// Runs everything that is left, without a time limit, since there are no more turns.
  private func finish() {
    for _ in 0..<Self.lastRoundsMax {
      work(until: .max)
      for observer in observers { observer.turnEnded() }
      if posted.isEmpty { return }
    }
  }

  /// Milliseconds of a monotonic clock, read once a turn.
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

  /// The loop's one guest of a kind, made when it is first asked for. `nil` if it can't be made, or the loop is ending.
  func guest<Guest: LoopGuest>(_ kind: Guest.Type) -> Guest? {
    assertCurrent()
    guard takesGuests else { return nil }
    for case let guest as Guest in guests { return guest }
    guard let guest = Guest(loop: self) else { return nil }
    guests.append(guest)
    return guest
  }

  // MARK: Ending

  /// Closes every listener, drops every connection and tells its handler, runs what is still posted, and ends the
  /// thread. Returns when that is done. If it is called on the loop's own thread, it returns at once, and the loop ends
  /// after the turn. Jobs that an actor of this loop gets later never run.
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
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(self).toOpaque()
    let failure = pthread_create(
      &thread,
      nil,
      { opaque in
        let loop = Unmanaged<EventLoop>.fromOpaque(opaque!).takeRetainedValue()
        loop.runThread()
        return nil
      },
      retained
    )
    guard failure == 0 else {
      Unmanaged<EventLoop>.fromOpaque(retained).release()
      throw .noThread(failure)
    }
    pthread_detach(thread)
  }

  private func runThread() {
    threadIdentity.store(pthread_self(), ordering: .relaxed)
    pthread_setname_np(pthread_self(), String(name.prefix(15)))
    uv_run(uv, UV_RUN_DEFAULT)
    tearDown()
    ended.signalAll()
  }

  /// The order matters. Residents go first, because the owner knows them. Guests are next, while their handles can
  /// still be closed on this loop. Then our own handles are closed, and the loop last.
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

  /// The remaining timers belong to guests or to the owner, who no longer need them.
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

  /// The handles have unretained pointers to the loop: they are closed before the thread releases it.
  private func installHandles() {
    let own = Unmanaged.passUnretained(self).toOpaque()
    uv_async_init(uv, wake) { _ in }
    uv_prepare_init(uv, beforeSleep)
    uv_check_init(uv, afterPoll)
    uv_idle_init(uv, stayAwake)
    beforeSleep.pointee.data = own
    afterPoll.pointee.data = own
    // Timers run before the loop sleeps and sockets after it: each may have left something to be sent.
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
