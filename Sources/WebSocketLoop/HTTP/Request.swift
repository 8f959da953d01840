/// The head of an HTTP request.
public struct Request: Sendable {
  /// The method as sent: `GET`, `POST`, or anything else.
  public let method: String
  /// The part of the target before the `?`, as it was sent.
  public let path: String
  /// The part of the target after the `?`, as it was sent; empty if there is none.
  public let query: String
  /// The headers in the order in which they came, with names in lower case. A name that came twice is in the list
  /// twice.
  public let headers: [(name: String, value: String)]
  /// The numeric address of the client, without the port.
  public let peer: String
  /// Whether the request's version is HTTP/1.1; otherwise it is HTTP/1.0.
  let isVersion11: Bool
  /// The path's parts between slashes, decoded: `/v1/rooms/a%20b` has three. Two slashes in a row count as an empty
  /// part, so that no part changes its index. A slash at the end begins no part. A part that is wrongly escaped or not
  /// UTF-8 stays as it was sent, so its `%` keeps it from matching any name.
  public let pathParts: [String]
  private let parameters: [(name: String, value: String?)]

  /// The upper bound on the parts of a path, the parameters of a query, and the elements of a header that is a list. No
  /// client needs this many. A longer list would cost the server more to parse than it costs a client to send.
  public static let partsMax = 64

  public init(
    method: String = "GET",
    path: String,
    query: String = "",
    headers: [(name: String, value: String)] = [],
    peer: String = "",
    isVersion11: Bool = true
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.peer = peer
    self.isVersion11 = isVersion11
    pathParts = Request.parts(of: path)
    parameters = Request.parameters(of: query)
  }

  /// The name of a list in the request that has more elements than allowed. `nil` if there is no such list.
  var hasTooMany: String? {
    if pathParts.count > Request.partsMax { return "parts in the path" }
    if parameters.count > Request.partsMax { return "parameters" }
    for list in ListHeader.allCases where commas(in: list) >= Request.partsMax { return "elements in \(list.rawValue)" }
    return nil
  }

  private func commas(in list: ListHeader) -> Int {
    var count = -1
    for header in headers where header.name == list.rawValue {
      count += 1 + header.value.utf8.count { $0 == UInt8(ascii: ",") }
    }
    return count
  }

  /// The value of a header, which is named in lower case. If the header came several times, its values are joined by
  /// commas.
  public func header(_ name: String) -> String? {
    var joined: String?
    for header in headers where header.name == name { joined = joined.map { $0 + ", " + header.value } ?? header.value }
    return joined
  }

  /// A header that is read as a list.
  public enum ListHeader: String, CaseIterable, Sendable {
    case accept
    case acceptEncoding = "accept-encoding"
    case connection
    case forwardedFor = "x-forwarded-for"
    case ifNoneMatch = "if-none-match"
    case subprotocols = "sec-websocket-protocol"
    case upgrade
  }

  /// The elements of a header that is a list, trimmed. Empty elements are left out.
  public func list(_ name: ListHeader) -> [String] {
    (header(name.rawValue) ?? "").split(separator: ",").map { $0.trimmingSpaces }.filter { !$0.isEmpty }
  }

  /// Whether a proxy has passed the request on. Headers that proxies add show this (RFC 7239; RFC 9110, section 7.6.3).
  var hasPassedProxy: Bool {
    headers.contains { $0.name == "x-forwarded-for" || $0.name == "forwarded" || $0.name == "via" }
  }

  private static func parts(of path: String) -> [String] {
    var parts = path.utf8.split(
      separator: UInt8(ascii: "/"),
      maxSplits: partsMax + 1,
      omittingEmptySubsequences: false
    )[...]
    if parts.first?.isEmpty == true { parts.removeFirst() }
    if parts.last?.isEmpty == true { parts.removeLast() }
    return parts.map { percentDecoded($0, plusIsSpace: false) ?? String(decoding: $0, as: UTF8.self) }
  }

  /// The first value of a parameter of the query, decoded; `nil` if it is missing or wrongly escaped.
  public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The first parameter whose name or value is wrongly escaped or not UTF-8. Clients get a different error for such a
  /// parameter than for a missing one.
  public var malformedParameter: String? { parameters.first { $0.value == nil }?.name }

  /// The names of all parameters, decoded, unless they are wrongly escaped.
  public var parameterNames: [String] { parameters.map { $0.name }.filter { !$0.isEmpty } }

  private static func parameters(of query: String) -> [(name: String, value: String?)] {
    query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: partsMax).map { pair in
      let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(halves[0], plusIsSpace: true) else {
        return (String(decoding: halves[0], as: UTF8.self), nil)
      }
      return (name, halves.count == 1 ? "" : percentDecoded(halves[1], plusIsSpace: true))
    }
  }

  /// The subprotocols that the client offers, in the client's order of preference.
  public var offeredSubprotocols: [String] { list(.subprotocols) }
}

/// Decodes each `%xx`. `nil` if an escape is malformed, or if the result is not UTF-8.
private func percentDecoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
  var bytes: [UInt8] = []
  var iterator = text.makeIterator()
  while let byte = iterator.next() {
    switch byte {
    case UInt8(ascii: "%"):
      guard let high = iterator.next()?.hexadecimalValue, let low = iterator.next()?.hexadecimalValue else {
        return nil
      }
      bytes.append(high << 4 | low)
    case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}

extension UInt8 {
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension StringProtocol {
  var trimmingSpaces: String {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let bytes = Array(utf8)
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else {
      return ""
    }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
