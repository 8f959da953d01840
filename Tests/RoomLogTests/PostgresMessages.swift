/// Splits the bytes of one direction of a PostgreSQL connection into messages
/// (postgresql.org/docs/15/protocol-message-formats.html).
struct PostgresMessages {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether the next message is a client's first one, which has no type byte.
  private var isGreeting: Bool

  init(ofClient isOfClient: Bool) { isGreeting = isOfClient }

  mutating func add(_ part: some Collection<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes += part
  }

  /// The next message. `nil` until it is complete.
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

  var isSync: Bool { isOf(kind: "S") }
  var isReadyForQuery: Bool { isOf(kind: "Z") }

  /// The name of the prepared statement that a `Bind` message executes. `nil` for other messages.
  var boundStatement: String? {
    guard isOf(kind: "B") else { return nil }
    // The statement's name follows the type byte, the length, and the portal's name, which is empty here.
    return String(decoding: bytes.dropFirst(6).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The application name in a client's first message.
  var applicationName: String? {
    guard isGreeting else { return nil }
    let words = bytes.dropFirst(8).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return words.firstIndex(of: "application_name").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }
}
