import Glibc

/// Who may come in, as the file of tokens has it: on each line a token, what it allows, and in which rooms.
///
///     # who it is for                     comments, and lines without anything, are passed over
///     6f1d0c8e5b7a4f2e  editor  demo team-*
///     0a9b8c7d6e5f4a3b  viewer  *
///
/// Lines, so that a person can read them and a script can append one. The tokens stand there as they are: whoever can
/// read the file can also read the rooms beside it, and a sum of a random token protects no better than the file's mode.
struct Tokens: Sendable {
  private struct Entry: Sendable {
    let token: [UInt8]
    let grant: Grant
  }

  private var entries: [Entry] = []

  /// Shorter ones could be guessed.
  static let bytesMin = 16
  static let bytesMax = 256

  var count: Int { entries.count }

  init(_ text: String) throws(TokenFault) {
    // By bytes: as characters, the two that end a line elsewhere are one, and no line break.
    for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let words = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }.map {
        String(Substring($0))
      }
      guard let token = words.first, token.utf8.first != UInt8(ascii: "#") else { continue }
      try take(Array(token.utf8), words.dropFirst(), line: index + 1)
    }
  }

  private mutating func take(_ token: [UInt8], _ words: ArraySlice<String>, line: Int) throws(TokenFault) {
    // The words never show the token: they end in a log.
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
    guard !entries.contains(where: { $0.token == token }) else {
      throw TokenFault("line \(line): this token is already on an earlier line")
    }
    entries.append(Entry(token: token, grant: Grant(level: level, rooms: rooms)))
  }

  /// As in RFC 6750.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// What a token allows. It takes as long whatever is asked, and compares every byte of every token that has the length:
  /// no answer comes sooner because more of a guess is right.
  func grant(of presented: String) -> Grant? {
    let presented = Array(presented.utf8)
    var found: Grant?
    for entry in entries where Tokens.areEqual(entry.token, presented) { found = entry.grant }
    return found
  }

  private static func areEqual(_ token: [UInt8], _ presented: [UInt8]) -> Bool {
    guard token.count == presented.count else { return false }
    var difference: UInt8 = 0
    for index in token.indices { difference |= token[index] ^ presented[index] }
    return difference == 0
  }
}

/// Why a file of tokens can't be used, without its path.
struct TokenFault: Error, Hashable {
  let words: String
  init(_ words: String) { self.words = words }
}

extension Tokens {
  /// More is no list of tokens.
  private static let fileBytesMax = 8 << 20

  /// Reads a file, and says whether others than its owner and group can do so too.
  static func read(_ path: String) throws(TokenFault) -> (tokens: Tokens, isOpenToAll: Bool) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TokenFault(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw TokenFault("this is not a file")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw TokenFault(String(cString: strerror(errno))) }
      guard count > 0 else { break }
      bytes += piece[..<count]
      guard bytes.count <= fileBytesMax else { throw TokenFault("the file is too large for a list of tokens") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw TokenFault("the file is not UTF-8 text") }
    return (try Tokens(text), status.st_mode & S_IROTH != 0)
  }
}
