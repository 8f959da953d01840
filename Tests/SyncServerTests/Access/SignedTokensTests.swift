import Glibc
import Testing

@testable import SyncServer

@Suite("Keys of signed tokens") struct SignedTokensTests {
  @Test("C10: A secret has 32 bytes at least, and the line breaks behind it are none of it") func secrets() throws {
    let secret = Array(repeating: UInt8(ascii: "k"), count: 32)
    for end in ["", "\n", "\r\n", "\n\n"] {
      let key = try SigningKey(secret + end.utf8)
      #expect(key.bytes == secret && key.algorithm == .hs256)
      #expect(throws: TokenFault.self) { try SigningKey(Array(secret.dropFirst()) + end.utf8) }
    }
    #expect(try SigningKey(secret + " ".utf8).bytes == secret + " ".utf8)
  }

  @Test("C10: What looks like a public key is none that only the issuer knows") func publicKeys() {
    let filling = String(repeating: "a", count: 64)
    for content in [
      "{\"kty\":\"RSA\",\"n\":\"\(filling)\"}", "<RSAKeyValue>\(filling)</RSAKeyValue>", "ssh-rsa \(filling)",
      "ssh-ed25519 \(filling)", "ecdsa-sha2-nistp256 \(filling)", "--BEGIN SSH2 PUBLIC KEY--\(filling)",
    ] {
      #expect(throws: TokenFault.self, "\(content)") { try SigningKey(Array(content.utf8)) }
    }
    // A sequence in DER, with a length in one byte, in two, and with another length.
    let body: [UInt8] = [0x02, 1, 1] + [UInt8](repeating: 7, count: 61)
    for (bytes, isPublic) in [
      ([0x30, 64] + body, true), ([0x30, 0x81, 64] + body, true), ([0x30, 0x82, 0, 64] + body, true),
      ([0x30, 64] + body + [10], true), ([0x30, 64] + body + [13, 10], true), ([0x30, 64] + body + [0, 0, 0], false),
      ([0x30, 65] + body, false), ([0x31, 64] + body, false), ([0x30, 64, 0x30] + body[1...], true),
      ([0x30, 64, 0x04] + body[1...], false),
    ] as [([UInt8], Bool)] {
      #expect(((try? SigningKey(bytes)) == nil) == isPublic, "\(bytes)")
    }
  }

  @Test("C10: Each file of a directory is a key; hidden files and an editor's older ones are not looked at")
  func directories() throws {
    let folder = try TemporaryFolder()
    let secret = Array(repeating: UInt8(ascii: "k"), count: 32)
    func tokens() throws -> SignedTokens { try SignedTokens(keysAt: folder.path, terms: SignedClaims.Terms()) }
    for name in ["a.key", "b.2.key"] { _ = try folder.file(name, secret) }
    for name in [".a.key.swp", "a.key~"] { _ = try folder.file(name, [1]) }
    #expect(try tokens().count == 2)
    #expect(try SignedTokens(keysAt: folder.path + "/a.key", terms: SignedClaims.Terms()).count == 1)
    _ = try folder.file("b.pem", secret)
    #expect(try tokens().count == 3, "only the last extension is none of the name")
    _ = try folder.file("a.pem", secret)
    #expect(throws: TokenFault("a.pem: another file has a key of the name a")) { try tokens() }
    #expect(throws: TokenFault("No such file or directory")) {
      try SignedTokens(keysAt: folder.path + "/none", terms: SignedClaims.Terms())
    }
  }
}
