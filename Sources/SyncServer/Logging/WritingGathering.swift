import CanvasCRDT
import WebSocketLoop

/// The lines of the audit log about writes over HTTP. A writer's first request gets a line at once. The writer's
/// requests of the next seconds are added up and get one line together. So a program that writes often doesn't fill the
/// disk with lines about itself.
///
/// What always holds: each request gets a line at once, or is part of a sum. A sum gets a line when its time is over or
/// the server ends.
struct WritingGathering {
  static let windowMilliseconds: UInt64 = 10_000
  /// The upper bound on the writers that are remembered. If there are more writers, each request of a further writer
  /// gets a line.
  static let writersMax = 1_024

  /// A client, and the way in which it writes.
  struct Writer: Hashable, Sendable {
    let event: String
    let room: String
    let actor: String
    let token: String?
    let address: String
    /// The key under which the client's address is counted. With IPv6, all addresses of the client's network have the
    /// same key.
    private var party: String { NetworkAddress.party(of: address) }

    static func == (left: Writer, right: Writer) -> Bool {
      (left.event, left.room, left.actor, left.token, left.party)
        == (right.event, right.room, right.actor, right.token, right.party)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(actor)
      hasher.combine(room)
      hasher.combine(party)
    }
  }

  struct Sum: Sendable {
    let writer: Writer
    fileprivate(set) var requests = 0
    fileprivate(set) var operations = 0
    fileprivate let beganAt: UInt64
  }

  private var sums: [Writer: Sum] = [:]

  /// - Returns: whether the request gets a line of its own now. If not, it is added to a sum.
  mutating func tells(_ writer: Writer, operations: Int, now: UInt64) -> Bool {
    guard sums[writer] != nil else {
      if sums.count < WritingGathering.writersMax { sums[writer] = Sum(writer: writer, beganAt: now) }
      return true
    }
    sums[writer]?.requests += 1
    sums[writer]?.operations += operations
    return false
  }

  /// The sums whose time is over, in the order in which they began. To be called once a second, and at the end.
  mutating func takeSums(now: UInt64, isEnd: Bool = false) -> [Sum] {
    let due = sums.values.filter { isEnd || now >= $0.beganAt + WritingGathering.windowMilliseconds }
    for sum in due { sums[sum.writer] = nil }
    return due.filter { $0.requests > 0 }.sorted { ($0.beganAt, $0.writer.actor) < ($1.beganAt, $1.writer.actor) }
  }
}
