/// One JSON value that is passed on unread. It has been checked, has no superfluous whitespace, and is within limits of
/// length and depth.
public struct JSONText: Hashable, Sendable {
  /// The value without whitespace between its parts. Values with equal bytes are equal, but equal values may have
  /// different bytes.
  public let bytes: [UInt8]

  /// An upper bound on the depth. It is half the depth of a message: a client that got the value in a shallow message
  /// must be able to send it in a deeper one.
  public static let depthMax = JSONScanner.depthMax / 2

  /// Reads all of `bytes`. Whitespace between parts doesn't count towards `maximumBytes`.
  public init(validating bytes: UnsafeRawBufferPointer, maximumBytes: Int) throws(JSONFailure) {
    var reader = try JSONReader(validating: bytes)
    try self.init(reading: &reader, maximumBytes: maximumBytes)
  }

  /// Takes the reader's next value.
  public init(reading reader: inout JSONReader, maximumBytes: Int) throws(JSONFailure) {
    let start = reader.offset
    let raw = try reader.readRawValue()
    var compact = ByteWriter(capacity: min(raw.count, maximumBytes))
    var depth = 0
    var index = 0
    while index < raw.count {
      let byte = raw[index]
      var end = index + 1
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09:
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        guard depth <= JSONText.depthMax else { throw JSONFailure(.tooDeep, at: start + index) }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
      case UInt8(ascii: "'"):
        // The reader may allow single quotes. A value that is passed on must be strict JSON, so single quotes are
        // refused here.
        throw JSONFailure(.unexpectedByte, at: start + index)
      case UInt8(ascii: "\""):
        end = try JSONScanner.stringEnd(in: raw, from: index, quotes: .double)
      default:
        break
      }
      guard compact.count + (end - index) <= maximumBytes else { throw JSONFailure(.tooLong, at: start + index) }
      compact.append(UnsafeRawBufferPointer(rebasing: raw[index..<end]))
      index = end
    }
    self.bytes = compact.finish()
  }

  public var kind: JSONKind {
    switch bytes[0] {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// `{}`: the presence of a peer that has set none.
  public static let emptyObject = JSONText(checked: [UInt8(ascii: "{"), UInt8(ascii: "}")])

  /// A whole number as JSON.
  public init(_ number: UInt64) {
    var writer = JSONWriter(capacity: 24)
    writer.value(number)
    self.init(checked: writer.finish())
  }

  private init(checked bytes: [UInt8]) {
    self.bytes = bytes
  }
}
