internal import CWebSockets

extension EventLoop {
  /// Connects to a WebSocket server. The handler gets `connected`, or `closed` with the cause `refused`. Until then the
  /// connection can be aborted. On the loop's thread only.
  ///
  /// For a secure endpoint the loop must have been made with `speaksTLS`. The server's certificate must be for the
  /// endpoint's host, and be trusted by this machine.
  /// - Parameter subprotocols: the subprotocols to offer, in order of preference. `Connection.subprotocol` has the
  ///   server's choice.
  @discardableResult
  public func connect(
    to endpoint: Endpoint,
    subprotocols: [String] = [],
    headers: [(name: String, value: String)] = [],
    options: WebSocketOptions = WebSocketOptions(),
    handler: any ConnectionHandler
  ) -> Connection {
    assertCurrent()
    let request = Request(path: endpoint.path, query: endpoint.query, headers: headers)
    let connection = Connection(
      loop: self,
      counter: nil,
      handler: handler,
      request: request,
      subprotocol: nil,
      options: options
    )
    let trust = endpoint.isSecure ? guest(TLSTrust.self) : nil
    guard !endpoint.isSecure || trust != nil else {
      execute { connection.failedToConnect("OpenSSL can't be used", .untrusted) }
      return connection
    }
    guard let websockets, let lookups = guest(HostLookups.self) else {
      execute { connection.failedToConnect("libwebsockets can't be set up") }
      return connection
    }
    connection.limitConnecting()
    lookups.lookUp(endpoint) { [self] found in
      func connect(at address: SocketAddress?) {
        guard connection.isWanted else { return }
        guard let address, let host = websockets.clientHost(trust: trust) else {
          execute { connection.failedToConnect("no connection") }
          return
        }
        self.connect(connection, to: endpoint, at: address.numericHost, websockets, host, subprotocols)
      }
      guard found.count > 1 else { return connect(at: found.first) }
      // libwebsockets tries only a name's first address. So it gets one that has just answered.
      HostConnecting(loop: self, found, silentMilliseconds: options.connectWithinMilliseconds) {
        connect(at: try? $0.get().address)
      }.start(orElse: .badHost(endpoint.host))
    }
    return connection
  }

  /// - Parameter address: an address of the endpoint's host.
  private func connect(
    _ connection: Connection,
    to endpoint: Endpoint,
    at address: String,
    _ websockets: WebSocketContext,
    _ host: WebSocketHost,
    _ subprotocols: [String]
  ) {
    var info = lws_client_connect_info()
    info.context = websockets.pointer
    info.vhost = host.pointer
    // Redirects are not followed, because the token must not reach another server.
    info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
    if endpoint.isSecure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
    info.port = Int32(endpoint.port)
    // This reference is released in the callback that libwebsockets calls when it destroys its part of the connection.
    let retained = Unmanaged.passRetained(connection)
    info.opaque_user_data = retained.toOpaque()
    let target = endpoint.query.isEmpty ? endpoint.path : "\(endpoint.path)?\(endpoint.query)"
    let offered = subprotocols.joined(separator: ",")
    let wsi = address.withCString { address in
      endpoint.authority.withCString { authority in
        target.withCString { target in
          offered.withCString { offered in
            WebSocketHost.plainProtocol.withCString { plain in
              info.address = address
              info.host = authority
              info.path = target
              info.protocol = subprotocols.isEmpty ? nil : offered
              info.local_protocol_name = plain
              return lws_client_connect_via_info(&info)
            }
          }
        }
      }
    }
    if let wsi {
      connection.attach(to: wsi)
    } else {
      // libwebsockets may or may not have reported the failure to the callback already. In both cases the handler gets
      // `closed` once, in a later iteration of the event loop.
      execute { connection.failedToConnect("no connection") }
    }
  }
}

/// The address of a server, and whether to use TLS: `ws://127.0.0.1:8080/v1/rooms/demo/sync?token=t`.
public struct Endpoint: Sendable, Equatable {
  public var host: String
  public var port: Int
  public var path: String
  public var query: String
  public var isSecure: Bool

  public init(host: String, port: Int, path: String = "/", query: String = "", isSecure: Bool = false) {
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    self.isSecure = isSecure
  }

  /// `nil` if the text isn't a URL of `ws`, `http`, `wss` or `https` with a host. The default port is 80 for `ws` and
  /// `http`, and 443 for `wss` and `https`.
  public init?(_ url: String) {
    let schemes = [("ws://", false), ("http://", false), ("wss://", true), ("https://", true)]
    guard let (scheme, isSecure) = schemes.first(where: { url.hasPrefix($0.0) }) else { return nil }
    self.isSecure = isSecure
    var rest = url.dropFirst(scheme.count)
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    let slash = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var authority = rest[..<slash]
    let target = rest[slash...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = target.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "/"
    query = target.count == 2 ? String(target[1]) : ""
    port = isSecure ? 443 : 80
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number) else {
        return nil
      }
      port = number
      authority = authority[..<colon]
    }
    if authority.hasPrefix("["), authority.hasSuffix("]") { authority = authority.dropFirst().dropLast() }
    guard !authority.isEmpty, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    host = String(authority)
  }

  /// Host and port in the form of the `Host` header.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
