import Basics
import CanvasCRDT

/// The members of a JSON object whose values are texts, numbers or lists of texts.
struct JSONClaims: Sendable {
  enum Value: Sendable {
    case text(String)
    case number(Double)
    case texts([String])
    /// A value of any other kind. It also stands for a member that occurs twice.
    case other
  }

  private var members: [String: Value] = [:]

  /// - Parameter names: the names of the members that are read. All other members are skipped.
  init?(_ bytes: [UInt8], _ names: Set<String>) {
    let members = bytes.span.withUnsafeBytes { try? JSONClaims.read($0, names) }
    guard let members else { return nil }
    self.members = members
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer,
    _ names: Set<String>
  ) throws(JSONFailure) -> [String: Value] {
    var members: [String: Value] = [:]
    var reader = try JSONReader(validating: bytes)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      let name = key.text.string
      guard names.contains(name) else {
        try reader.skipValue()
        continue
      }
      let value = try read(&reader)
      members[name] = members[name] == nil ? value : .other
    }
    return members
  }

  private static func read(_ reader: inout JSONReader) throws(JSONFailure) -> Value {
    switch reader.kind {
    case .string: return .text(try reader.readString().text.string)
    case .number: return .number(try reader.readNumber())
    case .array:
      var texts: [String]? = []
      try reader.beginArray()
      while try reader.nextElement() {
        if reader.kind == .string {
          let text = try reader.readString().text.string
          texts?.append(text)
        } else {
          texts = nil
          try reader.skipValue()
        }
      }
      return texts.map { .texts($0) } ?? .other
    default:
      try reader.skipValue()
      return .other
    }
  }

  subscript(name: String) -> Value? { members[name] }

  func text(_ name: String) -> String? { if case .text(let text) = members[name] { text } else { nil } }

  /// A member that is a list of texts. A single text counts as a list of one.
  func texts(_ name: String) -> [String]? {
    switch members[name] {
    case .text(let text): [text]
    case .texts(let texts): texts
    default: nil
    }
  }
}

/// The header of a token, which says how the token is signed. Nothing in a header is trusted before the signature has
/// been checked.
struct SignedHeader: Sendable {
  let algorithm: SigningAlgorithm
  /// The name of the key with which the token is signed (`kid`).
  let key: String?

  /// The upper bound on a header's length. A header is read before the signature is checked, so anyone can make the
  /// server read one. The bound leaves space for the few certificates that some issuers add.
  private static let encodedBytesMax = 4_096

  /// - Parameter encoded: the first part of a token.
  init(_ encoded: Substring) throws(TokenRefusal) {
    guard encoded.utf8.count <= SignedHeader.encodedBytesMax else { throw .unproven("the token's header is too long") }
    guard let bytes = Base64.forURLs.decoded(Array(encoded.utf8)),
      let header = JSONClaims(bytes, ["alg", "kid", "crit", "typ"])
    else {
      throw .unproven("the token's header can't be read")
    }
    // A header can declare extensions critical: a server that doesn't know one of them has to refuse the token (RFC
    // 7515, 4.1.11). This server knows none.
    guard header["crit"] == nil else { throw .unproven("the token's header asks for more than is known here (crit)") }
    // libjwt refuses any other type as well, but doesn't say why.
    if let type = header.text("typ"), type.lowercased() != "jwt" {
      throw .unproven("the token's type (typ) is not JWT")
    }
    guard let algorithm = header.text("alg").flatMap({ SigningAlgorithm($0) }) else {
      throw .unproven("the token's algorithm (alg) is not HS256, RS256 or ES256")
    }
    self.algorithm = algorithm
    key = header.text("kid")
  }
}

enum SigningAlgorithm: Sendable {
  case hs256
  case rs256
  case es256

  init?(_ name: String) {
    switch name {
    case "HS256": self = .hs256
    case "RS256": self = .rs256
    case "ES256": self = .es256
    default: return nil
    }
  }

  /// The number of the algorithm in libjwt (`jwt_alg_t`).
  var number: Int32 {
    switch self {
    case .hs256: 1
    case .rs256: 4
    case .es256: 7
    }
  }
}

