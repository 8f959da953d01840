/// Counts the bytes from a peer that belong to no message: pings, pongs, empty fragments, and headers of frames.
/// libwebsockets reports only some of these bytes. So the bytes that were read from the socket are compared with the
/// bytes of the delivered messages.
///
/// What always holds: a peer is not paused if it never sends more than `bytesASecond` of such bytes.
struct Overhead {
  private static let bytesASecond: UInt64 = 4_096
  private static let bytesAtOnce: UInt64 = 65_536
  /// The length of the longest frame header. Each message is allowed one such header.
  private static let headerBytes: UInt64 = 14
  private static let restMillisecondsMax: UInt64 = 10_000

  /// How many bytes the socket had received before the first frame.
  private var base: UInt64 = 0
  private var handedOn: UInt64 = 0
  /// How many bytes that belong to no message have been counted so far.
  private var counted: UInt64 = 0
  private var allowed = Overhead.bytesAtOnce
  private var lookedAt: UInt64 = 0
  private(set) var isResting = false

  mutating func begin(received: UInt64, at now: UInt64) {
    base = received
    lookedAt = now
  }

  mutating func handOn(bytes: Int) { handedOn &+= UInt64(bytes) }
  mutating func endMessage() { handedOn &+= Overhead.headerBytes }

  /// - Parameter received: how many bytes were read from the socket since the connection began.
  /// - Returns: for how many milliseconds to pause reading; `nil` if no pause is needed.
  mutating func look(received: UInt64, at now: UInt64) -> UInt64? {
    allowed = min(Overhead.bytesAtOnce, allowed + (now - min(now, lookedAt)) * Overhead.bytesASecond / 1_000)
    lookedAt = now
    let beside = received - min(received, base &+ handedOn)
    let new = beside - min(beside, counted)
    counted = max(counted, beside)
    guard new > allowed else {
      allowed -= new
      return nil
    }
    let milliseconds = (new - allowed) * 1_000 / Overhead.bytesASecond
    allowed = 0
    isResting = true
    return min(max(milliseconds, 1_000), Overhead.restMillisecondsMax)
  }

  mutating func rested() { isResting = false }
}
