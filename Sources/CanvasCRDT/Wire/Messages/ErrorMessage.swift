// The server's `error`: what is wrong with a message that has no operations. The connection stays open.

// MARK: - JSON

extension JSONEncoding {
  static func writeError(_ code: Text, _ message: Text, to writer: inout JSONWriter) {
    writer.key("code")
    writer.value(text: code)
    writer.key("message")
    writer.value(text: message)
  }

  static func readError(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var code: Text?
    var message: Text?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "code": code = try reader.text().orField("code must be text")
      case "message": message = try reader.text().orField("message must be text")
      default: reader.passOver()
      }
    }
    return .error(
      code: try code.orField("error must have a code"),
      message: try message.orField("error has no message")
    )
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func writeError(_ code: Text, _ message: Text, to writer: inout ByteWriter) {
    writer.appendCounted(code)
    writer.appendCounted(message)
  }

  static func readError(from reader: inout ByteReader) throws(BinaryFailure) -> ServerMessage {
    .error(code: try reader.countedText(), message: try reader.countedText())
  }
}
