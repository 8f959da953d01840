/// A slow line between the server and a client: it carries a number of bytes a second, and each byte takes a while to
/// arrive. It takes in no more bytes than it carries within a tenth of a second, as the server's sockets do for a peer
/// behind a slow line.
struct Link: Codable, Sendable {
  let bytesPerSecond: UInt64
  let delayMilliseconds: UInt64

  /// How many bytes the line carries in a tenth of a second, which is what `LineGauge` allows.
  var bufferBytes: Int { max(256, Int(bytesPerSecond) / 10) }
}

/// The bytes on a line towards a client.
struct Carriage: Sendable {
  let link: Link
  private var taken: [UInt8] = []
  /// Bytes that have left the server's end, and when each arrives.
  private var underWay: [(at: UInt64, bytes: [UInt8])] = []
  private var carriedAt: UInt64
  /// The bytes that the line may carry for the time that has passed, in thousandths of a byte.
  private var allowance: UInt64 = 0

  init(_ link: Link, at time: UInt64) {
    self.link = link
    carriedAt = time
  }

  var isEmpty: Bool { taken.isEmpty && underWay.isEmpty }
  /// How many bytes the line takes now.
  var room: Int { max(0, link.bufferBytes - taken.count) }

  mutating func take(_ bytes: some Sequence<UInt8>) { taken.append(contentsOf: bytes) }

  /// Lets time pass.
  /// - Returns: the bytes that have arrived by then.
  mutating func carry(until time: UInt64) -> [UInt8] {
    allowance += (time - carriedAt) * link.bytesPerSecond
    carriedAt = time
    let count = min(taken.count, Int(allowance / 1_000))
    // Time in which there was nothing to carry is not saved for later bytes.
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

  /// All bytes on the line, at once.
  mutating func end() -> [UInt8] { underWay.flatMap(\.bytes) + taken }
}
