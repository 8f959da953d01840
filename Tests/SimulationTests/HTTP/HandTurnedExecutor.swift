/// Runs the jobs of an actor and of tasks when the simulation says so: one after another, in the order in which they
/// came, and on the simulation's thread. The jobs that a server runs on other threads are run in the same way, so a
/// history repeats to the byte.
///
/// `@unchecked Sendable`: each history has an executor of its own, and runs on one thread.
final class HandTurnedExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func checkIsolated() {}
  func isIsolatingCurrentContext() -> Bool? { true }

  var hasJobs: Bool { !jobs.isEmpty }

  /// Runs the next job until it waits for something or ends.
  func runJob() {
    jobs.removeFirst().runSynchronously(
      isolatedTo: asUnownedSerialExecutor(),
      taskExecutor: asUnownedTaskExecutor()
    )
  }
}
