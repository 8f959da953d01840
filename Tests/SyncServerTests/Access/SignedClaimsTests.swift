import Basics
import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("Signed claims") struct SignedClaimsTests {
  private let now: UInt64 = 1_763_650_000_000

  private func grant(_ members: String, audience: String? = nil) -> Grant? {
    let text = "{\"exp\":1763650600,\"role\":\"editor\"\(members)}"
    return try? SignedClaims(Array(text.utf8))?.grant(SignedClaims.Terms(audience: audience), at: now)
  }

  @Test(
    "C10: What is wrong with a signed token is said",
    arguments: [
      (#"{"role":"editor","rooms":"*"}"#, "the token doesn't say when it ends (exp)"),
      (#"{"exp":"1763650600"}"#, "the token doesn't say when it ends (exp)"),
      (#"{"exp":1763650600000}"#, "the token's exp is too large; it has to be in seconds, not in milliseconds"),
      (#"{"exp":1763649000}"#, "the token expired at 2025-11-20T14:30:00.000Z"),
      (#"{"exp":-1e300}"#, "the token expired at 1970-01-01T00:00:00.000Z"),
      (#"{"exp":1763650600,"nbf":1763650500}"#, "the token is not valid before 2025-11-20T14:55:00.000Z (nbf)"),
      (#"{"exp":1763650600,"iat":1e300}"#, "the token is not valid before 33658-09-27T01:46:40.000Z (iat)"),
      (#"{"exp":1763650600,"iat":"now"}"#, "the token's iat is not a number"),
      (#"{"exp":1763650600}"#, "the token names no audience (aud), and has to be for this server"),
      (#"{"exp":1763650600,"aud":["mail","web"]}"#, "the token is not for this server (aud): mail, web"),
      (#"{"exp":1763650600,"aud":[1]}"#, "the token's audience (aud) is not a text or a list"),
      (#"{"exp":1763650600,"aud":"us","role":"owner"}"#, "the token's role is not viewer, editor or operator"),
      (#"{"exp":1763650600,"aud":"us","role":"viewer"}"#, "the token's rooms are not a list of names, or *"),
      (
        #"{"exp":1763650600,"aud":"us","role":"viewer","rooms":["demo","a b"]}"#,
        "one of the token's rooms is neither a name nor the beginning of one with *: a b"
      ),
      (
        #"{"exp":1763650600,"aud":"us","role":"viewer","rooms":"*","sub":5}"#,
        "the token's subject (sub) is not a text"
      ),
      (
        #"{"exp":1763650600,"aud":"us","role":"viewer","rooms":"*","actor":"ann"}"#,
        "the token's actor is not an identifier"
      ),
      (
        #"{"exp":1763650600,"aud":"us","role":"viewer","rooms":"*","name":""}"#,
        "the token's name is none that one may have"
      ),
    ]
  )
  func reasons(claims: String, words: String) throws {
    let signed = try #require(SignedClaims(Array(claims.utf8)))
    #expect(throws: TokenRefusal.unfit(words)) { try signed.grant(SignedClaims.Terms(audience: "us"), at: now) }
  }

  @Test(
    "C10: The issuer's clock may be off by a minute, and no more",
    arguments: [
      (#""exp":1763649941"#, true), (#""exp":1763649940"#, false), (#""exp":1763650600,"nbf":1763650060"#, true),
      (#""exp":1763650600,"nbf":1763650061"#, false), (#""exp":1763650600,"iat":1763650060"#, true),
      (#""exp":1763650600,"iat":1763650061"#, false), (#""exp":999999999999"#, true), (#""exp":1e12"#, false),
    ]
  )
  func leeway(times: String, isTaken: Bool) throws {
    let signed = try #require(SignedClaims(Array("{\(times),\"role\":\"viewer\",\"rooms\":\"*\"}".utf8)))
    #expect(((try? signed.grant(SignedClaims.Terms(), at: now)) != nil) == isTaken)
  }

  @Test("C10: A grant has the token's rights, and ends when the issuer's clock may show the token's end at the latest")
  func rights() throws {
    let grant = try #require(
      self.grant(
        #","rooms":["demo"],"sub":"ann@b","name":"Ann","actor":"k3j-9x2-m1p","aud":["we","us"]"#,
        audience: "us"
      )
    )
    #expect(grant.level == .editor && grant.rooms == [.name("demo")] && grant.endsAt == 1_763_650_660_000)
    #expect(grant.label == "ann@b" && grant.account == .subject("ann@b"))
    #expect(grant.name == "Ann" && grant.actor == Identifier("k3j-9x2-m1p"))
    let bare = try #require(self.grant(#","rooms":"*""#))
    #expect(bare.label == "signed" && bare.account == nil && bare.name == nil && bare.actor == nil)
  }

  @Test("C10: A token for somebody is refused by a server that is nobody in particular") func audiences() {
    #expect(grant(#","rooms":"*","aud":"us""#, audience: "us") != nil)
    #expect(grant(#","rooms":"*","aud":"us""#) == nil)
    #expect(grant(#","rooms":"*","aud":"us""#, audience: "we") == nil)
  }

  @Test("C10: Whoever makes a token up hears less than the log")
  func told() {
    let made = TokenRefusal.unproven("no key has the name that the token gives (kid): hs")
    #expect(made.told == TokenRefusal.unknown.told && made.reason != made.told)
    #expect(TokenRefusal.expired.told == TokenRefusal.expired.reason)
  }

  @Test(
    "C10: a list of which one element is no text ends the reading, in claims that nobody asked for as well",
    arguments: ["groups", "aud", "rooms", "sub", "unknown"],
    [#"["a",8,"b"]"#, #"[1,"a"]"#, #"[[],"a",{"b":["c"]},"d"]"#]
  )
  func mixedLists(name: String, list: String) {
    let isRead = name != "groups" && name != "unknown"
    let rooms = name == "rooms" ? "" : #","rooms":["demo"]"#
    #expect((grant(",\"\(name)\":\(list)\(rooms)") == nil) == isRead)
  }

  @Test("C10: a header is read before its signature is checked, so it is short, and lists in it are passed over")
  func headers() throws {
    func header(_ text: String) -> SignedHeader? { try? SignedHeader(Base64.forURLs.encoded(Array(text.utf8))[...]) }
    #expect(header(#"{"alg":"HS256","x5c":[1,"a"],"kid":"a"}"#)?.key == "a")
    #expect(header(#"{"alg":["HS256",1,"a"]}"#) == nil)
    #expect(header(#"{"alg":"HS256","alg":"HS256"}"#) == nil)
    #expect(header(#"{"alg":"HS256","crit":[1,"a"]}"#) == nil)
    for (type, isTaken) in [("JWT", true), ("jwt", true), ("at+jwt", false)] {
      #expect((header(#"{"alg":"HS256","typ":"\#(type)"}"#) != nil) == isTaken, "\(type)")
    }
    let filled = { (count: Int) in #"{"alg":"HS256","x5c":""# + String(repeating: "x", count: count) + #""}"# }
    #expect(header(filled(3_000)) != nil && header(filled(3_100)) == nil)
  }

  @Test(
    "C10: rooms are a list, or a star alone; every other form is refused",
    arguments: [
      (#""*""#, true), (#"["demo"]"#, true), (#"["demo","team-*"]"#, true), (#"["*"]"#, true), (#""demo""#, false),
      (#""team-*""#, false), ("[]", false), ("7", false), ("null", false), (#"["demo",7]"#, false),
      (#"[["demo"]]"#, false),
    ]
  )
  func rooms(claim: String, isTaken: Bool) {
    #expect((grant(",\"rooms\":\(claim)") != nil) == isTaken)
  }

  @Test("C10: a subject is a text", arguments: ["5", "null", "[\"ann\"]", "{}", "true"]) func subjects(claim: String) {
    #expect(grant(",\"rooms\":[\"demo\"],\"sub\":\(claim)") == nil)
  }

  @Test("Bearers whose labels are alike have accounts of their own") func accounts() throws {
    let file = try Tokens("ann-ann-ann-ann-1 editor * # ann\nann-ann-ann-ann-2 editor * # ann\n")
    let long = String(repeating: "a", count: 64)
    let grants = [
      file.grant(of: "ann-ann-ann-ann-1"), file.grant(of: "ann-ann-ann-ann-2"), grant(#","rooms":["a"],"sub":"ann""#),
      grant(",\"rooms\":[\"a\"],\"sub\":\"\(long)\""), grant(",\"rooms\":[\"a\"],\"sub\":\"\(long)b\""),
    ].compactMap(\.self)
    #expect(grants.count == 5)
    #expect(Set(grants.map(\.account)).count == 5 && Set(grants.compactMap(\.label)).count == 2)
    // Another token for the same subject belongs to the same account.
    #expect(grant(#","rooms":["b"],"sub":"ann","iat":1"#)?.account == grants[2].account)
  }
}
