/// Why bytes from outside are not a message.
public enum MessageError: Error, Hashable, Sendable {
  /// The bytes are not valid JSON or UTF-8, or not an object; or they are not valid in the binary form.
  case malformed(Text)
  /// A message of an unknown kind. The connection may go on.
  case unknownType(Text)
  /// A hello with a field of the wrong form, which ends the connection.
  case badHello(Text)
  /// Another message with a field that is missing or of the wrong form. The connection may go on.
  case badField(Text)
  /// Operations that are refused; the connection goes on.
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

  /// The same error, with the `id` that the sender gave its message.
  func naming(_ id: MessageIdentifier?) -> MessageError {
    guard case .rejected(var rejection) = self else { return self }
    rejection.id = id
    return .rejected(rejection)
  }
}
