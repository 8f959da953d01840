/// Reports when a descriptor that this module did not open, such as a terminal or a pipe, can be read or written. On
/// the loop's thread only.
///
/// The descriptor becomes non-blocking, and so does every other descriptor that shares the same open file. So a
/// terminal should be opened a second time for the watch. Regular files are always ready and can't be watched.
public final class DescriptorWatch: SocketWatcher {
  private var watch: SocketWatch?
  private let ready: (_ readable: Bool, _ writable: Bool) -> Void

  /// - Parameter ready: is called when the descriptor is ready. An error is reported as readable; the next read then
  ///   returns the error.
  public init(
    loop: EventLoop,
    descriptor: Int32,
    _ ready: @escaping (_ readable: Bool, _ writable: Bool) -> Void
  ) {
    loop.assertCurrent()
    self.ready = ready
    watch = SocketWatch(loop: loop, descriptor: descriptor, watcher: self)
  }

  /// Sets the events for which `ready` is called, until the next call of `want`.
  public func want(readable: Bool, writable: Bool) {
    watch?.want(readable: readable, writable: writable)
  }

  /// Stops watching at once. To be called before the watch is released. The descriptor stays open, because the caller
  /// owns it.
  public func close() {
    watch?.close()
    watch = nil
  }

  func socketIsReady(readable: Bool, writable: Bool) { ready(readable, writable) }
}
