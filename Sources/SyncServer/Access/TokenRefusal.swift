/// Why a token gives no access.
enum TokenRefusal: Error, Hashable {
  case missing
  /// The token is not in the file of tokens, and doesn't have the form of a signed one.
  case unknown
  /// The signature doesn't prove that a holder of one of the server's keys made the token.
  case unproven(String)
  /// The token is signed with one of the server's keys, but one of its claims is unacceptable.
  case unfit(String)

  static let expired = TokenRefusal.unfit("the token has expired")

  /// The reason in words, for log lines.
  var reason: String {
    switch self {
    case .missing: "no token was sent"
    case .unknown: "the token is not known here"
    case .unproven(let words), .unfit(let words): words
    }
  }

  /// The words that are sent to the client. If the signature is right, they say what is wrong with the token. Otherwise
  /// they don't, so that a client with an invented token learns nothing about the server's keys.
  var told: String {
    switch self {
    case .missing: "send a valid token: Authorization: Bearer TOKEN, or ?token=TOKEN"
    case .unknown, .unproven: TokenRefusal.unknown.reason
    case .unfit(let words): words
    }
  }
}
