/// Whose quotas count what is stored: the client's address, and the account of the client's token.
struct Payer: Hashable, Sendable {
  /// An account to which the quotas of tokens apply. Two bearers may have the same label, but each has an account of
  /// its own.
  enum Account: Hashable, Sendable {
    /// The account of one token: a token of the file, or a signed token without a subject.
    case token(String)
    /// The account of the bearer whom signed tokens name (`sub`), whichever of the bearer's tokens is used.
    case subject(String)
  }

  /// The key under which quotas count the client's address, made by `NetworkAddress.party`.
  let address: String
  /// The account of the client's token. `nil` if the server asks for no tokens.
  let token: Account?
}
