import Basics
import Glibc
import Synchronization

/// An actor that can hand long work to other threads. The threads serve parties (clients' addresses)
/// round-robin.
protocol HeavyWorker: Actor {
  /// Does the work for a party (a client's address) on another thread, and returns the result.
  func workOut<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async throws(HeavyWork.Refusal) -> Value

  /// Frees a value on another thread, after the present job has dropped the value. Freeing a room of 90,000 shapes
  /// takes more than twenty milliseconds.
  /// - Parameter shapes: how many shapes the value has. If they are few, the job itself may free it.
  func free(_ value: some Sendable, shapes: Int)
}

/// Threads for long work: overlaps, history, documents of large rooms.
///
/// The event loop must not do such work, because every client waits for the loop. Swift's own pool must not do it
/// either: the pool has one thread for each processor, and a few long jobs would take all of them.
///
/// **Fair.** Each job belongs to a party: a client's address, or several that wait for the same. The threads serve the
/// parties round-robin, so a party that asks for a lot delays only itself. No party ever has all threads.
///
/// **Bounded.** The number of a party's waiting jobs has a bound. Jobs that must not be refused don't count towards it.
/// All bounded jobs together never have all threads, because one of them can take seconds, such as a picture of a large
/// room. Meanwhile others can open rooms. A job that is cancelled while it waits is not done.
///
/// `@unchecked Sendable`: everything that changes is behind the mutex, and semaphores are made to be shared by threads.
final class HeavyWork: @unchecked Sendable {
  /// Why a job is not done.
  enum Refusal: Error {
    /// Too many jobs of the same client are waiting already.
    case busy
    /// The caller was cancelled before the job began.
    case cancelled
  }

  /// A flag that says that the caller was cancelled. The flag can be set before the job is in the queue.
  fileprivate final class Withdrawal: Sendable {
    let isRaised = Atomic(false)
  }

  /// The parties that wait for the same work, such as the opening of a room. Each piece of the work is done as soon as
  /// any of these parties has its turn.
  ///
  /// `@unchecked Sendable`: everything in it is touched only while the state's lock is held.
  final class Askers: @unchecked Sendable {
    fileprivate private(set) var parties: [String] = []
    /// The same parties as a set, because a thousand clients can ask for one room at the same time.
    private var members: Set<String> = []
    /// The piece of the work that waits for a thread now.
    fileprivate var piece: Piece?

    /// - Returns: false if the party was added before.
    fileprivate func add(_ party: String) -> Bool {
      guard members.insert(party).inserted else { return false }
      parties.append(party)
      return true
    }
  }

  fileprivate struct Piece {
    let askers: Askers
    let withdrawal: Withdrawal
    let isBounded: Bool
    let work: @Sendable () -> Void
    /// Called instead of `work` if the job was cancelled.
    let drop: @Sendable () -> Void
  }

  fileprivate struct State {
    /// By party: its waiting jobs. No party has an empty list.
    var waiting: [String: [Piece]] = [:]
    /// The parties with waiting jobs, in the order in which they are served.
    var turns: [String] = []
    var running: [String: Int] = [:]
    var boundedRunning = 0
  }

  private let state = Mutex(State())
  /// How many threads a party may have, and how many all bounded jobs together.
  private let threadsMax: Int
  private let waitingMax: Int
  private let signal: UnsafeMutablePointer<sem_t>

  /// - Parameters:
  ///   - threads: 0, or at least two, so that one client never has all of them. With 0, the caller does the
  ///     jobs that it gets from `takeNext`.
  ///   - waitingMax: at most this many jobs of one client wait. Jobs that must not be refused don't count.
  init(threads: Int = HeavyWork.threadsForThisMachine, waitingMax: Int = 32) {
    precondition(threads != 1, "one party may not have all threads")
    threadsMax = max(1, threads - 1)
    self.waitingMax = waitingMax
    signal = .allocate(capacity: 1)
    sem_init(signal, 0, 0)
    for _ in 0..<threads { startThread() }
  }

