import Testing

@testable import CanvasCRDT

/// A client that checks its connection four times a second. The connection answers after `delay`, or never if `delay`
/// is `nil`.
private struct Line {
  var pulse = LinePulse()
  var now = Moment(wallMilliseconds: 1_763_650_000_000, monotonicMilliseconds: 50_000)
  var delay: UInt64? = 20
  var answersDue: [(at: UInt64, askedAt: UInt64)] = []
  var renewals: [UInt64] = []
  /// How many of them come after a pause.
  var retries = 0
  var asked = 0

  init() {
    pulse.enter(.connecting, at: now.monotonicMilliseconds)
    pulse.enter(.live, at: now.monotonicMilliseconds)
    pulse.heard(at: now.monotonicMilliseconds)
  }

  mutating func run(milliseconds: UInt64, unanswered: Bool = false, hearing: Bool = false) {
    for _ in 0..<milliseconds / LinePulse.lookMilliseconds {
      pass(LinePulse.lookMilliseconds)
      let time = now.monotonicMilliseconds
      for answer in answersDue where answer.at <= time {
        pulse.heard(at: answer.at)
        pulse.answered(roundTripMilliseconds: answer.at - answer.askedAt, at: answer.at)
      }
      answersDue.removeAll { $0.at <= time }
      if hearing { pulse.heard(at: time) }
      let step = pulse.look(waitsForAnswers: unanswered, at: now)
      switch step {
      case .nothing: break
      case .ask:
        asked += 1
        if let delay { answersDue.append((time + delay, time)) }
      case .renew, .retry:
        if step == .retry { retries += 1 }
        renewals.append(time)
        answersDue = []
        pulse.enter(.connecting, at: time)
      }
    }
  }

  mutating func pass(_ milliseconds: UInt64, asleep: Bool = false) {
    now.wallMilliseconds += milliseconds
    if !asleep { now.monotonicMilliseconds += milliseconds }
  }
}

@Suite struct LinePulseTests {
  @Test func `A line that answers is left alone, and asked every two seconds`() {
    var line = Line()
    line.run(milliseconds: 60_000)
    #expect(line.renewals.isEmpty && (20...30).contains(line.asked))
    // On a busy line only the time of the way is measured.
    line.asked = 0
    line.run(milliseconds: 60_000, hearing: true)
    #expect((11...12).contains(line.asked))
  }

  @Test(arguments: [(false, 5_000), (true, 3_500)])
  func `A dead line is left within five seconds, and sooner while edits wait`(unanswered: Bool, most: UInt64) throws {
    var line = Line()
    line.run(milliseconds: 10_000)
    line.delay = nil
    line.answersDue = []
    let died = line.now.monotonicMilliseconds
    line.run(milliseconds: 5_000, unanswered: unanswered)
    let left = try #require(line.renewals.first)
    #expect(left > died + 500 && left <= died + most)
  }

  @Test func `A connection that doesn't open is tried again, less and less often`() {
    var line = Line()
    line.pulse.enter(.connecting, at: line.now.monotonicMilliseconds)
    let start = line.now.monotonicMilliseconds
    line.run(milliseconds: 30_000)
    #expect(line.renewals.map { $0 - start } == [5_000, 15_000, 25_000])
    line.pulse.enter(.live, at: line.now.monotonicMilliseconds)
    line.pulse.enter(.connecting, at: line.now.monotonicMilliseconds)
    line.run(milliseconds: 5_000)
    #expect(line.renewals.last == line.now.monotonicMilliseconds)
  }

  @Test(arguments: [(ReplicaState.greeting, 6_000 as UInt64), (.loading, 11_000 as UInt64)])
  func `A line that dies while the room is loaded is left too`(state: ReplicaState, most: UInt64) {
    var line = Line()
    line.pulse.enter(state, at: line.now.monotonicMilliseconds)
    line.run(milliseconds: most)
    #expect(line.renewals.count == 1 && line.retries == 1)
  }

  @Test func `After sleep a dead line is left within a second, though old messages and answers still come`() {
    var line = Line()
    line.run(milliseconds: 10_000)
    line.delay = nil
    line.pass(3_600_000, asleep: true)
    let woke = line.now.monotonicMilliseconds
    line.answersDue = [(at: woke + 500, askedAt: woke - 10)]
    line.run(milliseconds: 1_000, hearing: true)
    #expect(line.renewals.contains { $0 <= woke + 1_000 })
  }

