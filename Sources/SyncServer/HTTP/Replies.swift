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

  /// Browsers must not guess a type, and other sites must not read the answer.
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

  /// `{"cursor":…}`, and the shapes that were made, if any. A header names the actor that wrote them.
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
    Response(status: 304, headers: [("ETag", tag), ("Cache-Control", "no-cache")] + guarded)
  }

  /// The answer, compressed if the request accepts that and it gets shorter. The header `Vary` then names
  /// `Accept-Encoding`.
  func compressed(for request: Request) -> Response {
    var response = self
    response.headers.append(("Vary", "Accept-Encoding"))
    // Brotli takes longer, so it is not used for answers that are made anew for each request.
    guard let coding = ContentCoding.chosen(of: [.gzip], by: request.list(.acceptEncoding)),
      let bytes = coding.compress(body)
    else { return response }
    response.headers.append(("Content-Encoding", coding.rawValue))
    response.body = bytes
    return response
  }
}

extension Request {
  /// Whether the client already has the version of this tag. Weak tags count as strong ones here: a cache or a proxy on
  /// the way may have turned one into the other.
  func has(_ tag: String) -> Bool {
    list(.ifNoneMatch).contains { $0 == "*" || $0.withoutWeakness == tag.withoutWeakness }
  }

  /// Whether the body is declared as JSON, or its type is left open.
  var isJSON: Bool { isJSON(orUnsaidBy: [Request.form]) }

  /// The same for a layout. `text/plain`, which `fetch` sends for a string, is accepted too: a layout with single
  /// quotes is not JSON.
  var isLayout: Bool { isJSON(orUnsaidBy: [Request.form, "text/plain"]) }

  /// The type that curl and others declare by default.
  private static let form = "application/x-www-form-urlencoded"

  private func isJSON(orUnsaidBy types: [String]) -> Bool {
    guard let type = header("content-type")?.mediaType else { return isFromNoPage }
    return types.contains(type) ? isFromNoPage : type == "application/json"
  }

  /// Whether the request comes from no page. A page of another site can send a body of that type without a preflight,
  /// but then the browser adds `Origin`.
  private var isFromNoPage: Bool { header("origin") == nil }

  /// Whether a browser opens the address for a person. If not, a program fetches it.
  var wantsPage: Bool { list(.accept).contains { $0.mediaType == "text/html" } }
}

extension String {
  fileprivate var withoutWeakness: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }

  /// `text/html` of `Text/HTML; charset=utf-8`.
  fileprivate var mediaType: String { prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() }
}
