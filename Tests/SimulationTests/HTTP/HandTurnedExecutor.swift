/// Runs the jobs of actors and tasks when the simulation calls `runJob`: one at a time, in order of arrival, on the
/// simulation's thread. This covers jobs that a real server runs on other threads, so a history repeats exactly.
///
/// `@unchecked Sendable`: each history has its own executor and runs on one thread.
final class HandTurnedExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func checkIsolated() {}
  func isIsolatingCurrentContext() -> Bool? { true }

  var hasJobs: Bool { !jobs.isEmpty }

  /// Runs the next job until it suspends or ends.
  func runJob() {
    jobs.removeFirst().runSynchronously(
      isolatedTo: asUnownedSerialExecutor(),
      taskExecutor: asUnownedTaskExecutor()
    )
  }
}
