/// The order in which a database's hosts, and the addresses of each host, are tried.
///
/// What always holds: hosts are tried in their order, each at all of its addresses, until an address works. The other
/// addresses of that host then count as tried, too.
struct HostTurns {
  private let hosts: [PostgresAddress.Host]
  private var next = 0
  /// The addresses of the current host that haven't been tried yet.
  private var addresses: ArraySlice<String> = []

  enum Turn {
    /// Connect to a host. If there is no host, libpq chooses one. If there is no address, libpq gets only the host's
    /// name, which then needs no look-up.
    case connect(PostgresAddress.Host?, at: String?)
    case lookUp(PostgresAddress.Host)
  }

  init(_ hosts: [PostgresAddress.Host]) { self.hosts = hosts }

  mutating func takeTurn() -> Turn {
    if let address = addresses.popFirst() { return .connect(host, at: address) }
    guard !hosts.isEmpty else { return .connect(nil, at: nil) }
    next += 1
    guard let host, host.address == nil, !HostNames.needsNoLookup(host.name) else {
      return .connect(host, at: host?.address)
    }
    return .lookUp(host)
  }

  /// Takes the addresses that were found for the current host.
  /// - Returns: the address to try first.
  mutating func take(_ found: [String]) -> String? {
    addresses = found[...]
    return addresses.popFirst()
  }

  mutating func wasOfUse() { addresses = [] }

  /// The host that is being tried. `nil` if the URL names none.
  var host: PostgresAddress.Host? { hosts.isEmpty ? nil : hosts[(next - 1) % hosts.count] }

  /// Whether all hosts have been tried. The next try then begins with the first host again.
  var isAllTried: Bool { addresses.isEmpty && (hosts.count < 2 || next % hosts.count == 0) }
}
