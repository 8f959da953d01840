/// Work that another thread posted, or that the loop's own thread postponed.
enum LoopWork {
  case job(UnownedJob)
  case closure(@Sendable () -> Void)

  /// Runs a job as its task expects: Swift compares the executor that the task prefers with the one that runs it. If
  /// they differ, the task goes to the end of the queue at each call of an async function, even if nothing there waits.
  /// So what a function checked before the call may no longer hold in the call, and a waiting task misses its wake-up.
  func run(on loop: EventLoop, isPreferred: Bool) {
    switch self {
    case .job(let job) where isPreferred:
      job.runSynchronously(isolatedTo: loop.asUnownedSerialExecutor(), taskExecutor: loop.asUnownedTaskExecutor())
    case .job(let job): job.runSynchronously(on: loop.asUnownedSerialExecutor())
    case .closure(let closure): closure()
    }
  }
}
