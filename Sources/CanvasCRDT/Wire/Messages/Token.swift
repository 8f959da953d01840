// A client's `token` renews its access before its old token expires. The server's answer says when the new token
// expires, in Unix milliseconds.

// MARK: - JSON

extension JSONEncoding {
  static func writeToken(_ token: Text, to writer: inout JSONWriter) {
    writer.key("token")
    writer.value(text: token)
  }

  static func readToken(from reader: inout JSONReader) throws(MessageError) -> Text {
    var token: Text?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "token": token = try reader.text().orField("token must be text")
      default: reader.passOver()
      }
    }
    return try token.orField("token must have a token")
  }

  static func writeToken(until milliseconds: UInt64?, to writer: inout JSONWriter) {
    guard let milliseconds else { return }
    writer.key("until")
    writer.value(milliseconds)
  }

  static func readTokenAnswer(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var milliseconds: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "until": milliseconds = try reader.wholeNumber().orField("until must be milliseconds")
      default: reader.passOver()
      }
    }
    return .token(until: milliseconds)
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func readToken(from reader: inout ByteReader) throws(BinaryFailure) -> Text { try reader.countedText() }

  static func readTokenAnswer(from reader: inout ByteReader) throws(BinaryFailure) -> ServerMessage {
    let milliseconds = try reader.varint()
    return .token(until: milliseconds > 0 ? milliseconds : nil)
  }
}
