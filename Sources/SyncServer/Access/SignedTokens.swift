import Basics
import CanvasCRDT
import Glibc

/// JSON Web Tokens (RFC 7519): a token says what it allows, and its signature proves that a holder of the key wrote it.
/// So the server needs only the key, and no list of tokens.
struct SignedTokens: Sendable {
  private let library: JWTLibrary
  private let terms: SignedClaims.Terms
  /// The keys by their names. A token's header names its key (`kid`).
  private let keys: [String: SigningKey]

  var count: Int { keys.count }

  /// The upper bound on a token's length. A longer token is refused without being parsed.
  private static let bytesMax = 8_192
  private static let fileBytesMax = 65_536
  private static let keysMax = 256

  // MARK: Keys

  /// Reads a key from a file, or from each file in a directory. The key's name is the file's name without its last
  /// extension.
  init(keysAt path: String, terms: SignedClaims.Terms) throws(TokenFault) {
    library = try JWTLibrary()
    self.terms = terms
    var keys: [String: SigningKey] = [:]
    for name in try SignedTokens.files(path) {
      let file = name.isEmpty ? path : path + "/" + name
      let last = file.split(separator: "/").last ?? ""
      let kid = String(last.lastIndex(of: ".").map { last[..<$0] } ?? last)
      guard keys[kid] == nil else { throw TokenFault("\(last): another file has a key of the name \(kid)") }
      do throws(TokenFault) {
        let content = try CredentialFile.read(file, bytesMax: SignedTokens.fileBytesMax, for: "a key")
        keys[kid] = try SigningKey(content.bytes)
      } catch {
        throw TokenFault("\(last): \(error.words)")
      }
      guard keys.count <= SignedTokens.keysMax else {
        throw TokenFault("there are more than \(SignedTokens.keysMax) keys")
      }
    }
    self.keys = keys
  }

  /// The names of the files in a directory. If the path is that of a file, the result is one empty name. Hidden files
  /// are left out, and those that an editor keeps of older contents, which end in `~`.
  private static func files(_ path: String) throws(TokenFault) -> [String] {
    guard let directory = opendir(path) else {
      guard errno == ENOTDIR else { throw TokenFault(String(cString: strerror(errno))) }
      return [""]
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), !name.hasSuffix("~") { names.append(name) }
    }
    return names.sorted()
  }

  // MARK: Tokens

  /// The grant of a token that is signed with one of the keys, is meant for this server and is valid now.
  func grant(of token: String, at milliseconds: UInt64) throws(TokenRefusal) -> Grant {
    guard token.utf8.count <= SignedTokens.bytesMax else {
      throw .unproven("the token is longer than \(SignedTokens.bytesMax) bytes")
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { throw .unknown }
    // The library passes over characters that are not Base64. Without this check, one token would be any number of
    // accounts and actors.
    guard parts.allSatisfy({ SignedTokens.isCanonical($0) }) else { throw .unknown }
    let key = try key(for: parts[0])
    guard let claims = library.claims(of: token, signedWith: key) else {
      throw .unproven("the token's signature is not right")
    }
    guard let signed = SignedClaims(claims) else { throw .unfit("the token's claims are not a JSON object") }
    var grant = try signed.grant(terms, at: milliseconds)
    // Without a subject, nobody knows whether two tokens belong to the same bearer. So each such token gets an account
    // of its own.
    // The account is that of the signed text, because one text can have several signatures.
    grant.account = grant.account ?? .token("\(parts[0]).\(parts[1])")
    return grant
  }

  /// Whether a part of a token is the only text that stands for its bytes.
  private static func isCanonical(_ part: Substring) -> Bool {
    guard let bytes = Base64.forURLs.decoded(Array(part.utf8)) else { return false }
    return Base64.forURLs.encoded(bytes) == part
  }

  /// The key that the header names, or the only key if the header names none. Refuses the token if the header's
  /// algorithm is not the key's.
  private func key(for header: Substring) throws(TokenRefusal) -> SigningKey {
    let header = try SignedHeader(header)
    guard let key = header.key.map({ keys[$0] }) ?? (keys.count == 1 ? keys.values.first : nil) else {
      throw .unproven(
        header.key.map { "no key has the name that the token gives (kid): \($0)" } ?? "the token names no key (kid)"
      )
    }
    guard key.algorithm == header.algorithm else {
      throw .unproven("the token's algorithm (alg) is not that of its key")
    }
    return key
  }
}
