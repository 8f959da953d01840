import Glibc
import Synchronization

/// Has what takes long done beside itself, by turns of those who ask for it.
protocol HeavyWorker: Actor {
  /// Does the work where it delays nobody, when the party's turn comes, and returns what came of it.
  func workOut<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async throws(HeavyWork.Refusal) -> Value
}

/// Threads of their own for work that takes longer than others should wait: overlaps, history, documents of large rooms.
///
/// The loop must not do it, because everyone waits for the loop. Swift's own pool must not either: it has a thread for each
/// processor, and two long jobs would take all of it.
///
/// **Fair.** Each piece of work belongs to a party: a client's address, or a room. The parties take turns, so whoever asks for
/// a lot waits for it, and others don't. No party ever has all threads.
///
/// **Bounded.** A party has a bound on what may wait. A job that is cancelled while it waits is not done.
///
/// `@unchecked Sendable`: everything that changes is behind the mutex, and the semaphore is made to be shared.
final class HeavyWork: @unchecked Sendable {
  /// Why something is not done.
  enum Refusal: Error {
    /// As much of this party's work waits as may.
    case busy
    /// Nobody waits for it any more.
    case cancelled
  }

  /// Raised when nobody waits for a piece of work any more, perhaps before it came to wait itself.
  fileprivate final class Withdrawal: Sendable {
    let isRaised = Atomic(false)
  }

  fileprivate struct Piece {
    let withdrawal: Withdrawal
    let work: @Sendable () -> Void
    /// Called instead of the work if it is cancelled.
    let drop: @Sendable () -> Void
  }

  fileprivate struct State {
    var waiting: [String: [Piece]] = [:]
    /// The parties with anything that waits, in the order of their turns.
    var turns: [String] = []
    var running: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let threadsOfPartyMax: Int
  private let waitingMax: Int
  private let signal: UnsafeMutablePointer<sem_t>

  /// - Parameters:
  ///   - threads: at least two, so that one party never has all of them.
  ///   - waitingMax: how much of one party's work may wait.
  init(threads: Int = HeavyWork.threadsForThisMachine, waitingMax: Int = 32) {
    precondition(threads >= 2, "one party may not have all threads")
    threadsOfPartyMax = threads - 1
    self.waitingMax = waitingMax
    signal = .allocate(capacity: 1)
    sem_init(signal, 0, 0)
    for _ in 0..<threads { startThread() }
  }

  private static var threadsForThisMachine: Int { max(2, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

  /// Does the work on one of the threads, and returns what came of it.
  /// - Parameter isBounded: whether it is refused if too much of the party's work waits.
  func run<Value: Sendable>(
    for party: String,
    isBounded: Bool = true,
    _ work: @escaping @Sendable () -> Value
  ) async throws(Refusal) -> Value {
    let withdrawal = Withdrawal()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Refusal>, Never>) in
        let piece = Piece(
          withdrawal: withdrawal,
          work: { continuation.resume(returning: .success(work())) },
          drop: { continuation.resume(returning: .failure(.cancelled)) }
        )
        switch add(piece, for: party, isBounded: isBounded) {
        case nil: sem_post(signal)
        case let refusal?: continuation.resume(returning: .failure(refusal))
        }
      }
    } onCancel: {
      withdrawal.isRaised.store(true, ordering: .sequentiallyConsistent)
      remove(withdrawal, of: party)
    }
    return try result.get()
  }

  private func add(_ piece: Piece, for party: String, isBounded: Bool) -> Refusal? {
    state.withLock { state in
      if piece.withdrawal.isRaised.load(ordering: .sequentiallyConsistent) { return .cancelled }
      let waits = state.waiting[party]?.count ?? 0
      if isBounded, waits >= waitingMax { return .busy }
      if waits == 0 { state.turns.append(party) }
      state.waiting[party, default: []].append(piece)
      return nil
    }
  }

  private func remove(_ withdrawal: Withdrawal, of party: String) {
    let piece = state.withLock { state -> Piece? in
      guard let index = state.waiting[party]?.firstIndex(where: { $0.withdrawal === withdrawal }) else { return nil }
      let piece = state.waiting[party]?.remove(at: index)
      if state.waiting[party]?.isEmpty == true { state.forget(party) }
      return piece
    }
    piece?.drop()
  }

  /// How much is waiting or being done, for the operator.
  var count: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } + $0.running.values.reduce(0, +) } }

  // MARK: The threads

  private func startThread() {
    var thread = pthread_t()
    // Signals go to the thread that waits for them.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let failure = pthread_create(
      &thread,
      nil,
      { opaque in
        // The threads live as long as the process.
        Unmanaged<HeavyWork>.fromOpaque(opaque!).takeUnretainedValue().work()
        return nil
      },
      Unmanaged.passRetained(self).toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(failure == 0, "no thread for heavy work")
    pthread_detach(thread)
  }

  private func work() {
    // Linux keeps this for each thread. Where processors are short, the loop goes first.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, HeavyWork.niceness)
    while true {
      while sem_wait(signal) != 0 {}
      // Several threads may have been woken for a party that has all of its threads. The next thread that ends looks
      // again.
      while let (party, piece) = state.withLock({ $0.next(threadsOfPartyMax: threadsOfPartyMax) }) {
        piece.work()
        state.withLock { $0.ended(party) }
      }
    }
  }

  private static let niceness: Int32 = 5
}

extension HeavyWork.State {
  /// The next piece of work: of the party whose turn it is, unless that has as many threads as it may.
  fileprivate mutating func next(threadsOfPartyMax: Int) -> (party: String, HeavyWork.Piece)? {
    guard let turn = turns.firstIndex(where: { running[$0, default: 0] < threadsOfPartyMax }) else { return nil }
    let party = turns.remove(at: turn)
    guard var pieces = waiting[party], !pieces.isEmpty else { return nil }
    let piece = pieces.removeFirst()
    if pieces.isEmpty {
      waiting[party] = nil
    } else {
      waiting[party] = pieces
      turns.append(party)
    }
    running[party, default: 0] += 1
    return (party, piece)
  }

  fileprivate mutating func ended(_ party: String) {
    let left = running[party, default: 1] - 1
    running[party] = left > 0 ? left : nil
  }

  fileprivate mutating func forget(_ party: String) {
    waiting[party] = nil
    turns.removeAll { $0 == party }
  }
}
