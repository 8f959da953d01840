import Testing

@testable import WebSocketLoop

/// A simulated network link with a fixed rate, and a sender that always has a newer message.
private struct SimulatedLine {
  var bytesPerMillisecond: Double
  /// The round-trip time while nothing is queued, in milliseconds.
  var roundTripMilliseconds: UInt64 = 0
  /// The length of a message in bytes.
  var messageBytes: Int
  /// The sender makes a new message each time this many milliseconds have passed.
  var everyMilliseconds: UInt64 = 10

  var gauge = LineGauge()
  private var now: UInt64 = 0
  private var sent = 0.0
  private var carried = 0.0
  private var acknowledged = 0.0
  private var underWay: [(at: UInt64, carried: Double)] = []
  /// The messages in transit, each with the offset of its last byte and the time it was made.
  private var messages: [(end: Double, madeAt: UInt64)] = []
  private var heldUntil: UInt64?
  private var shownFrom: UInt64 = 0
  /// The age of the newest message that has arrived, measured every millisecond.
  private(set) var ages: [UInt64] = []
  private(set) var queuedMax = 0
  private(set) var looks = 0

  init(bytesPerMillisecond: Double, roundTripMilliseconds: UInt64 = 0, messageBytes: Int) {
    self.bytesPerMillisecond = bytesPerMillisecond
    self.roundTripMilliseconds = roundTripMilliseconds
    self.messageBytes = messageBytes
  }

  private var queued: Int { Int(sent - acknowledged) }

  private mutating func look() {
    looks += 1
    let waiting = (sent - carried) / max(bytesPerMillisecond, 0.001)
    gauge.take(
      LineGauge.Look(
        queued: queued,
        acknowledged: UInt64(acknowledged),
        leastRoundTrip: Double(roundTripMilliseconds),
        roundTrip: Double(roundTripMilliseconds) + waiting
      ),
      at: now
    )
  }

  mutating func run(milliseconds: UInt64) {
    ages = []
    queuedMax = 0
    for _ in 0..<milliseconds {
      now += 1
      carried = min(sent, carried + bytesPerMillisecond)
      underWay.append((now + roundTripMilliseconds, carried))
      while let first = underWay.first, first.at <= now {
        acknowledged = first.carried
        underWay.removeFirst()
      }
      while let first = messages.first, first.end <= carried {
        shownFrom = first.madeAt
        messages.removeFirst()
      }
      if let until = heldUntil, now >= until {
        look()
        heldUntil = gauge.allowance(1) > 0 ? nil : now + gauge.rest()
      }
      if heldUntil == nil, now.isMultiple(of: everyMilliseconds) { send() }
      ages.append(now - shownFrom)
      queuedMax = max(queuedMax, queued)
    }
  }

  /// The most bytes that the kernel takes: TCP's congestion window, which grows with each acknowledgement, and a
  /// buffer.
  private var kernelBytesMax: Double { 14_600 + acknowledged + 32_768 }

  private mutating func send() {
    guard Double(queued) < kernelBytesMax else { return }
    if !gauge.covers(messageBytes, at: now) { look() }
    guard gauge.allowance(messageBytes) > 0 else {
      heldUntil = now + gauge.rest()
      return
    }
    sent += Double(messageBytes)
    gauge.spend(messageBytes)
    messages.append((sent, now))
  }

  func age(_ share: Double) -> UInt64 { ages.sorted()[Int(Double(ages.count - 1) * share)] }
}

@Suite("How much a line takes") struct LineGaugeTests {
  @Test(
    "What is shown at the end of a thin line is a few tenths of a second old, and the line is never idle",
    arguments: [(8.0, 650), (32.0, 2_500), (125.0, 10_000)],
    [0, 40, 300] as [UInt64]
  )
  func thin(_ line: (rate: Double, message: Int), roundTrip: UInt64) {
    var line = SimulatedLine(
      bytesPerMillisecond: line.rate,
      roundTripMilliseconds: roundTrip,
      messageBytes: line.message
    )
    // The first seconds don't count, because the gauge has to learn the rate of the link.
    line.run(milliseconds: 5_000)
    line.run(milliseconds: 20_000)
    #expect(line.age(0.5) < 300 + roundTrip)
    #expect(line.age(0.99) < 500 + roundTrip)
    #expect(line.queuedMax < 20_000 + Int(2 * line.bytesPerMillisecond * Double(roundTrip)))
  }

  @Test("A line that keeps up has no bound", arguments: [0, 20, 200] as [UInt64])
  func fast(roundTrip: UInt64) {
    var line = SimulatedLine(bytesPerMillisecond: 12_500, roundTripMilliseconds: roundTrip, messageBytes: 2_500)
    line.run(milliseconds: 1_000)
    line.run(milliseconds: 10_000)
    #expect(line.gauge.rate == nil)
    #expect(line.age(0.99) <= 12)
  }

  @Test(
    "A line that keeps up is looked at ten times a second, and seldom if it carries little",
    arguments: [(2_500, 100), (20, 5)]
  )
  func looks(messageBytes: Int, most: Int) {
    var line = SimulatedLine(bytesPerMillisecond: 12_500, roundTripMilliseconds: 20, messageBytes: messageBytes)
    line.run(milliseconds: 10_000)
    let before = line.looks
    line.run(milliseconds: 10_000)
    #expect(line.looks - before <= most * 10)
  }

  @Test("A line that stops is given next to nothing, and one that goes on is soon given all again")
  func stops() {
    var line = SimulatedLine(bytesPerMillisecond: 1_250, roundTripMilliseconds: 20, messageBytes: 2_500)
    line.run(milliseconds: 2_000)
    #expect(line.gauge.rate == nil)
    line.bytesPerMillisecond = 0
    line.run(milliseconds: 5_000)
    #expect(line.queuedMax < 60_000)
    line.bytesPerMillisecond = 1_250
    line.run(milliseconds: 1_000)
    line.run(milliseconds: 2_000)
    #expect(line.age(0.99) < 30)
  }

  @Test("A line that becomes thin, or wide, is judged anew within a second")
  func changes() {
    var line = SimulatedLine(bytesPerMillisecond: 32, roundTripMilliseconds: 30, messageBytes: 2_500)
    line.run(milliseconds: 3_000)
    line.bytesPerMillisecond = 320
    line.run(milliseconds: 1_000)
    line.run(milliseconds: 3_000)
    #expect(line.age(0.99) < 60)
    line.bytesPerMillisecond = 32
    line.run(milliseconds: 1_500)
    line.run(milliseconds: 3_000)
    #expect(line.age(0.99) < 500)
  }
}
