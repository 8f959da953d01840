import CanvasCRDT

/// Checks whether a connection is alive, and measures its round-trip time. `web/network/pulse.js` has the same rules
/// for the page: change both together.
///
/// A connection that breaks without closing, for example in a tunnel or during sleep, leaves a socket that stays open
/// for minutes. So the client pings the server if nothing has come for a while, and replaces a connection that stays
/// silent.
struct LinePulse {
  /// What the owner has to do.
  enum Step: Hashable {
    case nothing
    /// Send a ping.
    case ask
    /// Give up the connection, if there is one, and connect at once.
    case renew
  }

  /// How often the owner must call `look`.
  static let lookMilliseconds: UInt64 = 250
  /// After this long without a message, the client pings the server.
  static let quietMilliseconds: UInt64 = 2_000
  /// The same time while edits wait for their answer, because then a silence more likely means a broken connection.
  static let unansweredMilliseconds: UInt64 = 700
  /// How long the answer to that ping may take. A broken connection is noticed within the sum of both times.
  static let answerMilliseconds: UInt64 = 2_500
  /// The same time after the machine has slept, when the connection is most likely broken.
  static let wakingMilliseconds: UInt64 = 500
  /// How long a connection may take to open, at the first attempt and at later ones. If packets are lost, the system
  /// repeats the first packet after ever longer pauses, so a new attempt is quicker once the network is back.
  static let openingMilliseconds: (first: UInt64, later: UInt64) = (5_000, 10_000)
  /// How long the welcome may take, and then each part of the drawing. Other messages that arrive meanwhile don't
  /// extend this time. It allows for slow lines, where a part takes seconds.
  static let greetingMilliseconds: UInt64 = 5_000
  static let loadingMilliseconds: UInt64 = 10_000
  /// How often the round-trip time is measured, even while messages come all the time.
  static let measureMilliseconds: UInt64 = 5_000
  /// The upper bound on the factor by which the client's patience grows. A connection that seems broken may just be
  /// slow, with a long message on it. Without more patience, the client would give up every new connection too.
  private static let factorMax: UInt64 = 16
  /// A round-trip time of this length or more is noticeable.
  private static let slowMilliseconds: UInt64 = 800
  /// Measurements that are closer together than this count as one, so that a single bad moment doesn't make a slow
  /// line.
  private static let momentMilliseconds: UInt64 = 1_000

  private(set) var isSlow = false
  /// The newest round-trip time; 0 if none was measured.
  private(set) var roundTripMilliseconds: UInt64 = 0
  private var state = ReplicaState.offline
  private var stateSince: UInt64 = 0
  private var heardAt: UInt64 = 0
  private var lookedAt: UInt64?
  private var asked: Question?
  private var measuredAt: UInt64 = 0
  private var factor: UInt64 = 1
  private var openingPatience = LinePulse.openingMilliseconds.first
  private var moments: [UInt64] = []
  private var momentAt: UInt64?

  private struct Question {
    let at: UInt64
    let patience: UInt64
    /// Whether only the answer itself is a sign of life, and not any other message.
    let wantsAnswer: Bool
  }

  mutating func enter(_ state: ReplicaState, at time: UInt64) {
    self.state = state
    stateSince = time
    asked = nil
    if state == .live { openingPatience = LinePulse.openingMilliseconds.first }
  }

  mutating func heard(at time: UInt64) {
    heardAt = time
    if let asked, !asked.wantsAnswer { self.asked = nil }
  }

  mutating func answered(roundTripMilliseconds milliseconds: UInt64, at time: UInt64) {
    if let asked, time &- min(milliseconds, time) >= asked.at { self.asked = nil }
    factor = 1
    roundTripMilliseconds = milliseconds
    measuredAt = time
    guard momentAt.map({ time >= $0 &+ LinePulse.momentMilliseconds }) ?? true else { return }
    momentAt = time
    moments = moments.suffix(2) + [milliseconds]
    guard moments.count == 3 else { return }
    if moments.allSatisfy({ $0 >= LinePulse.slowMilliseconds }) { isSlow = true }
    if moments.allSatisfy({ $0 < LinePulse.slowMilliseconds / 2 }) { isSlow = false }
  }

  /// - Parameter waitsForAnswers: whether any sent edits are not answered yet.
  mutating func look(waitsForAnswers: Bool, at now: Moment) -> Step {
    let time = now.monotonicMilliseconds
    // The machine has slept if the wall clock moved on more than the monotonic clock, which stands still meanwhile.
    let slept = lookedAt.map { now.wallMilliseconds > $0 &+ LinePulse.quietMilliseconds } ?? false
    lookedAt = now.wallMilliseconds
    switch state {
    // An attempt from before the sleep has most likely failed, and the fault that caused long pauses may be over.
    case .connecting where slept, .waiting where slept: return .renew
    case .connecting where time >= stateSince &+ openingPatience:
      openingPatience = LinePulse.openingMilliseconds.later
      return .renew
    case .live where slept:
      // A message that is read just after the sleep may have arrived before it, so only an answer counts.
      return ask(within: max(LinePulse.wakingMilliseconds, 2 * roundTripMilliseconds), wantsAnswer: true, at: time)
    case .live: return lookAtLine(waitsForAnswers, at: time)
    case .greeting: return leave(after: LinePulse.greetingMilliseconds, since: stateSince, at: time)
    case .loading: return leave(after: LinePulse.loadingMilliseconds, since: max(heardAt, stateSince), at: time)
    default: return .nothing
    }
  }

  private mutating func lookAtLine(_ waitsForAnswers: Bool, at time: UInt64) -> Step {
    if let asked { return leave(after: asked.patience, since: asked.at, at: time) }
    let quiet = waitsForAnswers ? LinePulse.unansweredMilliseconds : LinePulse.quietMilliseconds
    let isDue = time >= max(heardAt, stateSince) &+ quiet || time >= measuredAt &+ LinePulse.measureMilliseconds
    return isDue ? ask(within: LinePulse.answerMilliseconds, wantsAnswer: false, at: time) : .nothing
  }

  private mutating func leave(after patience: UInt64, since start: UInt64, at time: UInt64) -> Step {
    guard time >= start &+ patience &* factor else { return .nothing }
    factor = min(LinePulse.factorMax, factor * 2)
    return .renew
  }

  private mutating func ask(within patience: UInt64, wantsAnswer: Bool, at time: UInt64) -> Step {
    asked = Question(at: time, patience: patience, wantsAnswer: wantsAnswer)
    measuredAt = time
    return .ask
  }
}
