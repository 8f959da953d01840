import Glibc

/// A system thread, which can block on a disk. Threads of Swift's own pool must not block.
struct LogThread: @unchecked Sendable {
  // `@unchecked Sendable`: a thread's identity is a number, and any other thread may join it.
  private let identity: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws(StorageFault) {
    var identity = pthread_t()
    let box = Unmanaged.passRetained(Body(run: body))
    // All signals are blocked in the new thread, so that other threads handle them.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(
      &identity,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      },
      box.toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      box.release()
      throw .outOfMemory
    }
    self.identity = identity
  }

  func join() { pthread_join(identity, nil) }
  func detach() { pthread_detach(identity) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
