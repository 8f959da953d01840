/// The compact encoding of the messages, `canvas.v1.bin`: one message for each binary frame.
///
/// A message is a byte for its kind, then its fields in a fixed order. Numbers are LEB128 varints in their shortest
/// form. An identifier is six bytes. A text is its length as a varint, and then its UTF-8. Each message has exactly one
/// encoding, and a decoder refuses all other bytes, so equal messages are equal bytes. docs/PROTOCOL.md describes the
/// encoding byte by byte.
public enum BinaryEncoding {
  /// Means that an optional identifier is missing.
  static let noIdentifier: UInt64 = 1 << 48 - 1

  public static func encode(_ message: ClientMessage) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.append(message.kind.rawValue)
    writeFields(of: message, to: &writer)
    return writer.finish()
  }

  public static func encode(_ message: ServerMessage) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.append(message.kind.rawValue)
    writeFields(of: message, to: &writer)
    return writer.finish()
  }

  /// Decodes a client's message. A message with more than `operationsMax` operations is rejected before they are read.
  public static func decodeClientMessage(
    _ bytes: UnsafeRawBufferPointer,
    operationsMax: UInt64 = UInt64.max
  ) throws(MessageError) -> ClientMessage {
    var reader = ByteReader(bytes)
    var id: MessageIdentifier?
    do throws(BinaryFailure) {
      let first = try reader.byte()
      let message: ClientMessage
      if first == earlierHello {
        message = .hello(try readHello(isEarlier: true, from: &reader))
      } else {
        guard let kind = ClientMessageKind(rawValue: first) else { throw .unknownKind(first) }
        message = try readClientMessage(kind, from: &reader, id: &id, operationsMax: operationsMax)
      }
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return message
    } catch {
      throw error.error(id: id)
    }
  }

  /// Decodes a message from a server.
  public static func decodeServerMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ServerMessage {
    var reader = ByteReader(bytes)
    do throws(BinaryFailure) {
      let first = try reader.byte()
      guard let kind = ServerMessageKind(rawValue: first) else { throw .unknownKind(first) }
      let message = try readServerMessage(kind, from: &reader)
      guard reader.isAtEnd else { throw .malformed("bytes behind the message") }
      return message
    } catch {
      throw error.error()
    }
  }

  /// Whether a server's frame is addressed to its receiver alone, judged by its first byte. A client that only writes
  /// can skip all other frames.
  public static func isPersonal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, let kind = ServerMessageKind(rawValue: first) else { return true }
    return kind.isPersonal
  }
}

// MARK: - From arrays

extension BinaryEncoding {
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
}
