import WebSocketLoop

/// An address, or a range of addresses that begin with the same bits: `127.0.0.1`, `10.0.0.0/8`.
struct AddressRange: Hashable, Sendable {
  private let address: NetworkAddress
  private let bits: Int

  init?(_ text: String) {
    let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let address = NetworkAddress(halves[0]) else { return nil }
    let all = address.bytes.count * 8
    guard halves.count == 2 else {
      self.address = address
      bits = all
      return
    }
    guard let bits = Int(halves[1]), (0...all).contains(bits) else { return nil }
    self.address = address
    self.bits = bits
  }

  func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    for index in 0..<(bits + 7) / 8 {
      let left = bits - index * 8
      let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
      guard (other.bytes[index] ^ address.bytes[index]) & mask == 0 else { return false }
    }
    return true
  }
}

/// The proxies in front of the server. Their `X-Forwarded-For` is believed.
struct Proxies: Hashable, Sendable {
  private var ranges: [AddressRange] = []

  init() {}

  /// Reads a list such as `127.0.0.1,::1,10.0.0.0/8`. Empty text means no proxies, because an environment variable can
  /// be empty.
  init?(_ text: String) {
    for part in text.split(separator: ",", omittingEmptySubsequences: text.isEmpty) {
      guard let range = AddressRange(part.filter { $0 != " " }) else { return nil }
      ranges.append(range)
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  func contains(_ address: String) -> Bool {
    guard !ranges.isEmpty, let address = NetworkAddress(address) else { return false }
    return contains(address)
  }

  private func contains(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// The client's address. If the peer is not a proxy of ours, it is the peer's address. Otherwise it is the last
  /// address in the header that is not a proxy of ours. Addresses before that one are not believed, because the client
  /// might have invented them.
  /// - Parameter path: the addresses of `X-Forwarded-For`. The one nearest to this server is last.
  func origin(peer: String, path: [String]) -> String {
    guard contains(peer) else { return peer }
    var origin = peer
    for entry in path.reversed() {
      guard let address = Proxies.address(entry) else { break }
      origin = address.text
      if !contains(address) { break }
    }
    return origin
  }

  /// The address of an entry. Some proxies write the client's port behind it: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  private static func address(_ entry: String) -> NetworkAddress? {
    if let address = NetworkAddress(entry) { return address }
    guard let colon = entry.lastIndex(of: ":"), UInt16(entry[colon...].dropFirst()) != nil else { return nil }
    var host = entry[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return NetworkAddress(String(host))
  }
}
