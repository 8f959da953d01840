/// A client's position in a room's log. Its text is opaque: a client only compares it for equality, stores it and sends
/// it back.
public struct Cursor: Hashable, Sendable {
  public let text: Text

  public init(_ text: Text) { self.text = text }
}

extension JSONEncoding {
  static func write(_ cursor: Cursor, to writer: inout JSONWriter) {
    writer.key("cursor")
    writer.value(text: cursor.text)
  }
}

extension JSONReader {
  mutating func cursor() throws(MessageError) -> Cursor { Cursor(try text().orField("cursor must be text")) }
}

extension ByteWriter {
  mutating func append(_ cursor: Cursor) { appendCounted(cursor.text) }
}

extension ByteReader {
  mutating func cursor() throws(BinaryFailure) -> Cursor { Cursor(try countedText()) }
}
