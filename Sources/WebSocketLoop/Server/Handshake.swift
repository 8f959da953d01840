import Basics

/// A request for an upgrade to WebSocket, checked (RFC 6455, 4.2.1).
///
/// libwebsockets answers the request, but gets a new head instead of the client's. The reason is a fault in version
/// 4.1.6. A header whose name is the beginning of a known name (`X:`, `A:`, `X-Forwarded:`) makes it misread the next
/// line, and close without an answer.
struct Handshake {
  let offered: [String]
  private let key: String

  /// - Parameter hasMore: whether the client has sent more bytes, which is not allowed before the server's answer.
  init(_ request: Request, hasMore: Bool) throws(HTTPFault) {
    guard request.method == "GET", request.isVersion11 else { throw .malformed("an upgrade is a GET of HTTP/1.1") }
    guard request.list(.connection).contains(where: { $0.utf8.map(\.lowercased).elementsEqual("upgrade".utf8) })
    else { throw .malformed("an upgrade needs Connection: Upgrade") }
    guard request.header("sec-websocket-version") == "13" else {
      throw HTTPFault(status: 426, message: "only version 13 of WebSocket is supported")
    }
    guard let key = request.header("sec-websocket-key"), Self.isSixteenBytes(key) else {
      throw .malformed("an upgrade needs a Sec-WebSocket-Key of 16 bytes")
    }
    guard try request.bodyLength() == .bytes(0), !hasMore else { throw .malformed("an upgrade has no body") }
    self.key = key
    offered = request.offeredSubprotocols
  }

  /// Whether the text is the Base64 form of 16 bytes: 22 characters and two `=`.
  private static func isSixteenBytes(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    return bytes.count == 24 && Base64.padded.decoded(bytes)?.count == 16
  }

  /// The head of the HTTP request that libwebsockets gets in place of the client's request. It has the client's key. It
  /// leaves out the client's offer of compression, because libwebsockets 4.1.6 fails an assertion, which ends the
  /// process, on some sequences of compressed frames.
  /// - Parameters:
  ///   - host: the name by which libwebsockets finds the virtual host.
  ///   - subprotocol: a subprotocol that the client offers and the listener speaks.
  func head(host: String, subprotocol: String?) -> [UInt8] {
    var bytes = Array("GET / HTTP/1.1\r\n".utf8)
    appendHeaderLine("Host", host, to: &bytes)
    appendHeaderLine("Upgrade", "websocket", to: &bytes)
    appendHeaderLine("Connection", "Upgrade", to: &bytes)
    appendHeaderLine("Sec-WebSocket-Version", "13", to: &bytes)
    appendHeaderLine("Sec-WebSocket-Key", key, to: &bytes)
    if let subprotocol { appendHeaderLine("Sec-WebSocket-Protocol", subprotocol, to: &bytes) }
    bytes += [0x0D, 0x0A]
    return bytes
  }
}
