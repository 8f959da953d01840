/// Finds out by pings how many bytes have reached a peer behind a proxy.
///
/// A proxy can take megabytes for a client whose line carries kilobytes a second, and the proxy's kernel acknowledges
/// these bytes. So the socket tells nothing about the line behind the proxy. A WebSocket ping goes all the way to the
/// peer: when the peer answers it, everything that was sent before the ping has arrived (RFC 6455, section 5.5.2).
///
/// What always holds:
/// - Bytes count as arrived when the peer has answered a ping that was sent after them.
/// - A peer that answers nothing gets at most `pingsMax` pings.
struct Echoes {
  private struct Ping {
    let number: UInt64
    /// How many bytes had been sent before the ping.
    let sent: UInt64
    let askedAt: UInt64
  }

  private var sent: UInt64 = 0
  private var arrived: UInt64 = 0
  /// How many bytes had been sent before the newest ping.
  private var asked: UInt64 = 0
  private var pings: [Ping] = []
  private var number: UInt64 = 0
  /// The shortest round trip, in milliseconds. It begins with a long time, so that the peer isn't sent much before its
  /// first answer.
  private var leastRoundTrip: Double = 1_000
  private var roundTrip: Double = 1_000

  mutating func spend(_ count: Int) { sent &+= UInt64(count) }

  /// Whether a ping is worth its bytes now.
  /// - Parameter isBound: whether the bytes in flight are limited. If so, each answer can allow more bytes to be sent.
  func wantsPing(isBound: Bool) -> Bool {
    guard pings.count < Self.pingsMax else { return false }
    return sent &- asked >= (isBound || number == 0 ? 1 : Self.unaskedBytesMax)
  }

  /// Must be called when a ping is sent. All bytes that are counted so far must have been sent before the ping.
  /// - Returns: the ping's payload.
  mutating func ask(at now: UInt64) -> String {
    number &+= 1
    asked = sent
    pings.append(Ping(number: number, sent: sent, askedAt: now))
    return Self.word + String(number)
  }

  /// The peer has answered a ping. If there were several pings, the peer may answer only the newest.
  /// - Returns: whether the answer shows that more bytes have arrived.
  mutating func hear(_ payload: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
    let text = String(decoding: payload, as: UTF8.self)
    guard text.hasPrefix(Self.word), let number = UInt64(text.dropFirst(Self.word.count)),
      let index = pings.firstIndex(where: { $0.number == number })
    else { return false }
    let ping = pings[index]
    pings.removeFirst(index + 1)
    arrived = ping.sent
    let milliseconds = Double(now &- ping.askedAt)
    leastRoundTrip = min(leastRoundTrip, milliseconds)
    roundTrip = milliseconds
    return true
  }

  /// The state of the connection to the peer, with the same figures that the socket would give if there were no proxy.
  /// - Parameter isBound: whether the bytes in flight are limited. If not, only the bytes before the newest ping count.
  func look(isBound: Bool) -> LineGauge.Look {
    LineGauge.Look(
      queued: Int((isBound ? sent : asked) &- arrived),
      acknowledged: arrived,
      leastRoundTrip: leastRoundTrip,
      roundTrip: roundTrip
    )
  }

  /// The payload of the pings that this type sends begins with this text. Pings that only check whether a silent peer
  /// is alive have no such text.
  private static let word = "got "
  /// How many bytes may be sent on a fast connection before the next ping.
  private static let unaskedBytesMax: UInt64 = 8_192
  private static let pingsMax = 64
}