/// The claims of a signed token: who its bearer is, when the token is valid, and what the bearer may do.
struct SignedClaims: Sendable {
  /// What the server requires of a token's claims, in addition to a valid signature.
  struct Terms: Hashable, Sendable {
    /// The audience that tokens must name. If `nil`, a token that names any audience is refused.
    var audience: String?
    /// How far the clock of the token's issuer may differ from ours.
    var leewaySeconds: UInt64 = 60
  }

  private let claims: JSONClaims

  private static let names: Set<String> = ["exp", "nbf", "iat", "aud", "role", "rooms", "sub", "name", "actor"]

  init?(_ bytes: [UInt8]) {
    guard let claims = JSONClaims(bytes, SignedClaims.names) else { return nil }
    self.claims = claims
  }

  /// The grant of the token at a time. A claim of the wrong form makes the whole token invalid, because ignoring the
  /// claim could lift a limit on what the bearer may do.
  func grant(_ terms: Terms, at milliseconds: UInt64) throws(TokenRefusal) -> Grant {
    let end = try end(terms, at: milliseconds)
    try lookAtAudience(terms.audience)
    guard let level = claims.text("role").flatMap({ Grant.Level($0) }) else {
      throw .unfit("the token's role is not viewer, editor or operator")
    }
    var grant = Grant(level: level, rooms: try rooms(), label: "signed")
    grant.endsAt = end
    if claims["sub"] != nil {
      guard let subject = claims.text("sub") else { throw .unfit("the token's subject (sub) is not a text") }
      grant.label = String(subject.prefix(64))
      grant.account = .subject(subject)
    }
    if claims["name"] != nil {
      guard let name = claims.text("name"), PropertyRules.takesName(Text(name)) else {
        throw .unfit("the token's name is none that one may have")
      }
      grant.name = name
    }
    if claims["actor"] != nil {
      guard let actor = claims.text("actor").flatMap({ Identifier($0) }) else {
        throw .unfit("the token's actor is not an identifier")
      }
      grant.actor = actor
    }
    return grant
  }

  /// - Returns: when the token ends, in Unix milliseconds.
  private func end(_ terms: Terms, at milliseconds: UInt64) throws(TokenRefusal) -> UInt64 {
    let now = Double(milliseconds) / 1_000
    let leeway = Double(terms.leewaySeconds)
    // A token must have an end: otherwise a stolen one would be valid for ever.
    guard case .number(let end) = claims["exp"] else { throw .unfit("the token doesn't say when it ends (exp)") }
    guard end < SignedClaims.secondsMax else {
      throw .unfit("the token's exp is too large; it has to be in seconds, not in milliseconds")
    }
    guard now < end + leeway else { throw .unfit("the token expired at \(SignedClaims.time(end))") }
    for name in ["nbf", "iat"] {
      guard let claim = claims[name] else { continue }
      guard case .number(let start) = claim else { throw .unfit("the token's \(name) is not a number") }
      guard now >= start - leeway else {
        throw .unfit("the token is not valid before \(SignedClaims.time(start)) (\(name))")
      }
    }
    return UInt64(max(0, (end + leeway) * 1_000))
  }

  private static let secondsMax: Double = 1e12

  private static func time(_ seconds: Double) -> String {
    WallClock.text(UInt64(min(max(0, seconds), secondsMax)) * 1_000)
  }

  /// The rooms of the token: a list of patterns, or the text `*`.
  private func rooms() throws(TokenRefusal) -> [RoomPattern] {
    if case .text("*") = claims["rooms"] { return [.all] }
    guard case .texts(let words) = claims["rooms"], !words.isEmpty else {
      throw .unfit("the token's rooms are not a list of names, or *")
    }
    var rooms: [RoomPattern] = []
    for word in words {
      guard let pattern = RoomPattern(word) else {
        throw .unfit("one of the token's rooms is neither a name nor the beginning of one with *: \(word)")
      }
      rooms.append(pattern)
    }
    return rooms
  }

  /// A token that names an audience must be refused by every server that is not in that audience (RFC 7519, 4.1.3).
  private func lookAtAudience(_ audience: String?) throws(TokenRefusal) {
    guard claims["aud"] != nil else {
      if audience != nil { throw .unfit("the token names no audience (aud), and has to be for this server") }
      return
    }
    guard let named = claims.texts("aud") else { throw .unfit("the token's audience (aud) is not a text or a list") }
    guard let audience, named.contains(audience) else {
      throw .unfit("the token is not for this server (aud): \(named.joined(separator: ", "))")
    }
  }
}
