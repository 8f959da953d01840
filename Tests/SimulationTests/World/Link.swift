/// A line that carries so many bytes in a time, each of which takes a while, and that has taken in no more than it carries
/// soon: what the server's sockets do for a peer behind a thin line.
struct Link: Codable, Sendable {
  let bytesPerSecond: UInt64
  let delayMilliseconds: UInt64

  /// What it carries in a tenth of a second, as `LineGauge` allows.
  var bufferBytes: Int { max(256, Int(bytesPerSecond) / 10) }
}

/// What is on a link towards a client.
struct Carriage: Sendable {
  let link: Link
  private var taken: [UInt8] = []
  /// Bytes that have left the near end, and when each arrives.
  private var underWay: [(at: UInt64, bytes: [UInt8])] = []
  private var carriedAt: UInt64
  /// Thousandths of a byte that time has allowed since.
  private var allowance: UInt64 = 0

  init(_ link: Link, at time: UInt64) {
    self.link = link
    carriedAt = time
  }

  var isEmpty: Bool { taken.isEmpty && underWay.isEmpty }
  /// How many bytes it takes now.
  var room: Int { max(0, link.bufferBytes - taken.count) }

  mutating func take(_ bytes: some Sequence<UInt8>) { taken.append(contentsOf: bytes) }

  /// - Returns: what has arrived by then.
  mutating func carry(until time: UInt64) -> [UInt8] {
    allowance += (time - carriedAt) * link.bytesPerSecond
    carriedAt = time
    let count = min(taken.count, Int(allowance / 1_000))
    // Time in which there was nothing to carry is no time saved.
    allowance = count == taken.count ? 0 : allowance % 1_000
    if count > 0 {
      underWay.append((time + link.delayMilliseconds, Array(taken[..<count])))
      taken.removeFirst(count)
    }
    var arrived: [UInt8] = []
    while let first = underWay.first, first.at <= time {
      arrived += first.bytes
      underWay.removeFirst()
    }
    return arrived
  }

  /// All of it, at once.
  mutating func end() -> [UInt8] { underWay.flatMap(\.bytes) + taken }
}
