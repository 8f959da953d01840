/// Bytes as text in Base64 (RFC 4648, section 4), with padding.
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The six bits that each character stands for. 64 for characters outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let three = bytes[start..<min(start + 3, bytes.count)]
      let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
      for place in 0..<4 {
        text.append(place <= three.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` if the text isn't valid Base64.
  static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits = 0
    var count = 0
    for letter in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
      let value = values[Int(letter)]
      guard value < 64 else { return nil }
      bits = bits << 6 | Int(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= (1 << count) - 1
    }
    return bytes
  }
}
