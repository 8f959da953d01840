import Glibc

/// A result that one thread gives and another waits for.
///
/// `@unchecked Sendable`: the result is written once before the semaphore is raised, and read once afterwards.
final class Answer<Value: Sendable, Failure: Error>: @unchecked Sendable {
  private let raised = Semaphore()
  private var result: Result<Value, Failure>?

  func give(_ result: Result<Value, Failure>) {
    self.result = result
    raised.signalAll()
  }

  func wait() -> Result<Value, Failure> {
    raised.waitForAll()
    return result!
  }
}

/// A semaphore that stays raised after it was raised once. Any number of threads may wait for that, and a thread that
/// comes later doesn't wait.
///
/// `@unchecked Sendable`: a POSIX semaphore can be used by several threads.
final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signalAll() { sem_post(semaphore) }

  func waitForAll() {
    while sem_wait(semaphore) != 0 {}
    sem_post(semaphore)
  }
}
