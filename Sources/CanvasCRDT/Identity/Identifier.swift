/// Identifies a shape or an actor: nine of `0-9a-z` in three groups, `afy-kw5-t7o`.
///
/// Nine base-36 digits fit in 47 bits, so an identifier is an integer whose numeric order is the order of its text.
public struct Identifier: Hashable, Sendable {
  /// The text read as one number in base 36, from 0 to 36⁹ − 1.
  public let packed: UInt64

  /// 36⁹, which is one more than the greatest packed value.
  public static let packedLimit: UInt64 = 101_559_956_668_416

  /// The length of the text, including the hyphens.
  public static let textLength = 11

  @inlinable
  public init?(packed: UInt64) {
    guard packed < Identifier.packedLimit else { return nil }
    self.packed = packed
  }

  @inlinable
  init(unchecked packed: UInt64) {
    self.packed = packed
  }

  /// A random identifier, uniformly distributed.
  public static func random(using generator: inout some RandomNumberGenerator) -> Identifier {
    Identifier(unchecked: UInt64.random(in: 0..<packedLimit, using: &generator))
  }
}

extension Identifier: Comparable {
  @inlinable
  public static func < (left: Identifier, right: Identifier) -> Bool { left.packed < right.packed }
}

// MARK: - Text

extension Identifier {
  /// Reads an identifier from the eleven bytes of its text.
  @inlinable
  public init?(text bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Identifier.textLength else { return nil }
    var packed: UInt64 = 0
    for index in 0..<Identifier.textLength {
      let byte = bytes[index]
      if index == 3 || index == 7 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte &- UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = UInt64(byte &- UInt8(ascii: "a")) &+ 10
      default: return nil
      }
      packed = packed &* 36 &+ digit
    }
    self.packed = packed
  }

  public init?(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { Identifier(text: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Writes the eleven bytes of the text. `bytes` must have room for them.
  ///
  /// The three groups are computed independently, so that the processor can do their divisions at the same time. This
  /// matters because the digest writes two identifiers for each update.
  @inlinable
  public func write(to bytes: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count >= Identifier.textLength, "an identifier's text takes eleven bytes")
    let (upper, last) = packed.quotientAndRemainder(dividingBy: 46_656)
    let (first, middle) = upper.quotientAndRemainder(dividingBy: 46_656)
    Identifier.write(group: UInt32(truncatingIfNeeded: first), to: bytes, at: 0)
    bytes[3] = UInt8(ascii: "-")
    Identifier.write(group: UInt32(truncatingIfNeeded: middle), to: bytes, at: 4)
    bytes[7] = UInt8(ascii: "-")
    Identifier.write(group: UInt32(truncatingIfNeeded: last), to: bytes, at: 8)
  }

  @inlinable
  @inline(__always)
  static func write(group: UInt32, to bytes: UnsafeMutableRawBufferPointer, at start: Int) {
    let (upper, last) = group.quotientAndRemainder(dividingBy: 36)
    let (first, middle) = upper.quotientAndRemainder(dividingBy: 36)
    bytes[start] = digit(first)
    bytes[start &+ 1] = digit(middle)
    bytes[start &+ 2] = digit(last)
  }

  @inlinable
  @inline(__always)
  static func digit(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value)
    return value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
  }

  /// The text, `afy-kw5-t7o`.
  public var text: String {
    String(unsafeUninitializedCapacity: Identifier.textLength) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      return Identifier.textLength
    }
  }

  /// The text's last group, `t7o`. A shape without a name of its own is shown with a generated name that ends with it.
  public var lastGroup: Text {
    Text(capacity: 3) { room in
      Identifier.write(group: UInt32(truncatingIfNeeded: packed % 46_656), to: room, at: 0)
      return 3
    }
  }
}

extension Identifier: CustomStringConvertible {
  public var description: String { text }
}
