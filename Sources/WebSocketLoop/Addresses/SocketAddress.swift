internal import CWebSockets
import Glibc

/// An address of IPv4 or IPv6, in the form of the socket calls.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)

  var family: Int32 { Int32(storage.ss_family) }

  /// Passes the address to a call that fills it in.
  mutating func withStorage<Result>(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        withUnsafeMutablePointer(to: &byteCount) { body(address, $0) }
      }
    }
  }

  /// Passes the address to a call that reads it.
  func withStorage<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, byteCount) }
    }
  }

  static func local(of descriptor: Int32) -> SocketAddress? {
    var address = SocketAddress()
    let failure = address.withStorage { getsockname(descriptor, $0, $1) }
    return failure == 0 ? address : nil
  }

  /// - Parameter flags: those of `getaddrinfo` for the host.
  static func resolve(host: String, port: Int, flags: Int32 = 0) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | flags
    var results: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &results) == 0 else { return [] }
    defer { freeaddrinfo(results) }
    var addresses: [SocketAddress] = []
    var next = results
    while let entry = next {
      var address = SocketAddress()
      address.byteCount = entry.pointee.ai_addrlen
      withUnsafeMutableBytes(of: &address.storage) { room in
        room.copyMemory(
          from: UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
        )
      }
      addresses.append(address)
      next = entry.pointee.ai_next
    }
    return addresses
  }

  var port: Int {
    withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
  }

  /// The address in numeric form: `127.0.0.1`, `::1`. An IPv4 address that arrived over an IPv6 socket is shown as
  /// IPv4.
  var numericHost: String {
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let failure = withStorage { getnameinfo($0, $1, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) }
    guard failure == 0 else { return "" }
    let text = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
  }
}
