/// An answer to an HTTP request.
public struct Response: Sendable {
  public var status: Int
  /// The response's headers without `Content-Length`, `Connection`, `Date` and `guarding`, which are added when the
  /// response is sent.
  public var headers: [(name: String, value: String)]
  /// The body. It is never copied: the socket gets one piece of this buffer after the other.
  public var body: [UInt8]
  /// The reason for an error, which goes into the log. The client may get a shorter message.
  public private(set) var reason: String?

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  static func error(_ fault: HTTPFault) -> Response {
    let code =
      switch fault.status {
      case 413: "too_large"
      case 503: "unavailable"
      default: "bad_request"
      }
    var response = error(fault.status, code: code, message: fault.message)
    if fault.status == 426 { response.headers.append(("Sec-WebSocket-Version", "13")) }
    // What may be done shouldn't be asked for again at once.
    return fault.status == 503 && fault != .tooLate ? response.retried(afterSeconds: 1) : response
  }

  /// The same response with a `Retry-After` header, which tells the client when to try again.
  public func retried(afterSeconds seconds: Int) -> Response {
    var response = self
    response.headers.append(("Retry-After", String(seconds)))
    return response
  }

  /// A response with the body `{"error":{"code":…,"message":…}}`. Quotes and backslashes are escaped; control
  /// characters become spaces.
  /// - Parameter reason: goes into the log, where it may say more than `message` says to the client.
  public static func error(_ status: Int, code: String, message: String, reason: String? = nil) -> Response {
    let escape = { (text: String) in
      text.unicodeScalars.reduce(into: "") { escaped, scalar in
        switch scalar {
        case "\"", "\\": escaped += "\\\(scalar)"
        case _ where scalar.value < 0x20: escaped += " "
        default: escaped.unicodeScalars.append(scalar)
        }
      }
    }
    var response = Response(
      status: status,
      headers: [("Content-Type", "application/json")],
      body: Array("{\"error\":{\"code\":\"\(escape(code))\",\"message\":\"\(escape(message))\"}}".utf8)
    )
    response.reason = reason ?? message
    return response
  }

  /// Headers of every answer: browsers must not guess the type of the body, and pages of other sites must not read it.
  private static let guarding: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// Whether an answer with this status may have a body.
  var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// The status line and headers. For a `HEAD` request they also give the body's length, although the body isn't sent.
  func head(closing: Bool, date: String) -> [UInt8] {
    var bytes = Array("HTTP/1.1 \(status) \(Self.phrase(status))\r\n".utf8)
    for (name, value) in headers + Response.guarding { appendHeaderLine(name, value, to: &bytes) }
    if mayHaveBody { appendHeaderLine("Content-Length", String(body.count), to: &bytes) }
    appendHeaderLine("Date", date, to: &bytes)
    if closing { appendHeaderLine("Connection", "close", to: &bytes) }
    bytes += [0x0D, 0x0A]
    return bytes
  }

  static func phrase(_ status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}

/// A header line. Line breaks and other control characters in the value become spaces, so that a value can't add lines.
func appendHeaderLine(_ name: String, _ value: String, to bytes: inout [UInt8]) {
  bytes += name.utf8
  bytes += ": ".utf8
  for byte in value.utf8 { bytes.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte) }
  bytes += [0x0D, 0x0A]
}
