/// Detects dead connections, and measures the round-trip time.
///
/// A connection that breaks in a tunnel or during sleep leaves a socket that stays open for minutes. So the client
/// sends a ping after a silence, and reconnects if no answer comes.
struct LinePulse: Sendable {
  /// What the owner has to do next.
  enum Step: Hashable, Sendable {
    case nothing
    /// Send a ping.
    case ask
    /// Close the connection, if there is one, and connect at once.
    case renew
    /// Close the connection, and connect again after a pause (X1): the server, or the line to it, may be overloaded.
    case retry
  }

  /// How often the owner must call `look`.
  static let lookMilliseconds: UInt64 = 250
  /// After this long without a message, the client sends a ping.
  static let quietMilliseconds: UInt64 = 2_000
  /// The client sends a ping if no message has come for this long while edits are unanswered. Silence is more
  /// suspicious then, because the server should be answering.
  static let unansweredMilliseconds: UInt64 = 700
  /// The timeout of a ping.
  static let answerMilliseconds: UInt64 = 2_500
  /// The timeout of a ping after the machine has slept. It is short, because the connection is most likely dead.
  static let wakingMilliseconds: UInt64 = 500
  /// The timeout for opening a connection: for the first try, and for later ones. A new try is often faster than
  /// waiting, because the system pauses ever longer before it resends a lost first packet.
  static let openingMilliseconds: (first: UInt64, later: UInt64) = (5_000, 10_000)
  /// The timeouts for the server's welcome, and for each part of the drawing, which takes seconds over a slow
  /// connection. Other messages don't extend the first timeout, but any message extends the second one.
  static let greetingMilliseconds: UInt64 = 5_000
  static let loadingMilliseconds: UInt64 = 10_000
  /// How often the round-trip time is measured, even on a busy connection.
  static let measureMilliseconds: UInt64 = 5_000
  /// The largest factor by which the timeouts grow. They grow because a connection that seems dead might only be slow.
  /// With constant timeouts, the client would give up every new connection too.
  private static let factorMax: UInt64 = 16
  /// The round-trip time from which a connection counts as slow.
  private static let slowMilliseconds: UInt64 = 800
  /// Measurements within this time count as one, so that a single bad moment doesn't make a connection count as slow.
  private static let momentMilliseconds: UInt64 = 1_000

  /// Whether the last measurements were slow.
  private(set) var isSlow = false
  /// The newest round-trip time. 0 before the first measurement.
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

  private struct Question: Sendable {
    let at: UInt64
    let patience: UInt64
    /// Whether only the answer to the ping proves that the connection is alive. Otherwise any message does.
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

  /// - Parameter waitsForAnswers: whether any sent edits are unanswered.
  mutating func look(waitsForAnswers: Bool, at now: Moment) -> Step {
    let time = now.monotonicMilliseconds
    // `look` is called at short intervals, but not while the machine sleeps. So the machine has slept if the wall clock
    // has moved on by more than `quietMilliseconds`.
    if let lookedAt, now.wallMilliseconds > lookedAt &+ LinePulse.quietMilliseconds { return wake(at: now) }
    lookedAt = now.wallMilliseconds
    switch state {
    case .connecting where time >= stateSince &+ openingPatience:
      openingPatience = LinePulse.openingMilliseconds.later
      return .renew
    case .live: return lookAtLine(waitsForAnswers, at: time)
    case .greeting: return leave(after: LinePulse.greetingMilliseconds, since: stateSince, at: time)
    case .loading: return leave(after: LinePulse.loadingMilliseconds, since: max(heardAt, stateSince), at: time)
    default: return .nothing
    }
  }

  /// To be called when the machine has slept, or the network was away: the connection is most likely dead.
  mutating func wake(at now: Moment) -> Step {
    let time = now.monotonicMilliseconds
    lookedAt = now.wallMilliseconds
    let patience = max(LinePulse.wakingMilliseconds, 2 * roundTripMilliseconds)
    switch state {
    // A message that is read now might have arrived before the sleep. So only an answer shows that the connection still
    // works.
    case .live: return ask(within: patience, wantsAnswer: true, at: time)
    // The pauses between tries might be long because of a fault that is over by now.
    case .waiting: return .renew
    case .connecting where time > stateSince &+ patience: return .renew
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
    return state == .live ? .renew : .retry
  }

  private mutating func ask(within patience: UInt64, wantsAnswer: Bool, at time: UInt64) -> Step {
    asked = Question(at: time, patience: patience, wantsAnswer: wantsAnswer)
    measuredAt = time
    return .ask
  }
}
