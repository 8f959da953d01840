/// A shape's place in the drawing order, `z`: a fraction between 0 and 1, written in base 62 with the digits
/// `0-9A-Za-z`.
///
/// The digits are in the order of their bytes, and the last digit is never `0`. So fractions have the same order as the
/// bytes of their texts, and between any two keys there is another key.
public struct OrderKey: Hashable, Sendable {
  /// The text, of 1 to 64 digits.
  public let text: Text

  public static let lengthMax = 64

  /// The fraction one half, `V`. A shape has this key until another one is written.
  public static let middle = OrderKey(unchecked: "V")

  /// `nil` if the text is not an order key.
  public init?(_ text: Text) {
    guard text.withBytes({ OrderKey.isValid($0) }) else { return nil }
    self.text = text
  }

  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard OrderKey.isValid(bytes) else { return nil }
    text = Text(uncheckedUTF8: bytes)
  }

  init(unchecked text: Text) {
    self.text = text
  }

  @inlinable public var length: Int { text.utf8Count }

  private static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty, bytes.count <= lengthMax, bytes[bytes.count - 1] != UInt8(ascii: "0") else { return false }
    return bytes.allSatisfy { OrderFraction.digit(ofByte: $0) != nil }
  }
}

extension OrderKey: Comparable {
  @inlinable
  public static func < (left: OrderKey, right: OrderKey) -> Bool { left.text < right.text }
}

extension OrderKey: CustomStringConvertible {
  public var description: String { text.string }
}
