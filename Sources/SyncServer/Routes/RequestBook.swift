import CanvasCRDT

/// What is remembered of requests, by where they came from: how much an address has written, and how many requests of it are
/// under way through a proxy.
///
/// What always holds: an address without a request under way takes no place, and a rate is forgotten when it is full, which is
/// when it says nothing.
struct RequestBook {
  private let limits: Limits
  /// By `NetworkAddress.party`, as are the others.
  private var rates: [String: TokenBucket] = [:]
  /// Of a connection that is a proxy's only its requests tell whose they are.
  private var proxied: [String: Int] = [:]
  /// Those who read history.
  var historyTurns = HistoryTurns()

  init(limits: Limits) { self.limits = limits }

  /// A rate for each address, the same as for a connection. A layout of more than may ever come at once takes all of that,
  /// and the next one has to wait.
  mutating func spend(_ operations: Int, party: String, now: UInt64) -> Bool {
    var rate =
      rates[party]
      ?? TokenBucket(
        clientPerSecond: limits.operationsPerSecond,
        atOnce: limits.operationsPerMessage,
        at: now
      )
    defer { rates[party] = rate }
    return rate.take(min(UInt64(operations), rate.capacity), at: now)
  }

  mutating func forgetFullRates(now: UInt64) { rates = rates.filter { !$0.value.isFull(at: now) } }

  /// - Returns: whether one more may be under way.
  mutating func enter(_ party: String) -> Bool {
    let underWay = proxied[party, default: 0]
    guard UInt64(underWay) < limits.httpConnectionsPerAddress else { return false }
    proxied[party] = underWay + 1
    return true
  }

  mutating func leave(_ party: String) {
    let left = proxied[party, default: 1] - 1
    proxied[party] = left > 0 ? left : nil
  }
}
