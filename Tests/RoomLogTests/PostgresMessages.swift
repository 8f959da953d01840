/// Splits the bytes of one direction of a connection to PostgreSQL into messages
/// (postgresql.org/docs/15/protocol-message-formats.html).
struct PostgresMessages {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether the next message is a client's first one, which has no letter for its kind.
  private var isGreeting: Bool

  init(ofClient isOfClient: Bool) { isGreeting = isOfClient }

  mutating func add(_ part: some Collection<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes += part
  }

  /// The next message, once all its bytes are there.
  mutating func next() -> PostgresMessage? {
    let letters = isGreeting ? 0 : 1
    guard bytes.count - start >= letters + 4 else { return nil }
    let length = bytes[(start + letters)..<(start + letters + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count - start >= letters + length else { return nil }
    let end = start + letters + length
    defer {
      start = end
      isGreeting = false
    }
    return PostgresMessage(bytes: Array(bytes[start..<end]), isGreeting: isGreeting)
  }
}

struct PostgresMessage {
  let bytes: [UInt8]
  let isGreeting: Bool

  private func isOf(kind: Character) -> Bool { !isGreeting && bytes.first == kind.asciiValue }

  /// Whether the message ends a request.
  var isSync: Bool { isOf(kind: "S") }
  /// Whether the message ends the answer to a request.
  var isReadyForQuery: Bool { isOf(kind: "Z") }

  /// The name of the statement that is carried out, if this message gives the statement its parameters.
  var boundStatement: String? {
    guard isOf(kind: "B") else { return nil }
    // The name comes after the kind, the length, and another name, which is empty here.
    return String(decoding: bytes.dropFirst(6).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The name that a client gives itself in its first message.
  var applicationName: String? {
    guard isGreeting else { return nil }
    let words = bytes.dropFirst(8).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return words.firstIndex(of: "application_name").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }
}
