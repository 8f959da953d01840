import Basics
import Testing

@Suite("Base64") struct Base64Tests {
  @Test("RFC 4648, section 10: what the standard gives as examples")
  func examples() {
    for (text, padded) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      let bytes = Array(text.utf8)
      let bare = padded.filter { $0 != "=" }
      #expect(Base64.padded.encoded(bytes) == padded && Base64.padded.decoded(Array(padded.utf8)) == bytes)
      #expect(Base64.forURLs.encoded(bytes) == bare && Base64.forURLs.decoded(Array(bare.utf8)) == bytes)
    }
  }

  @Test("Each byte at each place is read as it was written", arguments: [Base64.padded, .forURLs])
  func bytes(variant: Base64) {
    for byte in UInt8.min...UInt8.max {
      for bytes in [[byte], [0, byte], [255, 0, byte], [byte, 255, byte, 0]] {
        #expect(variant.decoded(Array(variant.encoded(bytes).utf8)) == bytes)
      }
    }
  }

  @Test("Other characters, the other variant and wrong padding are refused")
  func refused() {
    for text in ["Zg", "Zg=", "Zg=a", "Z-8=", "Zm 8", "====Zm9v"] {
      #expect(Base64.padded.decoded(Array(text.utf8)) == nil, "\(text)")
    }
    for text in ["Zg==", "Z+8", "Zm 8", "Zmü"] { #expect(Base64.forURLs.decoded(Array(text.utf8)) == nil, "\(text)") }
  }
}
