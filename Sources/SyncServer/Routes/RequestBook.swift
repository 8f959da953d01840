import CanvasCRDT

/// What is remembered of requests, by client address: how much an address has written, and how many of its requests are
/// under way through a proxy.
///
/// What always holds: an address without a request under way takes no entry. A rate is forgotten once it is full,
/// because a full rate says nothing.
struct RequestBook {
  private let limits: Limits
  /// By `NetworkAddress.party`, as are the others.
  private var rates: [String: TokenBucket] = [:]
  /// A proxy's connection carries requests of many clients. Only the requests tell whose they are.
  private var proxied: [String: Int] = [:]
  /// The jobs that read history.
  var historyTurns = HistoryTurns()

  init(limits: Limits) { self.limits = limits }

  /// A rate for each address, the same as for a connection. A layout that is larger than the most that may come at once
  /// takes all of the rate, and the next one has to wait.
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

  /// - Returns: whether one more request may be under way.
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
