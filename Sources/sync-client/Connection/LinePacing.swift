/// Backpressure for messages that are only useful while they are new, such as the mouse's position.
/// `web/network/pacing.js` does the same for the page.
///
/// A message that was handed to the system can't be replaced by a newer one any more, and the system lets megabytes
/// wait for a slow line. So the client asks the server for an answer now and then, and while too many bytes are
/// unanswered, the line counts as full.
struct LinePacing {
  /// The upper bound on bytes that are on their way without an answer. A line of 64 kbit/s takes a third of a second
  /// to send them. On a quick line the answer comes before the bound is reached.
  private static let unansweredBytesMax = 2_500
  /// The number of bytes after which the client asks the server for an answer.
  private static let askBytes = 800
  /// The shortest time between two requests for an answer.
  private static let askMilliseconds: UInt64 = 100

  /// The sent bytes that may not have arrived yet, the oldest first.
  private var sent: [(at: UInt64, bytes: Int)] = []
  private var unanswered = 0
  private var unasked = 0
  private var askedAt: UInt64?
  private var nextAskAt: UInt64 = 0
  /// When the line was last used for such a message, if it is not known yet that the message has arrived.
  private var usedAt: UInt64?

  var isFree: Bool { usedAt == nil || unanswered <= LinePacing.unansweredBytesMax }

  /// Notes that such a message is sent because the line is free. If edits alone fill the line, such messages alternate
  /// with the edits.
  mutating func use(at time: UInt64) { usedAt = time }

  mutating func note(bytes: Int, at time: UInt64) {
    sent.append((time, bytes))
    unanswered += bytes
    unasked += bytes
  }

  /// Whether to ask for an answer now, with a ping.
  mutating func asks(at time: UInt64) -> Bool {
    guard askedAt == nil, unasked >= LinePacing.askBytes, time >= nextAskAt else { return false }
    askedAt = time
    nextAskAt = time &+ LinePacing.askMilliseconds
    unasked = 0
    return true
  }

  /// An answer has come: everything that was sent before `time` has arrived.
  mutating func answered(askedAt time: UInt64) {
    let first = sent.firstIndex { $0.at > time } ?? sent.endIndex
    for one in sent[..<first] { unanswered -= one.bytes }
    sent.removeSubrange(..<first)
    if let usedAt, time >= usedAt { self.usedAt = nil }
    if let askedAt, time >= askedAt { self.askedAt = nil }
  }

  /// Forgets everything, because a new connection begins with an empty line.
  mutating func startOver() { self = LinePacing() }
}
