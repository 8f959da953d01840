/// Why a token gives no access.
enum TokenRefusal: Error, Hashable {
  /// The client sent no token.
  case missing
  /// The token is not in the file of tokens, and is not a signed one.
  case unknown
  /// The signature doesn't prove that a holder of one of the server's keys made the token.
  case unproven(String)
  /// The token is signed with one of the server's keys, but a claim in it keeps it from being accepted.
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
