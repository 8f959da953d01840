/// Runs the jobs of an actor and of tasks when it is told to, one after another in the order in which they came, on the
/// thread that tells it. So what runs beside the actor elsewhere runs here too, and a history repeats to the byte.
///
/// `@unchecked Sendable`: a history has an executor of its own, and runs in one thread.
final class HandTurnedExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func checkIsolated() {}
  func isIsolatingCurrentContext() -> Bool? { true }

  var hasJobs: Bool { !jobs.isEmpty }

  /// Runs the next job up to where it waits.
  func runJob() {
    jobs.removeFirst().runSynchronously(
      isolatedTo: asUnownedSerialExecutor(),
      taskExecutor: asUnownedTaskExecutor()
    )
  }
}
