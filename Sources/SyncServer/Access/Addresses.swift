import Glibc

/// A numeric address of IPv4 or IPv6, compared by its bytes.
struct NetworkAddress: Hashable, Sendable {
  /// Four, or sixteen.
  let bytes: [UInt8]

  /// `192.0.2.1`, `2001:db8::1`; one of IPv4 that is written as IPv6 is IPv4's.
  init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      let all = withUnsafeBytes(of: &sixteen) { Array($0) }
      let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
      bytes = isMapped ? Array(all[12...]) : all
    } else {
      return nil
    }
  }

  /// The same in the one way in which the system writes it.
  var text: String {
    var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return "" }
    return room.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}

/// An address, or all that begin with the same bits: `127.0.0.1`, `10.0.0.0/8`.
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

/// The proxies before the server: what they say of where a request came from is believed.
struct Proxies: Hashable, Sendable {
  private var ranges: [AddressRange] = []

  init() {}

  /// `127.0.0.1,::1,10.0.0.0/8`.
  init?(_ text: String) {
    for part in text.split(separator: ",") {
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

  /// Where a request came from: the last address on its way that is no proxy of ours. What stands before that one in the
  /// list its sender has written itself, and so has whoever is no proxy at all.
  /// - Parameter path: the addresses of `X-Forwarded-For`, the nearest last.
  func origin(peer: String, path: [String]) -> String {
    guard contains(peer) else { return peer }
    var origin = peer
    for entry in path.reversed() {
      guard let address = NetworkAddress(entry) else { break }
      origin = address.text
      if !contains(address) { break }
    }
    return origin
  }
}
