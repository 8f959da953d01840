/// Why received bytes are not a valid message.
public enum MessageError: Error, Hashable, Sendable {
  /// The bytes can't be decoded. JSON is malformed if it is not valid JSON or UTF-8, or not an object.
  case malformed(Text)
  /// The kind of message is unknown. The connection may stay open.
  case unknownType(Text)
  /// A field of a hello is invalid. The connection has to be closed.
  case badHello(Text)
  /// A field of another message is missing or invalid. The connection may stay open.
  case badField(Text)
  /// Operations are rejected. The connection stays open.
  indirect case rejected(Rejection)

  /// The reason, as text for people.
  public var words: Text {
    switch self {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words): words
    case .rejected(let rejection): rejection.message
    }
  }
}

extension MessageError {
  /// An error that rejects the whole message.
  static func refused(_ code: RejectCode, _ message: StaticString) -> MessageError {
    .rejected(Rejection(code: code, message: Text(message)))
  }

  /// The same error, with the `id` that the sender gave its message.
  func naming(_ id: MessageIdentifier?) -> MessageError {
    guard case .rejected(var rejection) = self else { return self }
    rejection.id = id
    return .rejected(rejection)
  }
}