  @Test(arguments: [ReplicaState.waiting(untilMonotonicMilliseconds: 90_000), .connecting])
  func `After sleep the next try is at once, however long the wait was to be`(state: ReplicaState) {
    var line = Line()
    line.pulse.enter(state, at: line.now.monotonicMilliseconds)
    #expect(state != .connecting || line.pulse.wake(at: line.now) == .nothing, "that try has just begun")
    line.run(milliseconds: 1_000)
    #expect(line.renewals.isEmpty)
    line.pass(3_600_000, asleep: true)
    let woke = line.now.monotonicMilliseconds
    line.run(milliseconds: 1_000)
    #expect(line.renewals.first.map { $0 - woke } == LinePulse.lookMilliseconds)
  }

  @Test func `Only the welcome counts while the room is greeted, and any part of the drawing while it is loaded`() {
    var line = Line()
    line.pulse.enter(.greeting, at: line.now.monotonicMilliseconds)
    line.run(milliseconds: 5_000, hearing: true)
    #expect(line.renewals.count == 1)
    line.pulse.enter(.loading, at: line.now.monotonicMilliseconds)
    line.run(milliseconds: 30_000, hearing: true)
    #expect(line.renewals.count == 1)
  }

  @Test(arguments: [20, 800])
  func `After sleep a line that answers is kept`(delay: UInt64) {
    var line = Line()
    line.delay = delay
    line.run(milliseconds: 10_000)
    line.pass(3_600_000, asleep: true)
    line.run(milliseconds: 10_000)
    #expect(line.renewals.isEmpty)
  }

  @Test func `A line is slow after three slow answers, not after one, and quick after three quick ones`() {
    var line = Line()
    line.delay = 1_200
    line.run(milliseconds: 4_000)
    #expect(!line.pulse.isSlow)
    line.run(milliseconds: 12_000)
    #expect(line.pulse.isSlow && line.renewals.isEmpty)
    line.delay = 50
    line.run(milliseconds: 4_000)
    #expect(line.pulse.isSlow)
    line.run(milliseconds: 8_000)
    #expect(!line.pulse.isSlow)
    // Three slow answers within a second are one bad moment.
    let time = line.now.monotonicMilliseconds
    for pause in [1_000, 1_300, 1_999] as [UInt64] {
      line.pulse.answered(roundTripMilliseconds: 900, at: time + pause)
    }
    #expect(!line.pulse.isSlow)
    for pause in [2_000, 3_000] as [UInt64] { line.pulse.answered(roundTripMilliseconds: 900, at: time + pause) }
    #expect(line.pulse.isSlow)
  }

  @Test func `A slow line with something long on it isn't cut off for ever`() {
    var line = Line()
    line.delay = 9_000
    var opened = 0
    while line.renewals.count == opened, opened < 10 {
      line.pulse.enter(.live, at: line.now.monotonicMilliseconds)
      line.answersDue = []
      opened += 1
      while line.renewals.count < opened, line.pulse.roundTripMilliseconds < 9_000 { line.run(milliseconds: 250) }
    }
    #expect(line.pulse.roundTripMilliseconds == 9_000 && (1...3).contains(line.renewals.count))
    // Once it has answered, a dead line is left as soon as ever.
    let left = line.renewals.count
    line.delay = nil
    line.answersDue = []
    line.pulse.enter(.live, at: line.now.monotonicMilliseconds)
    line.run(milliseconds: 5_000)
    #expect(line.renewals.count == left + 1)
  }

  @Test func `What is only worth sending while it is new waits for a full line, and not longer`() {
    var pacing = LinePacing()
    var time: UInt64 = 1_000
    pacing.use(at: time)
    pacing.note(bytes: 3_000, at: time)
    #expect(!pacing.isFree && pacing.asks(at: time) && !pacing.asks(at: time))
    // An answer to an older request doesn't acknowledge bytes that were sent after that request.
    pacing.answered(askedAt: time - 1)
    #expect(!pacing.isFree)
    pacing.answered(askedAt: time)
    #expect(pacing.isFree)
    time += 10
    pacing.use(at: time)
    pacing.note(bytes: 3_000, at: time)
    #expect(!pacing.asks(at: time) && pacing.asks(at: time + 100), "not asked all the time")
    pacing.startOver()
    #expect(pacing.isFree)
  }

  @Test func `Where edits alone fill the line, presence takes turns with them`() {
    var pacing = LinePacing()
    pacing.note(bytes: 50_000, at: 1_000)
    #expect(pacing.isFree)
    pacing.use(at: 1_001)
    #expect(!pacing.isFree && pacing.asks(at: 1_002))
    pacing.note(bytes: 50_000, at: 1_003)
    pacing.answered(askedAt: 1_002)
    #expect(pacing.isFree)
  }

  @Test func `A quick line is always free for little messages`() {
    var pacing = LinePacing()
    for time in stride(from: UInt64(1_000), to: 6_000, by: 50) {
      #expect(pacing.isFree)
      pacing.use(at: time)
      pacing.note(bytes: 80, at: time)
      if pacing.asks(at: time) { pacing.answered(askedAt: time) }
    }
  }
}
