/// On whose account something is stored.
struct Payer: Hashable, Sendable {
  /// By what the quotas of tokens are counted. Unlike labels, no two bearers share one.
  enum Account: Hashable, Sendable {
    /// A token of the file, or a signed one that names nobody.
    case token(String)
    /// The bearer that signed tokens name (`sub`).
    case subject(String)
  }

  /// The client's address, as `NetworkAddress.party` counts it.
  let address: String
  /// The account of the client's token, if the server asks for tokens.
  let token: Account?
}
