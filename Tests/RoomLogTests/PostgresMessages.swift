/// Splits the bytes that go one way over a connection to PostgreSQL into messages
/// (postgresql.org/docs/15/protocol-message-formats.html).
struct PostgresMessages {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The first message of a client has no letter.
  private var isGreeting: Bool

  init(ofClient isOfClient: Bool) { isGreeting = isOfClient }

  mutating func add(_ part: some Collection<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes += part
  }

  /// The next message, once it is there as a whole.
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

  /// Ends what a client asks for at once.
  var isSync: Bool { isOf(kind: "S") }
  /// Ends the answer to that.
  var isReadyForQuery: Bool { isOf(kind: "Z") }

  /// The statement that is carried out, where this is the message which gives it its values.
  var boundStatement: String? {
    guard isOf(kind: "B") else { return nil }
    // A letter, the length, and a name that is empty here.
    return String(decoding: bytes.dropFirst(6).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// How a client calls itself in its greeting.
  var applicationName: String? {
    guard isGreeting else { return nil }
    let words = bytes.dropFirst(8).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return words.firstIndex(of: "application_name").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }
}
