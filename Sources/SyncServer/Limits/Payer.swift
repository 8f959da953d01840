/// The account that pays for what is stored.
struct Payer: Hashable, Sendable {
  /// An account by which the quotas of tokens are counted. Unlike labels, each bearer has one of its own.
  enum Account: Hashable, Sendable {
    /// A token of the file, or a signed token without a subject.
    case token(String)
    /// The bearer whom signed tokens name (`sub`).
    case subject(String)
  }

  /// The client's address, as `NetworkAddress.party` counts it.
  let address: String
  /// The account of the client's token, if the server asks for tokens.
  let token: Account?
}
