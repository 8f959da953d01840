/// Why a token gives no access.
enum TokenRefusal: Error, Hashable {
  /// None was sent.
  case missing
  /// It is not in the file of tokens, and is no signed one.
  case unknown
  /// Nothing shows that somebody with one of the server's keys has made it.
  case unproven(String)
  /// It was signed with one of the server's keys, but says something for which it isn't taken.
  case unfit(String)

  static let expired = TokenRefusal.unfit("the token has expired")

  /// For the log.
  var reason: String {
    switch self {
    case .missing: "no token was sent"
    case .unknown: "the token is not known here"
    case .unproven(let words), .unfit(let words): words
    }
  }

  /// For the client. The bearer of a signed token may know what is wrong with it. A client that made one up learns
  /// nothing about the server's keys.
  var told: String {
    switch self {
    case .missing: "send a valid token: Authorization: Bearer TOKEN, or ?token=TOKEN"
    case .unknown, .unproven: TokenRefusal.unknown.reason
    case .unfit(let words): words
    }
  }
}
