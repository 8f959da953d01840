internal import CCrypto
import Glibc

/// The file of tokens. Each line has a token, what it allows, and in which rooms.
///
///     # who it is for                     comments and empty lines are skipped
///     6f1d0c8e5b7a4f2e  editor  demo team-*   # Ann
///     0a9b8c7d6e5f4a3b  viewer  *
///
/// A comment after the rooms is the token's label, by which log lines name the token. Without a label they say `line 3`.
///
/// The file has lines, so that a person can read it and a script can append a token. Tokens are stored in plain text,
/// because hashing them would protect nothing: whoever can read this file can also read the rooms beside it.
struct Tokens: Sendable {
  /// The grants, each under the HMAC of its token. The HMAC's key is random and is not stored. So a look-up takes one
  /// step however many tokens there are, and its time doesn't tell how much of a guessed token is right.
  private var grants: [[UInt8]: Grant] = [:]
  private let key: [UInt8]

  /// The lower bound on the bytes of a token. A shorter token could be guessed.
  static let bytesMin = 16
  static let bytesMax = 256

  var count: Int { grants.count }
  /// Whether the text had nothing in it, not even a comment.
  let areFromNothing: Bool

  init(_ text: String) throws(TokenFault) {
    var generator = SystemRandomNumberGenerator()
    areFromNothing = text.isEmpty
    key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // Lines are split by bytes, because Swift takes CR LF for one `Character`, which doesn't equal LF.
    for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let words = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }.map {
        String(Substring($0))
      }
      guard let token = words.first, token.utf8.first != UInt8(ascii: "#") else { continue }
      let comment = words.firstIndex { $0.utf8.first == UInt8(ascii: "#") } ?? words.endIndex
      let label = words[comment...].joined(separator: " ").drop { $0 == "#" || $0 == " " }
      try take(
        Array(token.utf8),
        words[1..<comment],
        line: index + 1,
        label: label.isEmpty ? "line \(index + 1)" : String(label.prefix(Tokens.labelMax))
      )
    }
  }

  /// The upper bound on a label's length. Longer labels would fill the log.
  private static let labelMax = 64

  private mutating func take(
    _ token: [UInt8],
    _ words: ArraySlice<String>,
    line: Int,
    label: String
  ) throws(TokenFault) {
    // The message never shows the token, because the message ends up in a log.
    guard (Tokens.bytesMin...Tokens.bytesMax).contains(token.count) else {
      throw TokenFault("line \(line): a token has \(Tokens.bytesMin) to \(Tokens.bytesMax) characters")
    }
    guard token.allSatisfy(Tokens.isTokenByte) else {
      throw TokenFault("line \(line): a token may contain only A-Z a-z 0-9 - . _ ~ + / =")
    }
    guard let level = words.first.flatMap({ Grant.Level($0) }) else {
      throw TokenFault("line \(line): after the token write viewer, editor or operator")
    }
    var rooms: [RoomPattern] = []
    for word in words.dropFirst() {
      guard let pattern = RoomPattern(word) else {
        throw TokenFault("line \(line): \(word) is not a room name; write a name, a prefix followed by *, or *")
      }
      rooms.append(pattern)
    }
    guard !rooms.isEmpty else {
      throw TokenFault("line \(line): list the rooms that the token is for; * means all rooms")
    }
    let code = code(of: token)
    guard grants[code] == nil else {
      throw TokenFault("line \(line): this token is already on an earlier line")
    }
    let account = Payer.Account.token(String(decoding: token, as: UTF8.self))
    grants[code] = Grant(level: level, rooms: rooms, label: label, account: account)
  }

  /// Whether RFC 6750 allows the character in a token.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// The grant of a token. `nil` if the token isn't in the file.
  func grant(of presented: String) -> Grant? {
    guard presented.utf8.count <= Tokens.bytesMax else { return nil }
    return grants[code(of: Array(presented.utf8))]
  }

  private func code(of token: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    // HMAC fails only when memory has run out.
    precondition(HMAC(EVP_sha256(), key, Int32(key.count), token, token.count, &code, &count) != nil)
    return code
  }
}

/// Why a file of tokens can't be used. `words` leave out the path, because the caller adds it.
struct TokenFault: Error, Hashable {
  let words: String
  init(_ words: String) { self.words = words }
}

extension Tokens {
  /// The upper bound on the size of the file. A larger file was given by mistake.
  private static let fileBytesMax = 8 << 20

  /// Reads a file of tokens.
  /// - Returns: the tokens, and whether users other than the file's owner and group can read the file.
  static func read(_ path: String) throws(TokenFault) -> (tokens: Tokens, isOpenToAll: Bool) {
    let (bytes, isOpenToAll) = try CredentialFile.read(path, bytesMax: fileBytesMax, for: "a list of tokens")
    guard let text = String(validating: bytes, as: UTF8.self) else { throw TokenFault("the file is not UTF-8 text") }
    return (try Tokens(text), isOpenToAll)
  }
}
