/// One JSON value, such as a presence, that is passed on without being interpreted. It is valid, has no superfluous
/// whitespace, and is within limits of length and depth.
public struct JSONText: Hashable, Sendable {
  /// The value without whitespace between its tokens. Equal values can have different bytes.
  public let bytes: [UInt8]

  /// How deep the value may be nested: half as deep as a message. So a value that came in one message can be sent in
  /// another that nests it deeper.
  public static let depthMax = JSONScanner.depthMax / 2

  /// Reads all of `bytes`. Whitespace between tokens doesn't count towards `maximumBytes`.
  public init(validating bytes: UnsafeRawBufferPointer, maximumBytes: Int) throws(JSONFailure) {
    var reader = try JSONReader(validating: bytes)
    try self.init(reading: &reader, maximumBytes: maximumBytes)
  }

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
        // The reader may allow single quotes, but a value that is passed on must be strict JSON.
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

  /// An object without the members whose keys are left out. Another value stays as it is.
  public func without(_ isLeftOut: (JSONString) -> Bool) -> JSONText {
    bytes.span.withUnsafeBytes { whole in
      guard var reader = try? JSONReader(validating: whole), (try? reader.beginObject()) != nil else { return self }
      var kept = ByteWriter(capacity: whole.count)
      kept.append(UInt8(ascii: "{"))
      while let key = (try? reader.nextKey()) ?? nil, let value = try? reader.readRawValue() {
        guard !isLeftOut(key) else { continue }
        if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
        kept.append(UInt8(ascii: "\""))
        kept.append(key.raw)
        kept.append([UInt8(ascii: "\""), UInt8(ascii: ":")])
        kept.append(value)
      }
      kept.append(UInt8(ascii: "}"))
      return JSONText(checked: kept.finish())
    }
  }

  public init(_ number: UInt64) {
    var writer = JSONWriter(capacity: 24)
    writer.value(number)
    self.init(checked: writer.finish())
  }

  private init(checked bytes: [UInt8]) {
    self.bytes = bytes
  }
}
