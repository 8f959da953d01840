import Glibc

/// A thread of the operating system, which may block. Threads of Swift's own pool must not block.
public struct SystemThread: @unchecked Sendable {
  // `@unchecked Sendable`: a thread's identity is a number, and any other thread may join it.
  private let identity: pthread_t

  /// Why the thread couldn't be started.
  public struct Failure: Error, CustomStringConvertible {
    public let code: Int32
    public var description: String { String(cString: strerror(code)) }
  }

  /// - Parameter handlesSignals: whether the thread handles the same signals as the one that starts it. Otherwise all
  ///   signals are left to other threads.
  public init(handlesSignals: Bool = false, _ body: @escaping @Sendable () -> Void) throws(Failure) {
    var identity = pthread_t()
    let box = Unmanaged.passRetained(Body(run: body))
    var blocked = sigset_t()
    var before = sigset_t()
    if !handlesSignals { sigfillset(&blocked) }
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let code = pthread_create(
      &identity,
      nil,
      { box in
        Unmanaged<Body>.fromOpaque(box!).takeRetainedValue().run()
        return nil
      },
      box.toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      box.release()
      throw Failure(code: code)
    }
    self.identity = identity
  }

  public func join() { pthread_join(identity, nil) }
  public func detach() { pthread_detach(identity) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
