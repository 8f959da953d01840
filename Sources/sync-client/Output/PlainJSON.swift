import CanvasCRDT

/// JSON that is safe to print on a terminal.
///
/// JSON escapes only the control characters of ASCII. A terminal also obeys the control characters U+0080 to U+009F.
/// And characters that change the direction of text would let one name look like another.
enum PlainJSON {
  /// Escapes the characters that are unsafe on a terminal, for example as `\u0085`. They occur only in strings, where
  /// escapes are allowed.
  static func escaping(_ json: [UInt8]) -> [UInt8] {
    // A quick check: most JSON is ASCII, which needs no escapes.
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count + 64)
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      if (0x7F..<0xA0).contains(scalar.value) || HiddenCharacters.isAlwaysHidden(scalar.value) {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          escaped += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
      } else {
        escaped += Array(String(scalar).utf8)
      }
    }
    return escaped
  }
}
