/// Why bytes are not valid in the binary encoding. The enum is indirect, so that the reader's functions return one
/// reference rather than six machine words. Only a failure allocates.
indirect enum BinaryFailure: Error, Hashable, Sendable {
  case truncated
  /// The message's bytes can't be decoded.
  case malformed(StaticWords)
  case unknownKind(UInt8)
  /// A field is invalid. `hello` is for a field of a hello, `field` for a field of another message without operations.
  case hello(StaticWords)
  case field(StaticWords)
  /// The operations are rejected, all together.
  case refused(RejectCode, StaticWords)
  case value(operation: Int, PropertyProblem)
  case reference(operation: Int, RejectCode, StaticWords)

  /// A text known at compile time. It costs nothing until somebody reads it.
  struct StaticWords: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: StaticString

    init(stringLiteral value: StaticString) { text = value }

    static func == (left: StaticWords, right: StaticWords) -> Bool { Text(left.text) == Text(right.text) }
    func hash(into hasher: inout Hasher) { hasher.combine(Text(text)) }
  }

  /// The error to send back. `id` is the identifier that the sender gave its message.
  func error(id: MessageIdentifier? = nil) -> MessageError {
    switch self {
    case .truncated: .malformed("the message ends before it is whole")
    case .malformed(let words): .malformed(Text(words.text))
    case .unknownKind: .unknownType("a message of a kind that there is not")
    case .hello(let words): .badHello(Text(words.text))
    case .field(let words): .badField(Text(words.text))
    case .refused(let code, let words): .rejected(Rejection(id: id, code: code, message: Text(words.text)))
    case .value(let operation, let problem):
      .rejected(Rejection(id: id, operation: operation, code: .badValue, message: problem.message))
    case .reference(let operation, let code, let words):
      .rejected(Rejection(id: id, operation: operation, code: code, message: Text(words.text)))
    }
  }
}
