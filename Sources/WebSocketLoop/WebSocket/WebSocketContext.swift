internal import CWebSockets
import Glibc

/// A loop's only libwebsockets context, which runs on the loop's own libuv loop, and its virtual hosts.
///
/// libwebsockets never listens here. A listener gives its virtual host the sockets whose upgrade was granted.
final class WebSocketContext: LoopGuest {
  /// The size of the payload buffer that libwebsockets keeps for each of a server's connections. It is small because it
  /// is most of an idle connection's memory. Longer messages arrive in pieces.
  static let receiveBytes = 4_096
  /// The size of the payload buffer for a client's connection. It is also the upper bound on one read, which goes into
  /// a buffer that all connections share. A client that joins a large room gets hundreds of kilobytes, and a read of 64
  /// KB costs no more than a read of 4 KB.
  static let clientReceiveBytes = 65_536
  /// libwebsockets would cut a longer write to this size. A socket takes less, so nothing is ever cut.
  static let sendBytesMax = 1 << 20

  unowned let loop: EventLoop
  /// libwebsockets sets this to `nil` when it has freed the context.
  private let context: UnsafeMutablePointer<OpaquePointer?>
  /// The handles that libwebsockets itself put on the loop, such as a timer and the pipe that wakes it.
  private var ownHandles: Set<UnsafeMutablePointer<uv_handle_t>> = []
  /// By whether the connection is over TLS.
  private var clientHosts: [Bool: WebSocketHost] = [:]
  private var hosts: [WebSocketHost] = []

  init?(loop: EventLoop) {
    self.loop = loop
    let others = Self.handles(of: loop)
    context = .allocate(capacity: 1)
    context.initialize(to: nil)
    var foreignLoop: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(loop.uv)
    let created = withUnsafeMutablePointer(to: &foreignLoop) { foreignLoops in
      var info = lws_context_creation_info()
      info.options = cws_context_options | (loop.speaksTLS ? cws_tls_options : 0)
      info.foreign_loops = foreignLoops
      info.pcontext = context
      info.gid = -1
      info.uid = -1
      info.pt_serv_buf_size = UInt32(Self.clientReceiveBytes)
      return lws_create_context(&info)
    }
    guard let created else {
      context.deallocate()
      return nil
    }
    context.pointee = created
    ownHandles = Self.handles(of: loop).subtracting(others)
  }

  /// A virtual host for a listener. It knows the listener's subprotocols, and adopts the sockets that the listener has
  /// accepted.
  func addServerHost(subprotocols: [String]) -> WebSocketHost? {
    addHost(port: cws_port_adopting, subprotocols: subprotocols)
  }

  /// The virtual host for a client's connection: one for plain connections, and one for TLS.
  func clientHost(trust: TLSTrust?) -> WebSocketHost? {
    if let host = clientHosts[trust != nil] { return host }
    let host = addHost(port: cws_port_connecting, subprotocols: [], trust: trust)
    clientHosts[trust != nil] = host
    return host
  }

  private func addHost(port: Int32, subprotocols: [String], trust: TLSTrust? = nil) -> WebSocketHost? {
    guard let pointer = context.pointee else { return nil }
    let host = WebSocketHost(
      context: pointer,
      port: port,
      name: "host\(hosts.count)",
      subprotocols: subprotocols,
      trust: trust
    )
    if let host { hosts.append(host) }
    return host
  }

  /// Closes every connection, which is reported to its handler, and frees the context. libuv closes handles in later
  /// iterations, so the loop is run until libwebsockets has set the context's pointer to `nil`.
  func loopEnds() {
    guard let pointer = context.pointee else { return }
    let pipe = pipeHandle()
    lws_context_destroy(pointer)
    if let pipe, !secure(pipe) { return }
    var turns = 0
    while context.pointee != nil, turns < 1_000 {
      uv_run(loop.uv, UV_RUN_NOWAIT)
      turns += 1
      if turns % 10 == 0, let pointer = context.pointee { lws_context_destroy(pointer) }
    }
    assert(context.pointee == nil, "libwebsockets holds on to its context")
    hosts = []
    clientHosts = [:]
    context.deallocate()
  }

  private struct Pipe {
    var handle: UnsafeMutablePointer<uv_poll_t>
    var descriptor: Int32
  }

  private func pipeHandle() -> Pipe? {
    for handle in ownHandles {
      guard uv_handle_get_type(handle) == UV_POLL else { continue }
      var descriptor: Int32 = -1
      guard uv_fileno(handle, &descriptor) == 0 else { return nil }
      return Pipe(
        handle: UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_poll_t.self),
        descriptor: descriptor
      )
    }
    return nil
  }

  /// libwebsockets 4.1.6 closes its pipe's descriptor twice: now, and again when libuv has closed the pipe's handle. By
  /// then the number might belong to another file, which would be closed instead. So this function at once opens a
  /// descriptor with that number. If another thread has got the number first, the context is never freed, which
  /// prevents the second close.
  private func secure(_ pipe: Pipe) -> Bool {
    let taken = fcntl(uv_backend_fd(loop.uv), F_DUPFD_CLOEXEC, pipe.descriptor)
    if taken == pipe.descriptor { return true }
    if taken >= 0 { close(taken) }
    pipe.handle.pointee.close_cb = { _ in }
    return false
  }

  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool { ownHandles.contains(handle) }

  private static func handles(of loop: EventLoop) -> Set<UnsafeMutablePointer<uv_handle_t>> {
    var handles: Set<UnsafeMutablePointer<uv_handle_t>> = []
    withUnsafeMutablePointer(to: &handles) { handles in
      uv_walk(
        loop.uv,
        { handle, handles in
          handles!.assumingMemoryBound(to: Set<UnsafeMutablePointer<uv_handle_t>>.self).pointee.insert(handle!)
        },
        handles
      )
    }
    return handles
  }

  var pointer: OpaquePointer? { context.pointee }
}

extension EventLoop {
  /// The loop's libwebsockets. `nil` if it can't be set up.
  var websockets: WebSocketContext? { guest(WebSocketContext.self) }
}
