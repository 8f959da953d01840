internal import CWebSockets
import Glibc
import Synchronization

/// One thread, one libuv loop, and everything that happens on it: sockets, timers, and the jobs of the actors whose
/// executor it is.
///
/// An actor takes the loop as its `unownedExecutor`; then a socket's callback and the actor's own jobs run on the same
/// thread, and a handler enters the actor with `assumeIsolated`: no task, no lock and no hop for each message.
///
/// **A turn.** The loop sleeps until something is ready, calls the handlers of every socket that is, runs the jobs that
/// came of it, and then tells each `TurnObserver` that the turn is over. What the observers send gathers what a whole
/// turn has brought, so that load makes writes larger, not more numerous.
///
/// **Threads.** `enqueue`, `execute`, `perform`, `listen` and `stop` may be called from any thread. All else belongs to
/// the loop's thread; a debug build checks it. A loop lives until `stop()`, whoever holds it.
///
/// libwebsockets speaks WebSocket on it, both ways; HTTP is spoken by `HTTPConnection`, which hands a socket to
/// libwebsockets once it asks for an upgrade that is granted. Reasons are given there.
///
/// `@unchecked Sendable`: the inbox is behind a mutex, the thread's identity is atomic, and everything else is touched
/// by the loop's thread only, which each entry point checks.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  /// Work that came from another thread, or from this one for later.
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isClosed = false
  }

  /// How many rounds of jobs that enqueue further jobs may run before the sockets are looked at again.
  private static let jobRoundsMax = 16

  public let name: String
  let uv: UnsafeMutablePointer<uv_loop_t>
  private let wake: UnsafeMutablePointer<uv_async_t>
  private let beforeSleep: UnsafeMutablePointer<uv_prepare_t>
  private let afterPoll: UnsafeMutablePointer<uv_check_t>
  private let stayAwake: UnsafeMutablePointer<uv_idle_t>
  private let inbox = Mutex(Inbox())
  private let threadIdentity = Atomic<UInt>(0)
  private let ended = Semaphore()

  private var local: [Work] = []
  private var observers: [any TurnObserver] = []
  private var isStopping = false
  private var lastIdentifier: UInt64 = 0
  private(set) var websockets: WebSocketContext!
  private let speaksTLS: Bool
  /// Looked up when somebody is asked for by TLS for the first time; nothing where OpenSSL can't be used.
  private(set) lazy var trust: TLSTrust? = speaksTLS ? TLSTrust() : nil
  var residents: [ObjectIdentifier: any LoopResident] = [:]
  let memory = FreedMemory()
  public internal(set) var counts = LoopCounts()

  /// Starts the thread.
  /// - Parameters:
  ///   - speaksTLS: whether `connect` and `request` take secure endpoints. It takes a millisecond, and a server has no use
  ///     for it: a proxy before it speaks TLS.
  ///   - log: what libwebsockets complains of. Its log is one for the whole process, so that the newest loop's closure is
  ///     the one that is called, from any loop's thread.
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
    guard let context = WebSocketContext(loop: self, speaksTLS: speaksTLS) else { throw .noContext }
    websockets = context
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

  /// Runs `work` on the loop, after whatever the calling thread posted before. False when the loop has stopped: then
  /// it never runs.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    post(.closure(work))
  }

  /// Runs `work` on the loop and waits for it; at once when the caller is on the loop. The loop must not have stopped.
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

  /// Jobs enqueued on the loop's own thread wait in a plain array: no lock, no system call. Others wake the loop when
  /// they are the first to arrive.
  @discardableResult
  private func post(_ work: Work) -> Bool {
    if isCurrent {
      local.append(work)
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

  /// Has `observer` told at the end of each turn, until the loop stops. Observers are told in the order they came.
  public func register(_ observer: any TurnObserver) {
    assertCurrent()
    observers.append(observer)
  }

  /// Runs what was posted, then the observers, then what those posted.
  fileprivate func endTurn() {
    var rounds = 0
    while true {
      runPosted()
      for observer in observers { observer.turnEnded() }
      rounds += 1
      if local.isEmpty { break }
      if rounds == Self.jobRoundsMax {
        // A zero timeout for the next poll: the sockets get their turn, and nothing waits.
        uv_idle_start(stayAwake) { _ in }
        return
      }
    }
    uv_idle_stop(stayAwake)
  }

  private func runPosted() {
    let foreign = inbox.withLock { inbox -> [Work] in
      guard !inbox.work.isEmpty else { return [] }
      defer { inbox.work = [] }
      return inbox.work
    }
    run(foreign)
    let own = local
    local = []
    run(own)
  }

  private func run(_ work: [Work]) {
    for item in work {
      switch item {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .closure(let closure): closure()
      }
    }
  }

  /// Milliseconds of a monotonic clock, read once a turn.
  public var now: UInt64 { uv_now(uv) }

  /// A number that no other connection, request or listener of this loop has.
  func nextIdentifier() -> UInt64 {
    lastIdentifier += 1
    return lastIdentifier
  }

  /// Calls `work` on the loop once, after at least so many milliseconds, unless cancelled.
  @discardableResult
  public func schedule(afterMilliseconds delay: UInt64, _ work: @escaping () -> Void) -> LoopTimer {
    assertCurrent()
    let timer = LoopTimer(loop: self, repeats: false, work)
    timer.start(afterMilliseconds: delay)
    return timer
  }

  // MARK: Ending

  /// Closes every listener, drops every connection (each handler is told), runs what is still posted, and ends the
  /// thread. Returns when that is done, except on the loop's own thread, where it is done once the turn is over. Jobs
  /// that reach an actor of this loop later are never run.
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

  /// The order matters: what the owner was told of goes first, then libwebsockets while its handles can still close on
  /// this loop, then our own handles, then the loop.
  private func tearDown() {
    for resident in Array(residents.values) { resident.loopStops() }
    websockets.destroy()
    endTurn()
    inbox.withLock { $0.isClosed = true }
    endTurn()
    local = []
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
    websockets = nil
    threadIdentity.store(0, ordering: .relaxed)
  }

  /// Timers that are left are the owner's, who has no more use for them.
  private static let closeHandle:
    @convention(c) (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutableRawPointer?) -> Void =
      { handle, loop in
        guard let handle, uv_is_closing(handle) == 0 else { return }
        let isLibraries = EventLoop.from(loop).websockets.ownHandles.contains(UnsafeMutableRawPointer(handle))
        if uv_handle_get_type(handle) == UV_TIMER, !isLibraries {
          LoopTimer.from(handle.pointee.data).cancel()
        } else {
          uv_close(handle, nil)
        }
      }

  /// The handles point at the loop unretained: they are closed before the thread lets go of it.
  private func installHandles() {
    let own = Unmanaged.passUnretained(self).toOpaque()
    uv_async_init(uv, wake) { _ in }
    uv_prepare_init(uv, beforeSleep)
    uv_check_init(uv, afterPoll)
    uv_idle_init(uv, stayAwake)
    beforeSleep.pointee.data = own
    afterPoll.pointee.data = own
    // Timers run before the loop sleeps and sockets after it: each may have left something to be sent.
    uv_prepare_start(beforeSleep) { EventLoop.from($0!.pointee.data).endTurn() }
    uv_check_start(afterPoll) { EventLoop.from($0!.pointee.data).endTurn() }
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data!).takeUnretainedValue()
  }
}

/// Told when a turn of the loop is over: the moment to send what the turn has gathered. It must be quick when there is
/// nothing to do, since it is also told of empty turns.
public protocol TurnObserver: AnyObject, Sendable {
  func turnEnded()
}

/// What lives on a loop and must go before it does: listeners, HTTP connections, requests under way.
protocol LoopResident: AnyObject {
  func loopStops()
}

/// What a loop has seen, for an operator.
public struct LoopCounts: Sendable {
  /// WebSocket connections that are open now, of servers and clients.
  public internal(set) var connections = 0
  /// HTTP connections that are open now.
  public internal(set) var exchanges = 0
  public internal(set) var bytesReceived: UInt64 = 0
  public internal(set) var bytesSent: UInt64 = 0
  /// How often a connection had to wait until its socket took more.
  public internal(set) var stalls: UInt64 = 0
}

public enum EventLoopError: Error, Equatable {
  case noLoop(Int32)
  case noContext
  case noThread(Int32)
}
