/// A reading of a hybrid logical clock: when a register was written, and by which actor.
///
/// Stamps are ordered by milliseconds, then counter, then actor. Milliseconds and counter share one integer, so that
/// comparing two stamps takes at most two integer comparisons.
public struct Stamp: Hashable, Sendable {
  /// The milliseconds in the upper 48 bits, and the counter in the lower 16.
  public let time: UInt64
  public let actor: Identifier

  public static let millisecondsMax: UInt64 = 0xFFFF_FFFF_FFFF
  public static let counterMax: UInt64 = 0xFFFF

  @inlinable
  public init(time: UInt64, actor: Identifier) {
    self.time = time
    self.actor = actor
  }

  /// A stamp from its parts. `nil` if a part is out of range.
  @inlinable
  public init?(milliseconds: UInt64, counter: UInt64, actor: Identifier) {
    guard milliseconds <= Stamp.millisecondsMax, counter <= Stamp.counterMax else { return nil }
    self.init(time: milliseconds << 16 | counter, actor: actor)
  }

  @inlinable public var milliseconds: UInt64 { time >> 16 }
  @inlinable public var counter: UInt64 { time & Stamp.counterMax }

  /// The stamp of a register that has never been written. Every real stamp is greater.
  @inlinable static var never: Stamp { Stamp(time: 0, actor: Identifier(unchecked: 0)) }
}

extension Stamp: Comparable {
  @inlinable
  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.time != right.time ? left.time < right.time : left.actor < right.actor
  }
}

// MARK: - Text

extension Stamp {
  /// The length of the longest stamp as text: fifteen digits for the milliseconds, five for the counter, the actor, and
  /// two dots.
  public static let textLengthMax = 15 + 1 + 5 + 1 + Identifier.textLength

  /// Reads `<ms>.<counter>.<actor>`. Leading zeros are rejected, so that no stamp has two texts.
  public init?(text bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 4 + Identifier.textLength, bytes.count <= Stamp.textLengthMax else { return nil }
    let actorStart = bytes.count - Identifier.textLength
    guard let actor = Identifier(text: UnsafeRawBufferPointer(rebasing: bytes[actorStart...])) else { return nil }
    var index = 0
    guard let milliseconds = Stamp.number(in: bytes, at: &index, end: actorStart),
      let counter = Stamp.number(in: bytes, at: &index, end: actorStart), index == actorStart
    else { return nil }
    self.init(milliseconds: milliseconds, counter: counter, actor: actor)
  }

  public init?(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { Stamp(text: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Reads the digits up to the next dot, and moves past the dot. More than fifteen digits are rejected, because the
  /// number could overflow.
  private static func number(in bytes: UnsafeRawBufferPointer, at index: inout Int, end: Int) -> UInt64? {
    let start = index
    var value: UInt64 = 0
    while index < end, bytes[index] != UInt8(ascii: ".") {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10, index - start < 15 else { return nil }
      value = value &* 10 &+ UInt64(digit)
      index += 1
    }
    guard index > start, index < end, bytes[start] != UInt8(ascii: "0") || index == start + 1 else { return nil }
    index += 1
    return value
  }

  /// Writes the text and returns its length. `bytes` must have room for `textLengthMax` bytes.
  @inlinable
  public func write(to bytes: UnsafeMutableRawBufferPointer) -> Int {
    precondition(bytes.count >= Stamp.textLengthMax, "a stamp's text may take thirty-three bytes")
    var index = NumberText.writeDigits(of: milliseconds, to: bytes, at: 0)
    bytes[index] = UInt8(ascii: ".")
    index = NumberText.writeDigits(of: counter, to: bytes, at: index + 1)
    bytes[index] = UInt8(ascii: ".")
    actor.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[(index + 1)...]))
    return index + 1 + Identifier.textLength
  }

  /// The text, `1763650000000.0.k3j-9x2-m1p`.
  public var text: String {
    String(unsafeUninitializedCapacity: Stamp.textLengthMax) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

extension Stamp: CustomStringConvertible {
  public var description: String { text }
}
