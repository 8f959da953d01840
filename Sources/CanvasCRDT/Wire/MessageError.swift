/// Why bytes from outside are not a message.
public enum MessageError: Error, Hashable, Sendable {
  /// Not the encoding at all: not valid JSON, not UTF-8, not an object; or not the binary form.
  case malformed(Text)
  /// A message of a kind that there is not. The connection may go on.
  case unknownType(Text)
  /// A hello with a field of the wrong form, which ends the connection.
  case badHello(Text)
  /// Another message with a field that is missing or of the wrong form. The connection may go on.
  case badField(Text)
  /// Operations that are refused; the connection goes on.
  indirect case rejected(Rejection)

  /// Why, in words.
  public var words: Text {
    switch self {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words): words
    case .rejected(let rejection): rejection.message
    }
  }
}
