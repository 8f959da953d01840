import CanvasCRDT
import WebSocketLoop

extension Response {
  static func json(_ bytes: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json")] + headers + guarded, body: bytes)
  }

  static func text(_ words: String, status: Int = 200, type: String = "text/plain; charset=utf-8") -> Response {
    Response(
      status: status,
      headers: [("Content-Type", type), ("Cache-Control", "no-store")] + guarded,
      body: Array(words.utf8)
    )
  }

  /// No browser guesses a type, and no other site gets at it.
  static let guarded: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  static func rejected(_ rejection: Rejection) -> Response {
    let status =
      switch rejection.code {
      case .badMessage, .badShape, .badStamp, .badProperty, .badValue, .clockAhead, .tooOld: 400
      case .readOnly: 403
      case .roomFull: 409
      case .tooManyOperations: 413
      case .rateLimited: 429
      case .unavailable: 503
      }
    let place = rejection.operation.map { "operation \($0): " } ?? ""
    let response = error(status, code: Text(rejection.code.wireName).string, message: place + rejection.message.string)
    return status == 429 ? response.retried(afterSeconds: 1) : response
  }

  /// `{"cursor":…}`, and what else was made.
  static func written(_ cursor: Cursor, shapes: [Identifier]? = nil) -> Response {
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    writer.key("cursor")
    writer.value(text: cursor.text)
    if let shapes {
      writer.key("shapes")
      writer.beginArray()
      for shape in shapes { writer.value(shape) }
      writer.endArray()
    }
    writer.endObject()
    return .json(writer.finish())
  }

  /// Told when to come again.
  func retried(afterSeconds seconds: Int) -> Response {
    var response = self
    response.headers.append(("Retry-After", String(seconds)))
    return response
  }

  static func notModified(_ tag: String) -> Response {
    Response(status: 304, headers: [("ETag", tag), ("Cache-Control", "no-cache")] + guarded)
  }

  /// Compressed, where the request takes that and it is of use. The answer differs by it, and says so.
  func compressed(for request: Request) -> Response {
    var response = self
    response.headers.append(("Vary", "Accept-Encoding"))
    // Made anew for each, so not by brotli, which takes longer.
    guard let coding = ContentCoding.chosen(of: [.gzip], by: request.listHeader("accept-encoding")),
      let bytes = coding.compress(body)
    else { return response }
    response.headers.append(("Content-Encoding", coding.rawValue))
    response.body = bytes
    return response
  }
}

extension Request {
  /// Whether the client has what a tag names. Weak ones are as good as strong ones here: whoever keeps an answer, or a
  /// proxy on its way, may have made the one of the other.
  func has(_ tag: String) -> Bool {
    listHeader("if-none-match").contains { $0 == "*" || $0.withoutWeakness == tag.withoutWeakness }
  }

  /// Whether the body says that it is JSON, or leaves open what it is.
  var isJSON: Bool { isJSON(orUnsaidBy: [Request.form]) }

  /// The same of a layout, which with single quotes is none: plain text is what `fetch` calls a string.
  var isLayout: Bool { isJSON(orUnsaidBy: [Request.form, "text/plain"]) }

  /// What curl and others say of a body when nobody tells them.
  private static let form = "application/x-www-form-urlencoded"

  private func isJSON(orUnsaidBy types: [String]) -> Bool {
    guard let type = header("content-type")?.mediaType else { return isFromNoPage }
    return types.contains(type) ? isFromNoPage : type == "application/json"
  }

  /// A page of another site can send such a body without asking first; then its browser says where it is from.
  private var isFromNoPage: Bool { header("origin") == nil }

  /// Whether a browser goes to an address, rather than a program that asks.
  var wantsPage: Bool { listHeader("accept").contains { $0.mediaType == "text/html" } }
}

extension String {
  fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }

  /// `text/html` of `Text/HTML; charset=utf-8`.
  fileprivate var mediaType: String { prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() }
}
