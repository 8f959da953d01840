internal import CWebSockets
import Glibc

/// The one libwebsockets context of a loop, running on the loop's own libuv loop, and its virtual hosts.
///
/// libwebsockets never listens here: a listener adopts into its virtual host the sockets whose upgrade was granted.
final class WebSocketContext {
  /// The payload buffer that libwebsockets keeps for each connection to us. Of the memory of an idle connection it is the
  /// greater part; messages longer than it are gathered in pieces of this size.
  static let receiveBytes = 4_096
  /// The same for a connection of ours, and the most that is read at once, into a buffer that all share: whoever joins a
  /// large room is sent hundreds of kilobytes, and a read of 4 KB costs as much as one of these.
  static let clientReceiveBytes = 65_536
  /// libwebsockets cuts each write to this; what is larger than a socket takes is its business and ours anyway.
  static let sendBytesMax = 1 << 20

  unowned let loop: EventLoop
  /// Written with nil by libwebsockets once the context is gone.
  private let context: UnsafeMutablePointer<OpaquePointer?>
  /// The timer that libwebsockets put on the loop for itself, and the pipe that wakes it.
  private(set) var ownHandles: Set<UnsafeMutableRawPointer> = []
  private var clientHosts: [ClientKind: WebSocketHost] = [:]
  private var hosts: [WebSocketHost] = []

  private struct ClientKind: Hashable {
    var compresses: Bool
    var isSecure: Bool
  }

  init?(loop: EventLoop, speaksTLS: Bool) {
    self.loop = loop
    context = .allocate(capacity: 1)
    context.initialize(to: nil)
    var foreignLoop: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(loop.uv)
    let created = withUnsafeMutablePointer(to: &foreignLoop) { foreignLoops in
      var info = lws_context_creation_info()
      info.options = cws_context_options | (speaksTLS ? cws_tls_options : 0)
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
    noteOwnHandles()
  }

  /// A virtual host for a listener: it knows the listener's subprotocols, and adopts sockets.
  func addServerHost(subprotocols: [String], compresses: Bool) -> WebSocketHost? {
    addHost(port: cws_port_adopting, subprotocols: subprotocols, compresses: compresses)
  }

  /// The virtual host of connections outwards, of which there is one with compression and one without, and the same for
  /// those that speak TLS.
  func clientHost(compresses: Bool, trust: TLSTrust?) -> WebSocketHost? {
    let kind = ClientKind(compresses: compresses, isSecure: trust != nil)
    if let host = clientHosts[kind] { return host }
    let host = addHost(port: cws_port_connecting, subprotocols: [], compresses: compresses, trust: trust)
    clientHosts[kind] = host
    return host
  }

  private func addHost(
    port: Int32,
    subprotocols: [String],
    compresses: Bool,
    trust: TLSTrust? = nil
  ) -> WebSocketHost? {
    guard let pointer = context.pointee else { return nil }
    let host = WebSocketHost(
      context: pointer,
      port: port,
      name: "host\(hosts.count)",
      subprotocols: subprotocols,
      compresses: compresses,
      trust: trust
    )
    if let host { hosts.append(host) }
    return host
  }

  /// Closes every connection, each of which hears of it, and frees the context. libuv closes handles in later turns, so
  /// the loop is run until libwebsockets has said that it is done.
  func destroy() {
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
      let handle = handle.assumingMemoryBound(to: uv_handle_t.self)
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

  /// libwebsockets 4.1.6 closes its pipe's descriptor twice: now, and when libuv has closed the pipe's handle. By then
  /// the number may be someone else's file. So it is taken again at once, for the second close to have something that
  /// is ours; where another thread was quicker, the second close is called off, and the context is left as it is.
  private func secure(_ pipe: Pipe) -> Bool {
    let taken = fcntl(uv_backend_fd(loop.uv), F_DUPFD_CLOEXEC, pipe.descriptor)
    if taken == pipe.descriptor { return true }
    if taken >= 0 { close(taken) }
    pipe.handle.pointee.close_cb = { _ in }
    return false
  }

  private func noteOwnHandles() {
    let collected = Unmanaged.passUnretained(self).toOpaque()
    uv_walk(
      loop.uv,
      { handle, collected in
        let context = Unmanaged<WebSocketContext>.fromOpaque(collected!).takeUnretainedValue()
        let type = uv_handle_get_type(handle)
        // The loop's own are an async, a prepare, a check and an idle handle, and are closed alike.
        if type == UV_TIMER || type == UV_POLL { context.ownHandles.insert(UnsafeMutableRawPointer(handle!)) }
      },
      collected
    )
  }

  /// Has libwebsockets look at what it has put off.
  func wake() {
    if let pointer { lws_cancel_service(pointer) }
  }

  var pointer: OpaquePointer? { context.pointee }
}
