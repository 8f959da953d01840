/// The messages as JSON, `canvas.v1.json`: one object for each text frame.
///
/// Members are written in the order of the examples in docs/PROTOCOL.md, and are read in any order. Optional members
/// that are false or empty are left out, so that equal messages are equal bytes.
public enum JSONEncoding {
  public static func encode(_ message: ClientMessage) -> [UInt8] {
    var writer = writerOfObject(message.kind.wireName)
    writeMembers(of: message, to: &writer)
    writer.endObject()
    return writer.finish()
  }

  public static func encode(_ message: ServerMessage) -> [UInt8] {
    var writer = writerOfObject(message.kind.wireName)
    writeMembers(of: message, to: &writer)
    writer.endObject()
    return writer.finish()
  }

  /// Decodes a client's message. A message with more than `operationsMax` operations is rejected.
  public static func decodeClientMessage(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    var reader = try readerOfObject(bytes)
    guard let kind = try type(of: reader).withBytes({ ClientMessageKind(wireName: $0) }) else {
      throw .unknownType("a client sends no message of this type")
    }
    return try readClientMessage(kind, from: &reader, operationsMax: operationsMax)
  }

  /// Decodes a message from a server. A state arrives as operations, because JSON has no other form for it.
  public static func decodeServerMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ServerMessage {
    var reader = try readerOfObject(bytes)
    guard let kind = try type(of: reader).withBytes({ ServerMessageKind(wireName: $0) }) else {
      throw .unknownType("a server sends no message of this type")
    }
    return try readServerMessage(kind, from: &reader)
  }

  /// Decodes the body `{"ops":[…]}` of an HTTP request. It needs no `type`; its `id` is read as in a message.
  public static func decodeSubmission(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> Submission {
    var reader = try readerOfObject(bytes)
    return try readSubmission(from: &reader, operationsMax: operationsMax)
  }
}

// MARK: - From arrays

extension JSONEncoding {
  public static func decodeClientMessage(
    _ bytes: [UInt8],
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in
      try decodeClientMessage(bytes, operationsMax: operationsMax)
    }
  }

  public static func decodeServerMessage(_ bytes: [UInt8]) throws(MessageError) -> ServerMessage {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in try decodeServerMessage(bytes) }
  }

  public static func decodeSubmission(
    _ bytes: [UInt8],
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> Submission {
    try bytes.span.withUnsafeBytes { (bytes) throws(MessageError) in
      try decodeSubmission(bytes, operationsMax: operationsMax)
    }
  }
}

// MARK: - Every message

extension JSONEncoding {
  /// Begins an object whose first member is `type`.
  private static func writerOfObject(_ type: StaticString) -> JSONWriter {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("type")
    writer.value(type)
    return writer
  }

  /// Checks that the text is a JSON object.
  private static func readerOfObject(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> JSONReader {
    do throws(JSONFailure) {
      let reader = try JSONReader(validating: bytes)
      guard reader.kind == .object else { throw JSONFailure(.unexpectedKind, at: reader.offset) }
      return reader
    } catch {
      switch error.reason {
      case .unexpectedKind: throw .malformed("a message must be an object")
      default: throw .malformed(Text("not valid JSON: ").appending(error.message))
      }
    }
  }

  /// The message's type, wherever it is in the object. It is usually the first member, and then nothing else is read.
  private static func type(of object: JSONReader) throws(MessageError) -> JSONString {
    var reader = object
    guard reader.entersObject() else { throw .malformed("a message must be an object") }
    while let key = reader.memberKey() {
      guard case "type" = key else {
        reader.passOver()
        continue
      }
      guard let type = reader.string() else { throw .unknownType("type must be text") }
      return type
    }
    throw .unknownType("a message must have a type")
  }
}
