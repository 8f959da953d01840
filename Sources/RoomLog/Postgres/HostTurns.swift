/// The order in which a database's hosts and their addresses are tried.
///
/// What always holds: the hosts are tried in turn, and each host is tried at all its addresses. If a connection was
/// usable, the next try begins with the next host.
struct HostTurns {
  private let hosts: [PostgresAddress.Host]
  private var next = 0
  /// The addresses of the current host that are still to be tried.
  private var addresses: ArraySlice<String> = []
  /// Whether all hosts that were tried in this round were unfit.
  private var isRoundUnfit = true
  /// Whether all hosts were unfit in the round that has just ended.
  private(set) var areAllUnfit = false

  enum Turn {
    /// Connect to a host. Without a host, libpq chooses one. Without an address, libpq gets the host's name, which then
    /// is a numeric address or a socket's directory.
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

  /// Stores the addresses found for the current host.
  /// - Returns: the address to try first.
  mutating func take(_ found: [String]) -> String? {
    addresses = found[...]
    return addresses.popFirst()
  }

  mutating func wasOfUse() { addresses = [] }

  /// Notes why the last try failed.
  mutating func noteFailure(_ fault: StorageFault) {
    if case .unfit = fault {} else { isRoundUnfit = false }
    areAllUnfit = isRoundUnfit && isAllTried
    if isAllTried { isRoundUnfit = true }
  }

  /// The host that is being tried. `nil` if the URL names no host.
  var host: PostgresAddress.Host? { hosts.isEmpty ? nil : hosts[(next - 1) % hosts.count] }

  /// Whether all hosts have been tried, so that the next try begins again with the first.
  var isAllTried: Bool { addresses.isEmpty && (hosts.count < 2 || next % hosts.count == 0) }
}
