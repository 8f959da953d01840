import CanvasCRDT
import WebSocketLoop

extension Response {
  static func json(_ bytes: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json")] + headers, body: bytes)
  }

  static func text(_ words: String) -> Response { text(Array(words.utf8)) }

  static func text(_ words: [UInt8], type: String = "text/plain; charset=utf-8") -> Response {
    Response(status: 200, headers: [("Content-Type", type), ("Cache-Control", "no-store")], body: words)
  }

  static func rejected(_ rejection: Rejection) -> Response {
    let status =
      switch rejection.code {
      case .badMessage, .badShape, .badStamp, .badProperty, .badValue, .clockAhead, .tooOld: 400
      case .readOnly: 403
      case .roomFull: 409
      case .tooManyOperations: 413
      case .rateLimited, .quotaExceeded: 429
      case .unavailable: 503
      case .storageLow: 507
      }
    let place = rejection.operation.map { "operation \($0): " } ?? ""
    let response = error(status, code: Text(rejection.code.wireName).string, message: place + rejection.message.string)
    switch rejection.code {
    case .rateLimited, .unavailable: return response.retried(afterSeconds: 1)
    case .quotaExceeded: return response.retried(afterSeconds: DayQuotas.retryAfterSeconds)
    default: return response
    }
  }

  /// The answer to a write: `{"cursor":…}`, with the identifiers of the shapes that were made, if any. A header names
  /// the actor that wrote them.
  static func written(_ cursor: Cursor, shapes: [Identifier]? = nil, by actor: Identifier) -> Response {
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
    return .json(writer.finish(), headers: [("Canvas-Actor", actor.text)])
  }

  static func notModified(_ tag: String) -> Response {
    Response(status: 304, headers: [("ETag", tag), ("Cache-Control", "no-cache")])
  }

  /// The answer with its body compressed, if the request accepts gzip and the body gets shorter. The `Vary` header
  /// names `Accept-Encoding`.
  func compressed(for request: Request) -> Response {
    var response = self
    response.headers.append(("Vary", "Accept-Encoding"))
    // Only gzip is used: brotli takes longer, and these answers are made anew for each request.
    guard let coding = ContentCoding.chosen(of: [.gzip], by: request.list(.acceptEncoding)),
      let bytes = coding.compress(body)
    else { return response }
    response.headers.append(("Content-Encoding", coding.rawValue))
    response.body = bytes
    return response
  }
}

extension Request {
  /// Whether the client already has the version with this tag. A weak tag matches the strong tag of the same text,
  /// because a cache or a proxy between server and client might have weakened it.
  func has(_ tag: String) -> Bool {
    list(.ifNoneMatch).contains { $0 == "*" || $0.withoutWeakness == tag.withoutWeakness }
  }

  /// Whether the content type is JSON. A missing type also counts as JSON if no page sent the request. So does `form`,
  /// which programs send by default.
  var isJSON: Bool { isJSON(orUnsaidBy: [Request.form]) }

  /// Whether the body counts as a layout. The rule is that of `isJSON`, except that `text/plain` is treated like a
  /// missing type, because `fetch` declares it for every string.
  var isLayout: Bool { isJSON(orUnsaidBy: [Request.form, "text/plain"]) }

  /// The type that curl and other programs declare if the user specifies no type.
  private static let form = "application/x-www-form-urlencoded"

  private func isJSON(orUnsaidBy types: [String]) -> Bool {
    guard let type = header("content-type")?.mediaType else { return isFromNoPage }
    return types.contains(type) ? isFromNoPage : type == "application/json"
  }

  /// Whether no web page sent the request. A page of another site can send a form or `text/plain` without a preflight.
  /// In that case, the browser adds `Origin`.
  private var isFromNoPage: Bool { header("origin") == nil }

  /// Whether the request comes from a browser that opens the address to show it. Programs that fetch data don't ask for
  /// HTML.
  var wantsPage: Bool { list(.accept).contains { $0.mediaType == "text/html" } }
}

extension String {
  fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }

  /// The media type without its parameters, in lower case: `text/html` for `Text/HTML; charset=utf-8`.
  fileprivate var mediaType: String { prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() }
}
