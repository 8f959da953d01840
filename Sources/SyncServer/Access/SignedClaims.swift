import CanvasCRDT

/// A JSON object of texts, numbers and lists of texts.
struct JSONClaims: Sendable {
  enum Value: Sendable {
    case text(String)
    case number(Double)
    case texts([String])
    /// Anything else, or a member that came twice.
    case other
  }

  private var members: [String: Value] = [:]

  /// - Parameter names: the members that are read. All others are skipped.
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

  /// A list, or one text.
  func texts(_ name: String) -> [String]? {
    switch members[name] {
    case .text(let text): [text]
    case .texts(let texts): texts
    default: nil
    }
  }
}

/// How a token says that it is signed. Nothing of it is trusted before the signature was checked.
struct SignedHeader: Sendable {
  let algorithm: SigningAlgorithm
  /// The name of the key (`kid`).
  let key: String?

  /// Anyone can send a header, since it is read before the signature is checked. This is enough for a few certificates, which
  /// some issuers add.
  private static let encodedBytesMax = 4_096

  /// - Parameter encoded: the first part of a token. `nil` if it isn't a header that this server takes.
  init?(_ encoded: Substring) {
    guard encoded.utf8.count <= SignedHeader.encodedBytesMax, let bytes = Base64.decoded(encoded),
      let header = JSONClaims(bytes, ["alg", "kid", "crit"])
    else { return nil }
    // What a header calls critical must be understood, and nothing of the kind is.
    guard header["crit"] == nil, let name = header.text("alg"), let algorithm = SigningAlgorithm(name) else {
      return nil
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

  /// libjwt's number of it (`jwt_alg_t`).
  var number: Int32 {
    switch self {
    case .hs256: 1
    case .rs256: 4
    case .es256: 7
    }
  }
}

/// What a signed token says: who it is for, when, and what its bearer may do.
struct SignedClaims: Sendable {
  /// What a token must say, besides being signed.
  struct Terms: Hashable, Sendable {
    /// For whom tokens must be. `nil` if for nobody in particular; a token that names somebody is refused then.
    var audience: String?
    /// How far the clock of whoever writes tokens may be off.
    var leewaySeconds: UInt64 = 60
  }

  private let claims: JSONClaims

  private static let names: Set<String> = ["exp", "nbf", "iat", "aud", "role", "rooms", "sub", "name", "actor"]

  init?(_ bytes: [UInt8]) {
    guard let claims = JSONClaims(bytes, SignedClaims.names) else { return nil }
    self.claims = claims
  }

  /// What the token allows at a time. `nil` if it says nothing that this server takes. A claim of the wrong form is never
  /// passed over: it could be a limit.
  func grant(_ terms: Terms, at milliseconds: UInt64) -> Grant? {
    let now = Double(milliseconds) / 1_000
    let leeway = Double(terms.leewaySeconds)
    // Without an end, a token that was stolen would be valid for ever.
    guard case .number(let end) = claims["exp"], now < end + leeway, end < 1e12 else { return nil }
    for name in ["nbf", "iat"] {
      guard let claim = claims[name] else { continue }
      guard case .number(let start) = claim, now >= start - leeway else { return nil }
    }
    guard isForUs(terms.audience), let level = claims.text("role").flatMap({ Grant.Level($0) }), let rooms else {
      return nil
    }
    var grant = Grant(level: level, rooms: rooms, label: "signed")
    if claims["sub"] != nil {
      guard let subject = claims.text("sub") else { return nil }
      grant.label = String(subject.prefix(64))
      grant.account = .subject(subject)
    }
    grant.endsAt = UInt64(max(0, (end + leeway) * 1_000))
    if claims["name"] != nil {
      guard let name = claims.text("name"), PropertyRules.takesName(Text(name)) else { return nil }
      grant.name = name
    }
    if claims["actor"] != nil {
      guard let actor = claims.text("actor").flatMap({ Identifier($0) }) else { return nil }
      grant.actor = actor
    }
    return grant
  }

  /// A list of patterns, or `*` alone. `nil` if it is of another form.
  private var rooms: [RoomPattern]? {
    switch claims["rooms"] {
    case .text("*"): return [.all]
    case .texts(let words):
      let rooms = words.compactMap { RoomPattern($0) }
      return !rooms.isEmpty && rooms.count == words.count ? rooms : nil
    default: return nil
    }
  }

  /// A token that names somebody is for nobody else (RFC 7519, 4.1.3).
  private func isForUs(_ audience: String?) -> Bool {
    guard claims["aud"] != nil else { return audience == nil }
    guard let audience, let named = claims.texts("aud") else { return false }
    return named.contains(audience)
  }
}
