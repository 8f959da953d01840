import Basics
import Glibc
import Synchronization

/// Looks up the addresses of hosts on separate threads, because the system's resolver may take long or never answer.
/// libpq would look them up on the log's thread, which would then have to wait
/// (postgresql.org/docs/15/libpq-connect.html#LIBPQ-PQCONNECTSTARTPARAMS).
///
/// What always holds: each name is looked up by at most one thread. So a resolver that never answers costs one thread
/// for each name.
final class HostNames: Sendable {
  typealias Resolve = @Sendable (_ name: String) -> Result<[String], Fault>

  struct Fault: Error {
    let words: String
  }

  /// A look-up of one name.
  final class Lookup: Sendable {
    private let state = Mutex<Result<[String], Fault>?>(nil)

    /// The host's addresses in the order in which to try them, or why there are none. `nil` while the look-up runs.
    var answer: Result<[String], Fault>? { state.withLock { $0 } }

    fileprivate func end(_ answer: Result<[String], Fault>) { state.withLock { $0 = answer } }
  }

  private let resolve: Resolve
  private let woken: @Sendable () -> Void
  private let underWay = Mutex<[String: Lookup]>([:])

  /// - Parameter woken: is called when a look-up has finished.
  init(_ resolve: @escaping Resolve, woken: @escaping @Sendable () -> Void) {
    self.resolve = resolve
    self.woken = woken
  }

  /// Starts a look-up, or returns the one that is under way for the name.
  func lookUp(_ name: String) -> Lookup {
    let (lookup, isNew) = underWay.withLock { underWay in
      if let lookup = underWay[name] { return (lookup, false) }
      let lookup = Lookup()
      underWay[name] = lookup
      return (lookup, true)
    }
    guard isNew else { return lookup }
    do throws(StorageFault) {
      try SystemThread.ofLog { self.end(lookup, of: name, self.resolve(name)) }.detach()
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

  /// Whether a host is a numeric address, or the directory of a Unix socket.
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
