/// Bytes as text (RFC 4648).
public enum Base64: Sendable {
  /// Section 4, with padding.
  case padded
  /// Section 5: the variant for URLs, without padding.
  case forURLs

  private static let padding = UInt8(ascii: "=")
  private static let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private static let paddedAlphabet = Alphabet("\(common)+/")
  private static let alphabetForURLs = Alphabet("\(common)-_")
  private var alphabet: Alphabet { self == .padded ? Base64.paddedAlphabet : Base64.alphabetForURLs }

  private struct Alphabet {
    let letters: [UInt8]
    /// The six bits that each character stands for. 64 for characters outside the alphabet.
    var values = [UInt8](repeating: 64, count: 256)

    init(_ text: String) {
      letters = Array(text.utf8)
      for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    }
  }

  public func encoded(_ bytes: [UInt8]) -> String {
    let letters = alphabet.letters
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 6 {
        count -= 6
        text.append(letters[bits >> count & 63])
      }
    }
    if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
    while self == .padded, text.count % 4 != 0 { text.append(Base64.padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` if the text is not of this variant.
  public func decoded(_ text: [UInt8]) -> [UInt8]? {
    let letters = self == .padded ? text.prefix { $0 != Base64.padding } : text[...]
    let padding = text.dropFirst(letters.count)
    guard padding.allSatisfy({ $0 == Base64.padding }), self == .forURLs || text.count % 4 == 0 else { return nil }
    let values = alphabet.values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits = 0
    var count = 0
    for letter in letters {
      let value = values[Int(letter)]
      guard value < 64 else { return nil }
      bits = (bits << 6 | Int(value)) & 0xFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }
}
