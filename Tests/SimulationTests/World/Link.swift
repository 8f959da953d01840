/// A slow network link from the server to a client, with a limited rate and a delay. It buffers at most what it carries
/// in a tenth of a second, like the server's socket buffer for a slow peer.
struct Link: Codable, Sendable {
  let bytesPerSecond: UInt64
  let delayMilliseconds: UInt64

  /// What the link carries in a tenth of a second. `LineGauge` lets as many bytes be in flight.
  var bufferBytes: Int { max(256, Int(bytesPerSecond) / 10) }
}

/// The bytes in transit over a link.
struct Carriage: Sendable {
  let link: Link
  private var taken: [UInt8] = []
  /// Bytes that have left the server's end, each chunk with its time of arrival.
  private var underWay: [(at: UInt64, bytes: [UInt8])] = []
  private var carriedAt: UInt64
  /// Unused capacity of the link, in thousandths of a byte.
  private var allowance: UInt64 = 0

  init(_ link: Link, at time: UInt64) {
    self.link = link
    carriedAt = time
  }

  var isEmpty: Bool { taken.isEmpty && underWay.isEmpty }
  /// How many more bytes fit into the link's buffer now.
  var room: Int { max(0, link.bufferBytes - taken.count) }

  mutating func take(_ bytes: some Sequence<UInt8>) { taken.append(contentsOf: bytes) }

  /// Advances the time.
  /// - Returns: the bytes that arrive by then.
  mutating func carry(until time: UInt64) -> [UInt8] {
    allowance += (time - carriedAt) * link.bytesPerSecond
    carriedAt = time
    let count = min(taken.count, Int(allowance / 1_000))
    // An idle link can't save its capacity for later.
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

  /// All bytes that are still in transit.
  mutating func end() -> [UInt8] { underWay.flatMap(\.bytes) + taken }
}
