/// Why bytes from outside are not a message.
public enum MessageError: Error, Hashable, Sendable {
  /// The bytes are not valid in their encoding: in JSON, because they are not valid JSON or UTF-8, or not an object.
  case malformed(Text)
  /// A message is of an unknown kind. The connection may go on.
  case unknownType(Text)
  /// A field of a hello has a wrong form. This ends the connection.
  case badHello(Text)
  /// A field of another message is missing or has a wrong form. The connection may go on.
  case badField(Text)
  /// Operations are refused. The connection goes on.
  indirect case rejected(Rejection)

  /// The reason, in words.
  public var words: Text {
    switch self {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words): words
    case .rejected(let rejection): rejection.message
    }
  }
}

extension MessageError {
  /// A refusal of the whole message.
  static func refused(_ code: RejectCode, _ message: StaticString) -> MessageError {
    .rejected(Rejection(code: code, message: Text(message)))
  }

  /// The same error, with the `id` that the sender gave to its message.
  func naming(_ id: MessageIdentifier?) -> MessageError {
    guard case .rejected(var rejection) = self else { return self }
    rejection.id = id
    return .rejected(rejection)
  }
}