  private static var threadsForThisMachine: Int { max(2, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

  /// Does the work on one of the threads, and returns the result.
  /// - Parameter isBounded: whether the job is refused if too many bounded jobs of the same client wait.
  nonisolated(nonsending) func run<Value: Sendable>(
    for party: String,
    isBounded: Bool = true,
    _ work: @escaping @Sendable () -> Value
  ) async throws(Refusal) -> Value {
    let askers = Askers()
    join(askers, party)
    return try await run(for: askers, isBounded: isBounded, work)
  }

  /// From now on, `party` waits for the same work that other parties wait for already.
  func join(_ askers: Askers, _ party: String) {
    if state.withLock({ $0.join(askers, party) }) { sem_post(signal) }
  }

  /// Does work that several parties can wait for, and returns its result.
  nonisolated(nonsending) func run<Value: Sendable>(
    for askers: Askers,
    isBounded: Bool = false,
    _ work: @escaping @Sendable () -> Value
  ) async throws(Refusal) -> Value {
    let withdrawal = Withdrawal()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Refusal>, Never>) in
        let piece = Piece(
          askers: askers,
          withdrawal: withdrawal,
          isBounded: isBounded,
          work: { continuation.resume(returning: .success(work())) },
          drop: { continuation.resume(returning: .failure(.cancelled)) }
        )
        switch add(piece) {
        case nil: sem_post(signal)
        case let refusal?: continuation.resume(returning: .failure(refusal))
        }
      }
    } onCancel: {
      withdrawal.isRaised.store(true, ordering: .sequentiallyConsistent)
      remove(withdrawal, of: askers)
    }
    return try result.get()
  }

  private func add(_ piece: Piece) -> Refusal? {
    state.withLock { state in
      if piece.withdrawal.isRaised.load(ordering: .sequentiallyConsistent) { return .cancelled }
      let parties = piece.askers.parties
      if piece.isBounded, parties.contains(where: { state.boundedCount(of: $0) >= waitingMax }) { return .busy }
      state.add(piece)
      return nil
    }
  }

  private func remove(_ withdrawal: Withdrawal, of askers: Askers) {
    let piece = state.withLock { state -> Piece? in
      guard let piece = askers.piece, piece.withdrawal === withdrawal else { return nil }
      state.takeOut(piece)
      return piece
    }
    piece?.drop()
  }

  /// How many jobs are waiting or being done, for the metrics.
  var count: Int { state.withLock { $0.waitingCount + $0.running.values.reduce(0, +) } }

  // MARK: The threads

  private func startThread() {
    do throws(SystemThread.Failure) {
      try SystemThread { self.work() }.detach()
    } catch {
      preconditionFailure("no thread for heavy work: \(error)")
    }
  }

  private func work() {
    // On Linux each thread has a priority of its own. The priority of these threads is lower than the loop's, so they
    // give way if there are too few processors.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, HeavyWork.niceness)
    while true {
      while sem_wait(signal) != 0 {}
      // Some waiting jobs are not for this thread: their party, or all bounded jobs, already use as many threads as they
      // may. One of those threads takes them when it becomes free.
      while let job = takeNext() { job() }
    }
  }

  /// The job that comes next. `nil` if none may begin now.
  func takeNext() -> (() -> Void)? {
    guard let (party, piece) = state.withLock({ $0.next(threadsMax: threadsMax) }) else { return nil }
    return { [self] in
      piece.work()
      let areOthersWaiting = state.withLock { $0.ended(piece, for: party) }
      // This thread goes on with its party's other jobs perhaps, and a bounded job of another party may begin now.
      if piece.isBounded, areOthersWaiting { sem_post(signal) }
    }
  }

  private static let niceness: Int32 = 5

  /// The name under which jobs that free unneeded memory are queued.
  static let freeing = "freeing"
  /// Freeing this many shapes takes about a quarter of a millisecond.
  static let shapesWorthAThread = 1_000
}

extension HeavyWork.State {
  /// The next job. It comes from the first party in `turns` that has fewer than `threadsMax` threads and waits for a job
  /// that may begin now.
  fileprivate mutating func next(threadsMax: Int) -> (party: String, HeavyWork.Piece)? {
    for (turn, party) in turns.enumerated() where running[party, default: 0] < threadsMax {
      guard let piece = waiting[party]?.first(where: { !$0.isBounded || boundedRunning < threadsMax }) else { continue }
      turns.append(turns.remove(at: turn))
      takeOut(piece)
      running[party, default: 0] += 1
      if piece.isBounded { boundedRunning += 1 }
      return (party, piece)
    }
    return nil
  }

  fileprivate func boundedCount(of party: String) -> Int { waiting[party]?.count(where: \.isBounded) ?? 0 }

  /// How many jobs wait. A job that several parties wait for counts once.
  fileprivate var waitingCount: Int {
    waiting.reduce(0) { sum, party in sum + party.value.count { $0.askers.parties.first == party.key } }
  }

  /// - Returns: whether this call has queued a job for this party, so that a thread should be woken for it.
  fileprivate mutating func join(_ askers: HeavyWork.Askers, _ party: String) -> Bool {
    guard askers.add(party), let piece = askers.piece else { return false }
    add(piece, for: party)
    return true
  }

  fileprivate mutating func add(_ piece: HeavyWork.Piece) {
    precondition(!piece.askers.parties.isEmpty && piece.askers.piece == nil, "one piece at a time, for somebody")
    piece.askers.piece = piece
    for party in piece.askers.parties { add(piece, for: party) }
  }

  private mutating func add(_ piece: HeavyWork.Piece, for party: String) {
    if waiting[party] == nil { turns.append(party) }
    waiting[party, default: []].append(piece)
  }

  /// Takes a waiting job out of the lists of all its parties.
  fileprivate mutating func takeOut(_ piece: HeavyWork.Piece) {
    piece.askers.piece = nil
    var isAnyIdle = false
    for party in piece.askers.parties {
      waiting[party]?.removeAll { $0.withdrawal === piece.withdrawal }
      guard waiting[party]?.isEmpty == true else { continue }
      waiting[party] = nil
      isAnyIdle = true
    }
    // All idle parties are removed in one pass, because there can be a thousand of them.
    if isAnyIdle { turns.removeAll { waiting[$0] == nil } }
  }

  /// - Returns: whether jobs wait.
  fileprivate mutating func ended(_ piece: HeavyWork.Piece, for party: String) -> Bool {
    running.countDown(party)
    if piece.isBounded { boundedRunning -= 1 }
    return !turns.isEmpty
  }
}
