extension UnsafeRawBufferPointer {
  /// Whether all bytes are valid UTF-8, without overlong forms, surrogates or incomplete characters.
  var isValidUTF8: Bool {
    let span = assumingMemoryBound(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }

  /// Whether the bytes from `start` on are valid UTF-8. A character must begin at `start`, and the last character may
  /// be incomplete. `settled` is the number of bytes before the last character, where a later call can start.
  func couldBecomeUTF8(from start: Int) -> (isSo: Bool, settled: Int) {
    var end = count
    for distance in 1...3 where distance <= count - start {
      // An ASCII byte ends a character. A continuation byte belongs to the character before it.
      guard self[count - distance] >= 0x80 else { break }
      guard self[count - distance] >= 0xC0 else { continue }
      if distance < Self.characterBytes(self[count - distance]) { end = count - distance }
      break
    }
    let whole = UnsafeRawBufferPointer(rebasing: self[start..<end])
    return (whole.isValidUTF8 && Self.couldBecomeCharacter(self[end...]), end)
  }

  private static func characterBytes(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  /// The first byte decides which second bytes are valid. Each later byte may be any continuation byte.
  private static func couldBecomeCharacter(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard bytes.count >= 2, let first = bytes.first else { return true }
    let filled = Array(bytes) + Array(repeating: 0x80, count: characterBytes(first) - bytes.count)
    return filled.withUnsafeBytes { $0.isValidUTF8 }
  }
}
