import Basics
import CanvasCRDT

/// The requests of each client address: how much an address has written, and how many of its requests through a proxy
/// are being served.
///
/// What always holds: an address without such a request has no entry. A rate is forgotten when its token bucket is
/// full, because a full bucket is as good as a new one.
struct RequestBook {
  private let limits: Limits
  /// The rate of each address. The keys are made by `NetworkAddress.party`, as in `proxied`.
  private(set) var rates: [String: Rate] = [:]
  /// How many requests of each address are being served through a proxy. A proxy's connection carries requests of many
  /// clients, so clients can only be counted by their requests.
  private var proxied: [String: Int] = [:]

  struct Rate {
    var bucket: TokenBucket
    /// Operations that will be charged when the bucket holds enough for them.
    var owed: UInt64 = 0
  }

  /// The permits of jobs that read history.
  var historyTurns = HistoryTurns()
  /// The permits of jobs that list the stored rooms. Reading the history of a long room takes longer than they wait.
  var listTurns = HistoryTurns()
  /// The permits of jobs that make an answer from a copy of a large room.
  var copyTurns = HistoryTurns()

  /// The permits of jobs that make an answer from the overlaps of a large room. These wait until the overlaps are known.
  var overlapTurns = HistoryTurns()

  typealias Turns = WritableKeyPath<RequestBook, HistoryTurns> & Sendable

  init(limits: Limits) { self.limits = limits }

  /// Charges operations to the rate of an address. The rate is the same as for a connection. A layout that is larger
  /// than the bucket empties the bucket, and the address's next request has to wait.
  /// - Parameter paid: how many operations were charged before the body was read.
  /// - Returns: false if the rate is used up.
  mutating func spend(_ operations: Int, paid: Int = 0, party: String, now: UInt64) -> Bool {
    var rate = rate(of: party, now: now)
    defer { rates[party] = rate }
    guard rate.owed == 0 || rate.bucket.take(rate.owed, at: now) else { return false }
    rate.owed = 0
    let price = min(UInt64(operations), rate.bucket.capacity)
    return rate.bucket.take(price - min(price, UInt64(paid)), at: now)
  }

  /// The client is charged for operations that a request has caused in addition to those in its body. The client's next
  /// request waits for them.
  mutating func owe(_ operations: Int, party: String, now: UInt64) {
    guard operations > 0 else { return }
    var rate = rate(of: party, now: now)
    rate.owed = min(rate.owed + UInt64(operations), rate.bucket.capacity)
    rates[party] = rate
  }

  private func rate(of party: String, now: UInt64) -> Rate {
    rates[party]
      ?? Rate(
        bucket: TokenBucket(
          clientPerSecond: limits.operationsPerSecond,
          atOnce: limits.operationsPerMessage,
          at: now
        )
      )
  }

  /// Must be called every second. It charges each address for what it owes, forgets the addresses that have their full
  /// allowance again, and ends waits whose time is up.
  mutating func rest(now: UInt64) {
    for (party, rate) in rates {
      var rate = rate
      // An address might never send another request, so its debt is charged here too.
      if rate.owed > 0, rate.bucket.take(rate.owed, at: now) { rate.owed = 0 }
      rates[party] = rate.owed == 0 && rate.bucket.isFull(at: now) ? nil : rate
    }
    historyTurns.giveUp(now: now)
    copyTurns.giveUp(now: now)
    listTurns.giveUp(now: now)
    overlapTurns.giveUp(now: now)
  }

  /// Counts a request through a proxy.
  /// - Returns: whether the address may have one more request served now.
  mutating func enter(_ party: String) -> Bool {
    let underWay = proxied[party, default: 0]
    guard UInt64(underWay) < limits.httpConnectionsPerAddress else { return false }
    proxied[party] = underWay + 1
    return true
  }

  mutating func leave(_ party: String) {
    proxied.countDown(party)
  }
}
