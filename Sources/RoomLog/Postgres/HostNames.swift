import Glibc
import Synchronization

/// Looks up the addresses of hosts on other threads. The system's resolver may take long or not answer at all. If libpq
/// looked up the name, the log's thread would have to wait for the resolver
/// (postgresql.org/docs/15/libpq-connect.html#LIBPQ-PQCONNECTSTARTPARAMS).
///
/// What always holds: at most one thread looks up each name. So even if the resolver never answers, there is at most
/// one thread for each name.
final class HostNames: Sendable {
  typealias Resolve = @Sendable (_ name: String) -> Result<[String], Fault>

  struct Fault: Error {
    let words: String
  }

  /// A name that is being looked up.
  final class Lookup: Sendable {
    private let state = Mutex<Result<[String], Fault>?>(nil)

    /// The host's addresses, in the order in which to try them, or why there are none. `nil` until that is known.
    var answer: Result<[String], Fault>? { state.withLock { $0 } }

    fileprivate func end(_ answer: Result<[String], Fault>) { state.withLock { $0 = answer } }
  }

  private let resolve: Resolve
  private let woken: @Sendable () -> Void
  private let underWay = Mutex<[String: Lookup]>([:])

  /// - Parameter woken: is called when a look-up has an answer.
  init(_ resolve: @escaping Resolve, woken: @escaping @Sendable () -> Void) {
    self.resolve = resolve
    self.woken = woken
  }

  /// Looks a name up. If a look-up of the name is under way, it returns that one.
  func lookUp(_ name: String) -> Lookup {
    let (lookup, isNew) = underWay.withLock { underWay in
      if let lookup = underWay[name] { return (lookup, false) }
      let lookup = Lookup()
      underWay[name] = lookup
      return (lookup, true)
    }
    guard isNew else { return lookup }
    do throws(StorageFault) {
      try LogThread { self.end(lookup, of: name, self.resolve(name)) }.detach()
    } catch {
      end(lookup, of: name, .failure(Fault(words: "\(error)")))
    }
    return lookup
  }

  private func end(_ lookup: Lookup, of name: String, _ answer: Result<[String], Fault>) {
    underWay.withLock { $0[name] = nil }
    lookup.end(answer)
    woken()
  }

  // MARK: The system's resolver

  /// Whether a host is the directory of a local socket, or already an address.
  static func needsNoLookup(_ host: String) -> Bool {
    if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") { return true }
    if case .success = addresses(of: host, flags: AI_NUMERICHOST) { return true }
    return false
  }

  static let system: Resolve = { addresses(of: $0, flags: 0) }

  private static func addresses(of name: String, flags: Int32) -> Result<[String], Fault> {
    var hints = addrinfo()
    hints.ai_flags = flags
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else { return .failure(Fault(words: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(text.count)
      if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 {
        let address = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        if !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.ai_next
    }
    return addresses.isEmpty ? .failure(Fault(words: "it has no address")) : .success(addresses)
  }
}
