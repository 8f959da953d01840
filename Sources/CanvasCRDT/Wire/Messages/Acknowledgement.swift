/// The server's answer to operations that have become durable.
public struct Acknowledgement: Hashable, Sendable {
  public var id: MessageIdentifier?
  public var cursor: Cursor
  public var superseded: [Superseded]

  public init(id: MessageIdentifier?, cursor: Cursor, superseded: [Superseded] = []) {
    self.id = id
    self.cursor = cursor
    self.superseded = superseded
  }
}

/// A value that had already been overwritten by a newer value when the server stored it.
public struct Superseded: Hashable, Sendable {
  /// The index of the operation in its message.
  public var operation: Int
  public var property: Property
  public var by: Stamp

  public init(operation: Int, property: Property, by: Stamp) {
    self.operation = operation
    self.property = property
    self.by = by
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ acknowledgement: Acknowledgement, to writer: inout JSONWriter) {
    write(acknowledgement.id, to: &writer)
    write(acknowledgement.cursor, to: &writer)
    guard !acknowledgement.superseded.isEmpty else { return }
    writer.key("superseded")
    writer.beginArray()
    for superseded in acknowledgement.superseded {
      writer.beginObject()
      writer.key("op")
      writer.value(superseded.operation)
      writer.key("property")
      writer.value(superseded.property.wireName)
      writer.key("by")
      writer.value(superseded.by)
      writer.endObject()
    }
    writer.endArray()
  }

  static func readAcknowledgement(from reader: inout JSONReader) throws(MessageError) -> Acknowledgement {
    var id: MessageIdentifier?
    var cursor: Cursor?
    var superseded: [Superseded] = []
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "id": id = try reader.messageIdentifier().orField("id must be a number or text")
      case "cursor": cursor = try reader.cursor()
      case "superseded":
        try forEachElement(of: &reader) { (reader) throws(MessageError) in
          superseded.append(try readSuperseded(from: &reader))
        }
      default: reader.passOver()
      }
    }
    return Acknowledgement(id: id, cursor: try cursor.orField("ack must have a cursor"), superseded: superseded)
  }

  private static func readSuperseded(from reader: inout JSONReader) throws(MessageError) -> Superseded {
    var operation: Int?
    var property: Property?
    var stamp: Stamp?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "op": operation = try reader.place().orField("op must be a place in the message")
      case "property": property = try reader.named { Property(wireName: $0) }.orField("no such property")
      case "by": stamp = try reader.stamp().orField("by must be a stamp")
      default: reader.passOver()
      }
    }
    return Superseded(
      operation: try operation.orField("superseded must name an operation"),
      property: try property.orField("superseded must name a property"),
      by: try stamp.orField("superseded must name a stamp")
    )
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ acknowledgement: Acknowledgement, to writer: inout ByteWriter) {
    write(acknowledgement.id, to: &writer)
    writer.append(acknowledgement.cursor)
    writer.appendVarint(UInt64(acknowledgement.superseded.count))
    for superseded in acknowledgement.superseded {
      writer.appendVarint(UInt64(superseded.operation))
      writer.append(superseded.property.rawValue)
      writer.append(superseded.by)
    }
  }

  static func readAcknowledgement(from reader: inout ByteReader) throws(BinaryFailure) -> Acknowledgement {
    var acknowledgement = Acknowledgement(
      id: try readMessageIdentifier(from: &reader),
      cursor: try reader.cursor()
    )
    for _ in 0..<(try reader.count(bytesEach: 16)) {
      guard let operation = Int(exactly: try reader.varint()), let property = Property(rawValue: try reader.byte())
      else { throw .field("a superseded value that there is not") }
      acknowledgement.superseded.append(
        Superseded(operation: operation, property: property, by: try reader.stamp())
      )
    }
    return acknowledgement
  }
}
