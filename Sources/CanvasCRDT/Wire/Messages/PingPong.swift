// A client's `ping`, and the server's `pong` with its clock's time in Unix milliseconds.

// MARK: - JSON

extension JSONEncoding {
  static func writePing(_ id: MessageIdentifier?, to writer: inout JSONWriter) { write(id, to: &writer) }

  static func readPing(from reader: inout JSONReader) throws(MessageError) -> MessageIdentifier? {
    var id: MessageIdentifier?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      default: reader.passOver()
      }
    }
    return id
  }

  static func writePong(_ id: MessageIdentifier?, _ milliseconds: UInt64, to writer: inout JSONWriter) {
    write(id, to: &writer)
    writer.key("time")
    writer.value(milliseconds)
  }

  static func readPong(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var id: MessageIdentifier?
    var milliseconds: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      case "time": milliseconds = try reader.wholeNumber().orField("time must be milliseconds")
      default: reader.passOver()
      }
    }
    return .pong(id: id, milliseconds: try milliseconds.orField("pong must tell the time"))
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func writePing(_ id: MessageIdentifier?, to writer: inout ByteWriter) { write(id, to: &writer) }

  static func readPing(from reader: inout ByteReader) throws(BinaryFailure) -> MessageIdentifier? {
    try readMessageIdentifier(from: &reader)
  }

  static func writePong(_ id: MessageIdentifier?, _ milliseconds: UInt64, to writer: inout ByteWriter) {
    write(id, to: &writer)
    writer.appendVarint(milliseconds)
  }

  static func readPong(from reader: inout ByteReader) throws(BinaryFailure) -> ServerMessage {
    .pong(id: try readMessageIdentifier(from: &reader), milliseconds: try reader.varint())
  }
}
