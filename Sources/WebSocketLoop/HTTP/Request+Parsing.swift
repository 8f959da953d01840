extension Request {
  /// Parses a request line, and checks the headers that decide how the rest of the connection is read.
  init(_ head: HeadParser.Head, peer: String) throws(HTTPFault) {
    let words = head.firstLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3 else { throw .malformed("the request line isn't a method, a target and a version") }
    guard !words[0].isEmpty, words[0].count <= 32, words[0].allSatisfy(\.isTokenByte) else {
      throw .malformed("the method is malformed")
    }
    guard words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !words[1].isEmpty else {
      throw .malformed("the target is malformed")
    }
    let method = String(decoding: words[0], as: UTF8.self)
    let isVersion11: Bool
    switch String(decoding: words[2], as: UTF8.self) {
    case "HTTP/1.1": isVersion11 = true
    case "HTTP/1.0": isVersion11 = false
    case let version where version.hasPrefix("HTTP/"):
      throw HTTPFault(status: 505, message: "only HTTP/1.1 and 1.0 are supported")
    default: throw .malformed("the version is malformed")
    }
    let target = try Self.pathAndQuery(words[1], method: method)
    let halves = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method: method,
      path: String(decoding: halves[0], as: UTF8.self),
      query: halves.count == 2 ? String(decoding: halves[1], as: UTF8.self) : "",
      headers: head.headers,
      peer: peer,
      isVersion11: isVersion11
    )
    if let excess = hasTooMany { throw .malformed("there are more than \(Request.partsMax) \(excess)") }
    let hosts = headers.count { $0.name == "host" }
    guard hosts == 1 || (hosts == 0 && !isVersion11) else { throw .malformed("there must be one Host header") }
  }

  /// A target is a path, a whole URL (as for a proxy), an authority for CONNECT, or `*` for OPTIONS.
  private static func pathAndQuery(_ target: ArraySlice<UInt8>, method: String) throws(HTTPFault) -> ArraySlice<UInt8> {
    if target.first == UInt8(ascii: "/") || method == "CONNECT"
      || (method == "OPTIONS" && target.elementsEqual("*".utf8))
    {
      return target
    }
    for scheme in ["http://", "https://"] where target.map(\.lowercased).starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      // The authority ends at the first of these (RFC 3986, 3.2). A slash in the query begins no path.
      guard let end = rest.firstIndex(where: { "/?#".utf8.contains($0) }) else { return [UInt8(ascii: "/")] }
      if rest[end] == UInt8(ascii: "/") { return rest[end...] }
      throw .malformed("the target has no path")
    }
    throw .malformed("the target doesn't begin with a slash")
  }

  /// Whether the connection may serve another request after this one.
  var keepsAlive: Bool {
    let options = list(.connection).map { String(decoding: $0.utf8.map(\.lowercased), as: UTF8.self) }
    if options.contains("close") { return false }
    return isVersion11 || options.contains("keep-alive")
  }

  /// Whether the client waits for the status 100 before it sends the body.
  func expectsContinue() throws(HTTPFault) -> Bool {
    guard let expectation = header("expect") else { return false }
    guard expectation.utf8.map(\.lowercased).elementsEqual("100-continue".utf8) else {
      throw HTTPFault(status: 417, message: "the only supported expectation is 100-continue")
    }
    return isVersion11
  }

  /// How the body is delimited.
  func bodyLength() throws(HTTPFault) -> BodyLength {
    let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
    if let coding = header("transfer-encoding") {
      // If a request has a length and is also chunked, a proxy and the server could disagree about where the body ends.
      guard lengths.isEmpty, isVersion11 else { throw .malformed("a body has a length or is chunked, not both") }
      guard coding.utf8.map(\.lowercased).elementsEqual("chunked".utf8) else {
        throw HTTPFault(status: 501, message: "the only transfer encoding is chunked")
      }
      return .chunked
    }
    guard let length = lengths.first else { return .bytes(0) }
    guard lengths.allSatisfy({ $0 == length }), !length.isEmpty, length.utf8.count <= 18,
      length.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let count = Int(length)
    else { throw .malformed("the content length is malformed") }
    return .bytes(count)
  }
}

enum BodyLength: Equatable {
  case bytes(Int)
  case chunked
  /// The body lasts until the connection ends. Only a response may have such a body.
  case untilEnd

  func mayExceed(_ bytesMax: Int) -> Bool { if case .bytes(let count) = self { count > bytesMax } else { true } }
}
