/// A client's identifier for one of its messages: a number or a text. The server sends it back unchanged.
public struct MessageIdentifier: Hashable, Sendable {
  /// The identifier's JSON, as the client wrote it.
  public let json: JSONText

  /// `nil` unless the value is a number or a text.
  public init?(json: JSONText) {
    guard json.kind == .number || json.kind == .string else { return nil }
    self.json = json
  }

  public init(_ number: UInt64) {
    json = JSONText(number)
  }

  /// The upper bound on its bytes (W1). Every answer repeats the identifier, and the limit on the length of an
  /// acknowledgement allows for this many bytes.
  private static let bytesMax = 1_024

  public var isTooLong: Bool { json.bytes.count > MessageIdentifier.bytesMax }

  /// The answer to operations whose identifier is too long. It can't repeat the identifier.
  public static var tooLong: Rejection { Rejection(code: .badMessage, message: "id has more than 1024 bytes") }

  /// The number, if the JSON has one to fifteen digits and no leading zeros.
  public var wholeNumber: UInt64? {
    let bytes = json.bytes
    guard bytes.count <= 15, bytes.count == 1 || bytes.first != UInt8(ascii: "0") else { return nil }
    var number: UInt64 = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + UInt64(digit)
    }
    return number
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ id: MessageIdentifier?, to writer: inout JSONWriter) {
    guard let id else { return }
    writer.key("id")
    writer.value(id.json)
  }
}

extension JSONReader {
  mutating func messageIdentifier() -> MessageIdentifier? { json().flatMap { MessageIdentifier(json: $0) } }
}

// MARK: - Binary

extension BinaryEncoding {
  /// Writes an identifier: as a varint if it has a `wholeNumber`, otherwise as its JSON.
  static func write(_ id: MessageIdentifier?, to writer: inout ByteWriter) {
    guard let id else { return writer.append(0) }
    if let number = id.wholeNumber {
      writer.append(1)
      writer.appendVarint(number)
    } else {
      writer.append(2)
      writer.appendCounted(id.json.bytes)
    }
  }

  static func readMessageIdentifier(from reader: inout ByteReader) throws(BinaryFailure) -> MessageIdentifier? {
    switch try reader.byte() {
    case 0: return nil
    case 1:
      let number = try reader.varint()
      guard number < 1_000_000_000_000_000 else { throw .field("an id of more than fifteen digits") }
      return MessageIdentifier(number)
    case 2:
      let bytes = try reader.countedBytes()
      guard let json = JSONText(compact: bytes), let id = MessageIdentifier(json: json), id.wholeNumber == nil
      else { throw .field("an id that is neither a number nor a text, or could be said more shortly") }
      return id
    default: throw .field("an id of no known form")
    }
  }
}
