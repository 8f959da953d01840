/// Tells when a descriptor of somebody else's, a terminal or a pipe, can be read or written. On the loop's thread only.
///
/// The descriptor becomes non-blocking, and with it whoever shares its open file: open one of one's own for it. Files
/// are always ready and can't be watched.
public final class DescriptorWatch: SocketWatcher {
  private var watch: SocketWatch?
  private let ready: (_ readable: Bool, _ writable: Bool) -> Void

  /// - Parameter ready: an error counts as readable: the next read says which.
  public init(
    loop: EventLoop,
    descriptor: Int32,
    _ ready: @escaping (_ readable: Bool, _ writable: Bool) -> Void
  ) {
    loop.assertCurrent()
    self.ready = ready
    watch = SocketWatch(loop: loop, descriptor: descriptor, watcher: self)
  }

  /// To be told of these, again and again until told otherwise.
  public func want(readable: Bool, writable: Bool) {
    watch?.want(readable: readable, writable: writable)
  }

  /// Stops watching at once, and has to be called before this goes. The descriptor stays open.
  public func close() {
    watch?.close()
    watch = nil
  }

  func socketIsReady(readable: Bool, writable: Bool) { ready(readable, writable) }
}
