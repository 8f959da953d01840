/// Writes a number in few bytes, without loss.
///
/// The first part is a varint whose lowest two bits say the form. If they are 0, 1 or 2, the varint's other bits are a
/// zigzag integer that counts units, hundredths or ten-thousandths. If they are 3, the varint's other bits are 0, and
/// the number's eight bytes follow, the lowest first. Of the forms that represent a number exactly, the first one must
/// be used. Most numbers take two or three bytes instead of eight, because people place shapes at whole units and pages
/// place them at hundredths.
enum BinaryNumber {
  static let unitsForm: UInt64 = 0
  static let hundredthsForm: UInt64 = 1
  static let tenThousandthsForm: UInt64 = 2
  static let rawForm: UInt64 = 3

  /// 2⁵³. Above it, neighbouring `Double`s are more than one apart, so not every integer is exact.
  private static let integerMax = 9_007_199_254_740_992.0

  /// `value * scale`, if this is an integer and dividing it by `scale` gives exactly `value` again.
  @inline(__always)
  static func multiple(of scale: Double, in value: Double) -> Int64? {
    let scaled = value * scale
    guard abs(scaled) <= integerMax else { return nil }
    // The value is rounded by converting it to an integer, because `rounded()` is a function call on processors without
    // an instruction for it.
    let nearest = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
    guard Double(nearest) / scale == value else { return nil }
    return nearest
  }

  static func write(_ value: Double, to writer: inout ByteWriter) {
    if let units = multiple(of: 1, in: value) {
      writer.appendVarint(zigzag(units) << 2 | unitsForm)
    } else if let hundredths = multiple(of: 100, in: value) {
      writer.appendVarint(zigzag(hundredths) << 2 | hundredthsForm)
    } else if let tenThousandths = multiple(of: 10_000, in: value) {
      writer.appendVarint(zigzag(tenThousandths) << 2 | tenThousandthsForm)
    } else {
      writer.appendVarint(rawForm)
      writer.appendLittleEndian(value.bitPattern)
    }
  }

  /// Reads a number. NaN, infinities, and numbers that an earlier form can represent too are rejected.
  static func read(from reader: inout ByteReader) throws(BinaryFailure) -> Double {
    let word = try reader.varint()
    let value: Double
    let integer = unzigzag(word >> 2)
    switch word & 3 {
    case unitsForm:
      value = Double(integer)
      guard multiple(of: 1, in: value) == integer else { throw .malformed("a number beyond 2^53 units") }
    case hundredthsForm:
      value = Double(integer) / 100
      guard multiple(of: 100, in: value) == integer else { throw .malformed("a number beyond 2^53 hundredths") }
      guard multiple(of: 1, in: value) == nil else { throw .malformed("a whole number as hundredths") }
    case tenThousandthsForm:
      value = Double(integer) / 10_000
      guard multiple(of: 10_000, in: value) == integer else {
        throw .malformed("a number beyond 2^53 ten-thousandths")
      }
      guard multiple(of: 1, in: value) == nil, multiple(of: 100, in: value) == nil else {
        throw .malformed("hundredths as ten-thousandths")
      }
    default:
      guard word == rawForm else { throw .malformed("a number of no known form") }
      value = Double(bitPattern: try reader.littleEndian64())
      guard value.isFinite else { throw .malformed("a number that is not finite") }
      guard multiple(of: 1, in: value) == nil, multiple(of: 100, in: value) == nil,
        multiple(of: 10_000, in: value) == nil
      else { throw .malformed("a short number in eight bytes") }
    }
    return value
  }

  @inline(__always)
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  @inline(__always)
  static func unzigzag(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}
