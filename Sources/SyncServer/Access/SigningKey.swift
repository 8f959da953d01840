import Basics
internal import CCrypto
import Glibc

/// A key for checking the signatures of tokens, with the one algorithm that the key is for. The key decides the
/// algorithm, never the token. Otherwise a forger could sign a token with a public key, which everybody may know, as if
/// that key were a shared secret.
struct SigningKey: Sendable {
  let algorithm: SigningAlgorithm
  let bytes: [UInt8]

  /// The lower bound on the bytes of a secret. A shorter secret could be guessed.
  private static let secretBytesMin = 32
  private static let rsaBitsMin: Int32 = 2_048

  /// - Parameter content: the content of a file: a public key if there is PEM in it, otherwise a secret.
  init(_ content: [UInt8]) throws(TokenFault) {
    if content.contains("-----BEGIN".utf8) {
      algorithm = try SigningKey.algorithm(ofPublic: content)
      bytes = content
      return
    }
    // Everybody may know a public key. If it were taken for a secret, everybody could sign with it.
    guard !SigningKey.isPublic(content) else {
      throw TokenFault("this looks like a public key, but not in PEM, which begins with -----BEGIN PUBLIC KEY-----")
    }
    var secret = content[...]
    while let last = secret.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { secret.removeLast() }
    guard secret.count >= SigningKey.secretBytesMin else {
      throw TokenFault("a secret has at least \(SigningKey.secretBytesMin) bytes; a public key begins with -----BEGIN")
    }
    algorithm = .hs256
    bytes = Array(secret)
  }

  /// Whether the content looks like a public key in one of the usual forms other than PEM: DER, its Base64, a JSON Web Key,
  /// XML, or a form of SSH.
  private static func isPublic(_ content: [UInt8]) -> Bool {
    // Without blanks, a byte order mark, and the zeros of UTF-16.
    let text = content.filter { (0x21..<0x7F).contains($0) }
    let marks = ["--BEGIN", "\"kty\"", "KeyValue>", "ssh-rsa", "ssh-ed25519", "ecdsa-sha2-"]
    return marks.contains { text.contains($0.utf8) } || isSequence(content)
      || Base64.padded.decoded(text).map(isSequence) == true
  }

  /// Whether bytes are a sequence in DER that begins with a sequence or an integer, as keys and certificates do.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 8, bytes[0] == 0x30 else { return false }
    let size = bytes[1] < 0x80 ? bytes[1...1] : bytes[2..<2 + min(4, Int(bytes[1] & 0x7F))]
    let rest = bytes.count - size.endIndex - size.reduce(0) { $0 << 8 | Int($1) }
    // A line break may follow.
    return (0...2).contains(rest) && [0x30, 0x02].contains(bytes[size.endIndex])
  }

  private static func algorithm(ofPublic pem: [UInt8]) throws(TokenFault) -> SigningAlgorithm {
    guard let file = BIO_new_mem_buf(pem, Int32(pem.count)) else { throw TokenFault("no memory") }
    defer { BIO_free(file) }
    guard let key = PEM_read_bio_PUBKEY(file, nil, nil, nil) else {
      throw TokenFault("this is not a public key in PEM, which begins with -----BEGIN PUBLIC KEY-----")
    }
    defer { EVP_PKEY_free(key) }
    var group = [CChar](repeating: 0, count: 64)
    var count = 0
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA:
      guard EVP_PKEY_get_bits(key) >= rsaBitsMin else { throw TokenFault("an RSA key has at least \(rsaBitsMin) bits") }
      return .rs256
    case EVP_PKEY_EC:
      guard EVP_PKEY_get_group_name(key, &group, group.count, &count) == 1,
        group.withUnsafeBufferPointer({ String(cString: $0.baseAddress!) }) == "prime256v1"
      else { throw TokenFault("a key for ES256 is of the curve P-256 (prime256v1)") }
      return .es256
    default: throw TokenFault("a public key is of RSA (for RS256) or of the curve P-256 (for ES256)")
    }
  }
}
