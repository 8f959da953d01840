/// The extensions after a chunk's size: `;name`, `;name=value`, `;name="value"`, any number of them (RFC 9112, 7.1.1).
///
/// The server uses no extension, but refuses malformed ones such as `5 6`, or a bare line break. A proxy in front of
/// the server might parse these differently, so that requests could be smuggled past it.
enum ChunkExtension {
  static func areWellFormed(_ line: ArraySlice<UInt8>) -> Bool {
    var rest = line
    while !rest.isEmpty {
      // RFC 9112 discourages spaces around `;` and `=`, but asks readers to accept them.
      rest = rest.drop(while: isSpace)
      guard rest.popFirst() == UInt8(ascii: ";") else { return false }
      rest = rest.drop(while: isSpace)
      guard takeToken(&rest) else { return false }
      let value = rest.drop(while: isSpace)
      guard value.first == UInt8(ascii: "=") else { continue }
      rest = value.dropFirst().drop(while: isSpace)
      guard rest.first == UInt8(ascii: "\"") ? takeQuoted(&rest) : takeToken(&rest) else { return false }
    }
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let token = rest.prefix { $0.isTokenByte }
    rest = rest.dropFirst(token.count)
    return !token.isEmpty
  }

  private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
    rest.removeFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst(), isText(escaped) else { return false }
      default: guard isText(byte) else { return false }
      }
    }
    return false
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
