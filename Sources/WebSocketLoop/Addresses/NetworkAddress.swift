import Glibc

/// A numeric address of IPv4 or IPv6, compared by its bytes.
public struct NetworkAddress: Hashable, Sendable {
  /// Four, or sixteen.
  public let bytes: [UInt8]

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads `192.0.2.1` or `2001:db8::1`. An IPv4 address that is written as IPv6 counts as IPv4.
  public init?(_ text: String) {
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

  /// The address in the notation of the system's `inet_ntop`.
  public var text: String {
    var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return "" }
    return room.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// Whether only this machine can reach the address: `127.0.0.0/8`, `::1`.
  public var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// The key by which clients' addresses are counted. Each IPv4 address has its own key. IPv6 addresses that begin with
  /// the same 64 bits have the same key, because a host usually has all 2⁶⁴ of these addresses.
  public static func party(of text: String) -> String {
    guard text.contains(":") else { return text }
    // A `%` begins the name of an interface, as in `fe80::1%eth0`. The name is left out.
    guard let address = NetworkAddress(String(text.prefix { $0 != "%" })) else { return text }
    guard address.bytes.count == 16 else { return address.text }
    let network = NetworkAddress(bytes: address.bytes[..<8] + [UInt8](repeating: 0, count: 8))
    return network.text + "/64"
  }
}
