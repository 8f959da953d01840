internal import CWebSockets

/// A timer that fires on a loop's thread.
public final class LoopTimer {
  private let loop: EventLoop
  private let repeats: Bool
  private var work: (() -> Void)?
  private var handle: UnsafeMutablePointer<uv_timer_t>?

  /// - Parameter repeats: whether the timer may be started again after it has fired. If not, the timer frees itself
  ///   when it fires.
  init(loop: EventLoop, repeats: Bool, _ work: @escaping () -> Void) {
    self.loop = loop
    self.repeats = repeats
    self.work = work
    let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    uv_timer_init(loop.uv, handle)
    // The handle holds a reference to the timer, so the timer lives until the handle is closed.
    handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    self.handle = handle
  }

  /// Starts or restarts the timer. The delay counts from the loop's `now`, which is when the current iteration began.
  /// It is at least a millisecond: libuv before 1.45 fires timers until none is due, so a timer that restarts itself
  /// again and again would keep the loop from its sockets.
  func start(afterMilliseconds delay: UInt64) {
    guard let handle else { return }
    uv_timer_start(handle, { LoopTimer.from($0!.pointee.data).fire() }, max(delay, 1), 0)
  }

  /// Ends the timer for good. Cancelling a timer that has fired has no effect.
  public func cancel() {
    loop.assertCurrent()
    guard let handle else { return }
    self.handle = nil
    work = nil
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { closed in
      Unmanaged<LoopTimer>.fromOpaque(closed!.pointee.data).release()
      UnsafeMutableRawPointer(closed!).assumingMemoryBound(to: uv_timer_t.self).deallocate()
    }
  }

  private func fire() {
    let work = work
    if !repeats { cancel() }
    work?()
  }

  static func from(_ data: UnsafeMutableRawPointer?) -> LoopTimer {
    Unmanaged<LoopTimer>.fromOpaque(data!).takeUnretainedValue()
  }
}
