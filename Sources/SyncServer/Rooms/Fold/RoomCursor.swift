import CanvasCRDT

/// A position in a room's log, as the text that clients keep: `2.<branch>.<position>`, with numbers in base 36.
///
/// The branch is a hash of the room's epoch and of the run (server process) that wrote the record at that position.
/// After a room was deleted or restored, the same position has another branch. So an old cursor is refused rather than
/// misread.
///
/// Cursors of version 1 don't show the run, so they are refused.
struct RoomCursor: Hashable, Sendable {
  /// A hash of the epoch and the run's number, each of which is 64 random bits.
  private let branch: UInt64
  let position: UInt64

  init(epoch: UInt64, run: UInt64, position: UInt64) {
    self.init(branch: epoch ^ run, position: position)
  }

  private init(branch: UInt64, position: UInt64) {
    self.branch = branch
    self.position = position
  }

  func isOf(epoch: UInt64, run: UInt64) -> Bool { branch == epoch ^ run }

  /// - Returns: `nil` if the text is not a cursor in exactly the form that this server writes.
  init?(_ cursor: Cursor) {
    let parsed = cursor.text.withBytes { bytes -> RoomCursor? in
      guard bytes.count <= RoomCursor.lengthMax, bytes.count >= 5, bytes[0] == RoomCursor.version,
        bytes[1] == RoomCursor.dot
      else { return nil }
      guard let second = bytes.indices.dropFirst(2).first(where: { bytes[$0] == RoomCursor.dot }) else { return nil }
      guard let branch = RoomCursor.number(bytes[2..<second]), let position = RoomCursor.number(bytes[(second + 1)...])
      else { return nil }
      return RoomCursor(branch: branch, position: position)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  var cursor: Cursor { Cursor(text) }

  var text: Text {
    let string = String(unsafeUninitializedCapacity: RoomCursor.lengthMax) { buffer in
      buffer[0] = RoomCursor.version
      buffer[1] = RoomCursor.dot
      var end = RoomCursor.write(branch, to: buffer, at: 2)
      buffer[end] = RoomCursor.dot
      end = RoomCursor.write(position, to: buffer, at: end + 1)
      return end
    }
    return Text(string)
  }

  private static let version = UInt8(ascii: "2")
  private static let dot = UInt8(ascii: ".")
  /// The most digits of a number of 64 bits in base 36.
  private static let digitsMax = 13
  private static let lengthMax = 2 + digitsMax + 1 + digitsMax

  private static func write(_ value: UInt64, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    var digits = 1
    var rest = value / 36
    while rest > 0 {
      digits += 1
      rest /= 36
    }
    rest = value
    for index in (start..<(start + digits)).reversed() {
      let digit = UInt8(truncatingIfNeeded: rest % 36)
      buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      rest /= 36
    }
    return start + digits
  }

  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
    guard let first = digits.first, digits.count <= digitsMax, first != UInt8(ascii: "0") || digits.count == 1 else {
      return nil
    }
    var value: UInt64 = 0
    for byte in digits {
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = UInt64(byte - UInt8(ascii: "a")) + 10
      default: return nil
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: 36)
      let (sum, carry) = product.addingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }
}
