/// A name with a number, `Sun 2`. A shape shows such a name if another shape got the same name earlier.
struct NumberedName: Hashable, Sendable {
  let name: Text
  let number: Int

  /// An upper bound on the digits of the number. Shown numbers are shorter, and nine digits fit into a 32-bit `Int`.
  private static let digitsMax = 9

  init(_ name: Text, _ number: Int) {
    self.name = name
    self.number = number
  }

  /// Reads a numbered name. A number with a leading zero is rejected, so that no numbered name has two texts.
  init?(_ text: Text) {
    let parsed = text.withBytes { bytes -> (nameLength: Int, number: Int)? in
      var start = bytes.count
      var number = 0
      var scale = 1
      while start > 0, case let digit = bytes[start - 1] &- UInt8(ascii: "0"), digit < 10 {
        guard bytes.count - start < NumberedName.digitsMax else { return nil }
        number += Int(digit) * scale
        scale *= 10
        start -= 1
      }
      guard number >= 2, bytes[start] != UInt8(ascii: "0") else { return nil }
      guard start > 1, bytes[start - 1] == UInt8(ascii: " ") else { return nil }
      return (start - 1, number)
    }
    guard let parsed else { return nil }
    name = text.withBytes { Text(uncheckedUTF8: UnsafeRawBufferPointer(rebasing: $0[..<parsed.nameLength])) }
    number = parsed.number
  }

  var text: Text { name.appending(" ").appending(Text(decimal: UInt64(number))) }
}
