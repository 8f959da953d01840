/// Decides who gets access, by a file of tokens and by keys for signed tokens. If neither is given, everyone gets
/// access.
struct Credentials: Sendable {
  var tokens: Tokens?
  var signed: SignedTokens?
  /// How many times they have been reloaded since the start. A check of connected clients compares this count, to
  /// notice that they were reloaded during the check.
  var reading = 0

  var areAskedFor: Bool { tokens != nil || signed != nil }

  /// The grant of a token, at a time in Unix milliseconds.
  func access(by token: String?, at milliseconds: UInt64) throws(TokenRefusal) -> Grant {
    guard areAskedFor else { return .everything }
    guard let token else { throw .missing }
    if let grant = tokens?.grant(of: token) { return grant }
    guard let signed else { throw .unknown }
    return try signed.grant(of: token, at: milliseconds)
  }
}
