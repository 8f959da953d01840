/// Gathers the body of an HTTP/1 message, and throws if the body is longer than its bound.
struct BodyReader {
  private enum Part: Equatable {
    case sized(remaining: Int)
    case untilEnd
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailer
    case complete
  }

  /// The upper bound on the bytes of one line: a line with a chunk's size and extensions, or a line of the trailer. The
  /// content of extensions and trailers is checked but not used.
  private static let lineBytesMax = 256
  private static let trailersMax = 16

  let bytesMax: Int
  private(set) var body: [UInt8] = []
  private var part: Part
  private var trailers = 0

  /// Throws if the `Content-Length` already shows that the body is too large.
  init(_ length: BodyLength, bytesMax: Int) throws(HTTPFault) {
    self.bytesMax = bytesMax
    switch length {
    case .bytes(0): part = .complete
    case .bytes(let count):
      guard count <= bytesMax else { throw Self.tooLarge(bytesMax) }
      part = .sized(remaining: count)
    case .chunked: part = .chunkSize
    case .untilEnd: part = .untilEnd
    }
  }

  var isComplete: Bool { part == .complete }

  /// Whether the body counts as complete if the connection ends now.
  var isCompleteAtEnd: Bool { part == .complete || part == .untilEnd }

  /// Moves bytes from the front of `bytes` into the body. Bytes that don't belong to the body remain in `bytes`.
  mutating func take(_ bytes: inout [UInt8]) throws(HTTPFault) {
    var place = 0
    defer { bytes.removeFirst(place) }
    while part != .complete, place < bytes.count || part == .complete {
      switch part {
      case .sized(let remaining):
        let count = min(remaining, bytes.count - place)
        try append(bytes[place..<(place + count)])
        place += count
        part = count == remaining ? .complete : .sized(remaining: remaining - count)
      case .untilEnd:
        try append(bytes[place...])
        place = bytes.count
      case .chunkSize:
        guard let line = try line(in: bytes, from: &place) else { return }
        let digits = line.prefix { $0.hexadecimalValue != nil }
        let rest = line.dropFirst(digits.count)
        guard !digits.isEmpty, digits.count <= 8, rest.isEmpty || ChunkExtension.areWellFormed(rest) else {
          throw .malformed("a chunk's size is malformed")
        }
        let size = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue!) }
        part = size == 0 ? .trailer : .chunk(remaining: size)
      case .chunk(let remaining):
        let count = min(remaining, bytes.count - place)
        try append(bytes[place..<(place + count)])
        place += count
        part = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
      case .chunkEnd:
        guard let line = try line(in: bytes, from: &place) else { return }
        guard line.isEmpty else { throw .malformed("a chunk is longer than it says") }
        part = .chunkSize
      case .trailer:
        guard let line = try line(in: bytes, from: &place) else { return }
        trailers += 1
        guard trailers <= Self.trailersMax else { throw .malformed("there are too many trailers") }
        if line.isEmpty { part = .complete } else { _ = try HeadParser.header(line) }
      case .complete: return
      }
    }
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) {
    guard bytes.count <= bytesMax - body.count else { throw Self.tooLarge(bytesMax) }
    body += bytes
  }

  private func line(in bytes: [UInt8], from place: inout Int) throws(HTTPFault) -> ArraySlice<UInt8>? {
    guard let end = bytes[place...].firstIndex(of: 0x0A) else {
      guard bytes.count - place <= Self.lineBytesMax else { throw .malformed("a chunk's line is too long") }
      return nil
    }
    guard end > place, bytes[end - 1] == 0x0D, end - place <= Self.lineBytesMax else {
      throw .malformed("a chunk's line is malformed")
    }
    defer { place = end + 1 }
    return bytes[place..<(end - 1)]
  }

  private static func tooLarge(_ bytesMax: Int) -> HTTPFault {
    HTTPFault(status: 413, message: "the body is longer than \(bytesMax) bytes")
  }
}
