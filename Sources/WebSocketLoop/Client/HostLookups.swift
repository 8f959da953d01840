import Basics
import Glibc

/// Looks up the addresses of hosts, each on a thread of its own: the system's resolver may take long, and nothing else on
/// the loop should wait for it.
///
/// What always holds: at most one thread looks up a host, however many wait for it. Each look-up is answered once, at the
/// latest when the loop ends.
final class HostLookups: LoopGuest {
  private struct Host: Hashable {
    let name: String
    let port: Int
  }

  /// The system's resolver. A test can use another.
  var resolve: @Sendable (_ host: String, _ port: Int) -> [SocketAddress] = {
    SocketAddress.resolve(host: $0, port: $1)
  }
  private unowned let loop: EventLoop
  private var waiting: [Host: [([SocketAddress]) -> Void]] = [:]

  init?(loop: EventLoop) { self.loop = loop }

  func loopEnds() { for host in Array(waiting.keys) { end(host, []) } }

  /// - Parameter found: gets the addresses, on the loop's thread: at once if the host is an address itself. None if
  ///   there is no such host.
  func lookUp(_ endpoint: Endpoint, _ found: @escaping ([SocketAddress]) -> Void) {
    let numeric = SocketAddress.resolve(host: endpoint.host, port: endpoint.port, flags: AI_NUMERICHOST)
    guard numeric.isEmpty else { return found(numeric) }
    let host = Host(name: endpoint.host, port: endpoint.port)
    waiting[host, default: []].append(found)
    guard waiting[host]?.count == 1 else { return }
    let (loop, resolve) = (loop, resolve)
    let answer: @Sendable ([SocketAddress]) -> Void = { addresses in
      loop.execute { loop.guest(HostLookups.self)?.end(host, addresses) }
    }
    do throws(SystemThread.Failure) {
      try SystemThread { answer(resolve(host.name, host.port)) }.detach()
    } catch {
      answer([])
    }
  }

  private func end(_ host: Host, _ addresses: [SocketAddress]) {
    for found in waiting.removeValue(forKey: host) ?? [] { found(addresses) }
  }
}
