/// Why a request can't be understood, and the status of the answer.
struct HTTPFault: Error, Equatable {
  var status: Int
  var message: String

  static func malformed(_ message: String) -> HTTPFault { HTTPFault(status: 400, message: message) }

  static let overloaded = HTTPFault(status: 503, message: "the server holds too many bytes of requests and answers")
  static let tooManyConnections = HTTPFault(status: 503, message: "the server has too many connections")
  static let tooLate = HTTPFault(status: 503, message: "the answer took too long; it may be done all the same")
}

/// Finds and parses the head of an HTTP/1 message: the first line and the headers. The parser is strict: lines end in
/// CR LF, names are tokens without a space before the colon, and lines aren't folded. If a proxy parses a head
/// differently from its server, requests can be smuggled past the proxy.
struct HeadParser {
  let bytesMax: Int
  let headersMax: Int
  /// The offset from which the search for the end of the head continues. Otherwise a head that comes byte by byte would
  /// be searched from its start each time.
  private var searched = 0
  /// How many empty lines have come before the head.
  private var emptyLines = 0
  /// Empty lines are accepted because some clients send one after a body.
  private static let emptyLinesMax = 8

  init(bytesMax: Int, headersMax: Int) {
    self.bytesMax = bytesMax
    self.headersMax = headersMax
  }

  struct Head {
    var firstLine: [UInt8]
    var headers: [(name: String, value: String)]
  }

  /// Removes a head, and the empty lines before it, from the front of `bytes`. `nil` if the head isn't complete yet.
  mutating func take(_ bytes: inout [UInt8]) throws(HTTPFault) -> Head? {
    try dropEmptyLines(&bytes)
    let end = findEnd(bytes, from: searched)
    // This is refused at once: the end of a head whose lines all end so would never be found.
    guard !hasBareLineFeed(bytes[..<min(end ?? bytes.count, bytesMax)], from: searched) else {
      throw .malformed("a line doesn't end in CR LF")
    }
    guard let end else {
      // `bytes` can include the first three bytes of the CR LF CR LF that ends the head, which don't count towards the
      // bound.
      guard bytes.count <= bytesMax + 3 else {
        throw HTTPFault(status: 431, message: "the head is longer than \(bytesMax) bytes")
      }
      searched = max(0, bytes.count - 3)
      return nil
    }
    searched = 0
    emptyLines = 0
    guard end <= bytesMax else {
      throw HTTPFault(status: 431, message: "the head is longer than \(bytesMax) bytes")
    }
    let head = try head(bytes[..<end])
    bytes.removeFirst(end + 4)
    return head
  }

  /// Removes the empty lines at the front, so that they are neither parsed again nor held in memory.
  private mutating func dropEmptyLines(_ bytes: inout [UInt8]) throws(HTTPFault) {
    guard searched == 0 else { return }
    var start = 0
    defer { if start > 0 { bytes.removeFirst(start) } }
    while start + 1 < bytes.count, bytes[start] == 0x0D, bytes[start + 1] == 0x0A {
      start += 2
      emptyLines += 1
      guard emptyLines <= Self.emptyLinesMax else { throw .malformed("there are too many empty lines before a head") }
    }
  }

  private func head(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) -> Head {
    let end = bytes.endIndex
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    lines = lines.map { $0.endIndex == end ? $0 : $0.dropLast() }[...]
    guard let first = lines.popFirst(), !first.isEmpty else { throw .malformed("there is no request line") }
    guard lines.count <= headersMax else {
      throw HTTPFault(status: 431, message: "there are more than \(headersMax) headers")
    }
    var headers: [(name: String, value: String)] = []
    for line in lines { headers.append(try Self.header(line)) }
    return Head(firstLine: Array(first), headers: headers)
  }

  /// The index of the CR LF CR LF that ends the head.
  private func findEnd(_ bytes: [UInt8], from start: Int) -> Int? {
    var place = start
    while place + 3 < bytes.count {
      if bytes[place + 3] == 0x0A {
        if bytes[place] == 0x0D, bytes[place + 1] == 0x0A, bytes[place + 2] == 0x0D { return place }
        place += 1
      } else if bytes[place + 3] == 0x0D {
        place += 1
      } else {
        place += 4
      }
    }
    return nil
  }

  /// Whether a line ends in LF without CR.
  private func hasBareLineFeed(_ bytes: ArraySlice<UInt8>, from start: Int) -> Bool {
    for place in start..<max(start, bytes.endIndex) where bytes[place] == 0x0A {
      if place == bytes.startIndex || bytes[place - 1] != 0x0D { return true }
    }
    return false
  }

  /// A line of a head, or of a trailer.
  static func header(_ line: ArraySlice<UInt8>) throws(HTTPFault) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("a header has no colon") }
    let name = line[..<colon]
    guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { throw .malformed("a header's name is malformed") }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .malformed("a header's value has a control character")
    }
    return (
      String(decoding: name.map(\.lowercased), as: UTF8.self), String(decoding: value, as: UTF8.self).trimmingSpaces
    )
  }
}

extension UInt8 {
  /// RFC 9110's `tchar`.
  var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
