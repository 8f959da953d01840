/// Backpressure for short-lived messages, such as the mouse position, which soon become outdated.
///
/// Once the operating system has a message, a newer one can't replace it, and the operating system buffers megabytes
/// for a slow connection. So the client sends a ping now and then. While too many bytes have no answer yet, it sends no
/// short-lived messages.
struct LinePacing: Sendable {
  /// The upper bound on the bytes that are on their way without an answer. At 64 kbit/s they take a third of a second.
  private static let unansweredBytesMax = 2_500
  /// After this many bytes, the client sends a ping.
  private static let askBytes = 800
  /// The shortest time between two pings.
  private static let askMilliseconds: UInt64 = 100

  /// Sent bytes that might not have arrived yet, oldest first.
  private var sent: [(at: UInt64, bytes: Int)] = []
  private var unanswered = 0
  private var unasked = 0
  private var askedAt: UInt64?
  private var nextAskAt: UInt64 = 0
  /// When the last short-lived message was sent, if its arrival isn't confirmed yet.
  private var usedAt: UInt64?

  var isFree: Bool { usedAt == nil || unanswered <= LinePacing.unansweredBytesMax }

  /// Notes that a short-lived message is being sent. One such message may be under way even while edits keep the
  /// connection full.
  mutating func use(at time: UInt64) { usedAt = time }

  mutating func note(bytes: Int, at time: UInt64) {
    sent.append((time, bytes))
    unanswered += bytes
    unasked += bytes
  }

  /// Whether to send a ping now.
  mutating func asks(at time: UInt64) -> Bool {
    guard askedAt == nil, unasked >= LinePacing.askBytes, time >= nextAskAt else { return false }
    askedAt = time
    nextAskAt = time &+ LinePacing.askMilliseconds
    unasked = 0
    return true
  }

  /// Must be called when everything sent up to `time` has arrived.
  mutating func answered(askedAt time: UInt64) {
    let first = sent.firstIndex { $0.at > time } ?? sent.endIndex
    for one in sent[..<first] { unanswered -= one.bytes }
    sent.removeSubrange(..<first)
    if let usedAt, time >= usedAt { self.usedAt = nil }
    if let askedAt, time >= askedAt { self.askedAt = nil }
  }

  /// Forgets everything about the old connection. To be called when a new one begins.
  mutating func startOver() { self = LinePacing() }
}
