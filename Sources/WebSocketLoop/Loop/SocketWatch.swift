internal import CWebSockets
import Glibc

/// An object that gets the events of a socket. An error is reported as readable; the next read then returns the error.
protocol SocketWatcher: AnyObject {
  func socketIsReady(readable: Bool, writable: Bool)
  /// The peer has closed its direction, so no more bytes arrive. Earlier bytes can still be unread.
  func socketHungUp()
}

extension SocketWatcher {
  func socketHungUp() {}
}

/// Watches whether a socket is readable or writable. Only for sockets of this module, not for those of libwebsockets.
final class SocketWatch {
  private let handle: UnsafeMutablePointer<uv_poll_t>
  private unowned let watcher: any SocketWatcher
  private var wanted: Int32 = 0
  private var isClosed = false

  /// `nil` if the system doesn't watch the descriptor. Either it is a file, or the user's processes already watch as
  /// many descriptors as they are allowed to (`fs.epoll.max_user_watches`).
  /// - Parameter watcher: must outlive the watch, or close it.
  init?(loop: EventLoop, descriptor: Int32, watcher: any SocketWatcher) {
    self.watcher = watcher
    handle = .allocate(capacity: 1)
    guard uv_poll_init(loop.uv, handle, descriptor) == 0 else {
      handle.deallocate()
      return nil
    }
    // The handle holds a reference to the watch, so the watch lives until the handle is closed.
    handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// - Parameter hangUp: whether to report that the peer has closed its direction, even if `readable` is false.
  func want(readable: Bool, writable: Bool, hangUp: Bool = false) {
    let events =
      (readable ? Int32(UV_READABLE.rawValue) : 0) | (writable ? Int32(UV_WRITABLE.rawValue) : 0)
      | (hangUp ? Int32(UV_DISCONNECT.rawValue) : 0)
    guard events != wanted, !isClosed else { return }
    wanted = events
    if events == 0 {
      uv_poll_stop(handle)
      return
    }
    uv_poll_start(handle, events) { handle, status, events in
      let watch = Unmanaged<SocketWatch>.fromOpaque(handle!.pointee.data).takeUnretainedValue()
      let failed = status < 0
      if failed || events & Int32(UV_DISCONNECT.rawValue) != 0, watch.wanted == Int32(UV_DISCONNECT.rawValue) {
        watch.watcher.socketHungUp()
        return
      }
      watch.watcher.socketIsReady(
        readable: failed || events & Int32(UV_READABLE.rawValue) != 0,
        writable: failed || events & Int32(UV_WRITABLE.rawValue) != 0
      )
    }
  }

  /// Stops watching at once. The socket stays open, and the caller may close it or give it away.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    uv_poll_stop(handle)
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { closed in
      let handle = UnsafeMutableRawPointer(closed!).assumingMemoryBound(to: uv_poll_t.self)
      Unmanaged<SocketWatch>.fromOpaque(handle.pointee.data).release()
      handle.deallocate()
    }
  }
}
