/// On whose account something is stored.
struct Payer: Hashable, Sendable {
  /// The client's address, as `NetworkAddress.party` counts it.
  let address: String
  /// The name of the client's token, if the server asks for tokens and this one has a name.
  let token: String?
}
