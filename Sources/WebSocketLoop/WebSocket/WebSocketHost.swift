internal import CWebSockets
import Glibc

/// A virtual host of libwebsockets, and the C arrays that libwebsockets reads during its lifetime. It speaks no
/// extensions.
final class WebSocketHost {
  private(set) var pointer: OpaquePointer!
  let name: String
  private let protocols: UnsafeMutablePointer<lws_protocols>
  /// Settings that keep libwebsockets from sending pings, because each connection sends its own. For its pings,
  /// libwebsockets would search a sorted list of all connections whenever a connection receives something.
  private let idlePolicy: UnsafeMutablePointer<lws_retry_bo>
  private var texts: [UnsafeMutablePointer<CChar>] = []
  private let trust: TLSTrust?
  /// The connection whose socket is being adopted. It is stored here because libwebsockets calls back before it returns
  /// the connection's handle.
  var adopting: Connection?

  /// libwebsockets binds each connection to a protocol by name. This name is for clients' connections, and for servers'
  /// connections without a subprotocol.
  static let plainProtocol = "plain"

  init?(
    context: OpaquePointer,
    port: Int32,
    name: String,
    subprotocols: [String],
    trust: TLSTrust?
  ) {
    self.name = name
    self.trust = trust
    let names = [Self.plainProtocol] + subprotocols
    protocols = .allocate(capacity: names.count + 1)
    idlePolicy = .allocate(capacity: 1)
    idlePolicy.initialize(to: lws_retry_bo())
    for (index, name) in names.enumerated() {
      var entry = lws_protocols()
      entry.name = UnsafePointer(text(name))
      entry.callback = websocketCallback
      // The protocol needs a few bytes of memory for each connection. Without this memory, libwebsockets would close a
      // connection by itself without first reporting the end of the protocol.
      entry.per_session_data_size = MemoryLayout<Int>.size
      entry.rx_buffer_size =
        port == cws_port_connecting ? WebSocketContext.clientReceiveBytes : WebSocketContext.receiveBytes
      entry.tx_packet_size = WebSocketContext.sendBytesMax
      (protocols + index).initialize(to: entry)
    }
    (protocols + names.count).initialize(to: lws_protocols())

    var info = lws_context_creation_info()
    info.port = port
    info.vhost_name = UnsafePointer(text(name))
    info.protocols = UnsafePointer(protocols)
    info.user = Unmanaged.passUnretained(self).toOpaque()
    info.timeout_secs = 10
    info.retry_and_idle_policy = UnsafePointer(idlePolicy)
    if let trust {
      info.options = cws_tls_options
      info.provided_client_ssl_ctx = trust.pointer
      // WebSockets over TLS use only HTTP/1.1 here.
      info.alpn = UnsafePointer(text("http/1.1"))
    }
    guard let host = lws_create_vhost(context, &info) else { return nil }
    // Otherwise all connections, also secure ones and those to this machine, would go through the proxy that the variable
    // `http_proxy` names, whatever `no_proxy` says. HTTP requests here use no proxy either.
    lws_set_proxy(host, ":0")
    pointer = host
  }

  deinit {
    for text in texts { free(text) }
    protocols.deallocate()
    idlePolicy.deallocate()
  }

  private func text(_ value: String) -> UnsafeMutablePointer<CChar> {
    let copy = strdup(value)!
    texts.append(copy)
    return copy
  }

  static func of(_ wsi: OpaquePointer) -> WebSocketHost? {
    guard let host = lws_get_vhost(wsi), let user = lws_vhost_user(host) else { return nil }
    return Unmanaged<WebSocketHost>.fromOpaque(user).takeUnretainedValue()
  }
}
