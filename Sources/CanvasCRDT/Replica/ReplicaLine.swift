/// Looks after a replica's connection: it replaces a dead connection, measures the round-trip time, and holds presence
/// back while the connection is busy.
///
/// The owner passes all effects of the replica through `follow`, and calls `look` at short intervals.
public struct ReplicaLine: Sendable {
  /// How often the owner must call `look`.
  public static let lookMilliseconds = LinePulse.lookMilliseconds

  private var pulse = LinePulse()
  private var pacing = LinePacing()
  /// The user's newest presence, while it waits for the connection to become free.
  private var heldPresence: JSONText?

  public init() {}

  /// Whether the connection has become so slow that a user notices it.
  public var isSlow: Bool { pulse.isSlow }
  /// The newest round-trip time. 0 before the first measurement.
  public var roundTripMilliseconds: UInt64 { pulse.roundTripMilliseconds }

  /// To be called for each frame that arrives, before the replica gets it.
  public mutating func heard(at now: Moment) { pulse.heard(at: now.monotonicMilliseconds) }

  /// Follows what the replica does.
  /// - Returns: the same effects, and those that result from them.
  public mutating func follow(
    _ effects: [ReplicaEffect],
    of replica: inout Replica,
    at now: Moment
  ) -> [ReplicaEffect] {
    for effect in effects { note(effect, at: now.monotonicMilliseconds) }
    if pacing.asks(at: now.monotonicMilliseconds) {
      return effects + follow(replica.ping(at: now), of: &replica, at: now)
    }
    if let state = heldPresence, pacing.isFree {
      return effects + follow(show(state, of: &replica, at: now), of: &replica, at: now)
    }
    return effects
  }

  private mutating func note(_ effect: ReplicaEffect, at time: UInt64) {
    switch effect {
    case .send(let bytes): pacing.note(bytes: bytes.count, at: time)
    case .state(let state):
      pulse.enter(state, at: time)
      pacing.startOver()
    case .pong(let milliseconds):
      pulse.answered(roundTripMilliseconds: milliseconds, at: time)
      pacing.answered(askedAt: time - min(milliseconds, time))
    default: break
    }
  }

  /// Looks whether the connection is alive. `follow` has to be given the effects.
  public mutating func look(at replica: inout Replica, at now: Moment) -> [ReplicaEffect] {
    carryOut(pulse.look(waitsForAnswers: replica.awaitsAnswer, at: now), on: &replica, at: now)
  }

  /// To be called when the process was suspended or the network was away. `follow` has to be given the effects.
  public mutating func wake(_ replica: inout Replica, at now: Moment) -> [ReplicaEffect] {
    carryOut(pulse.wake(at: now), on: &replica, at: now)
  }

  private func carryOut(_ step: LinePulse.Step, on replica: inout Replica, at now: Moment) -> [ReplicaEffect] {
    switch step {
    case .nothing: []
    case .ask: replica.ping(at: now)
    case .retry: [.disconnect] + replica.disconnected(closeCode: nil, at: now)
    case .renew: [.disconnect] + replica.disconnected(closeCode: nil, at: now) + replica.start(at: now)
    }
  }

  /// Sets the user's presence when the connection is free. If another one is still waiting, this one replaces it.
  /// `follow` has to be given the effects.
  public mutating func showPresence(
    _ state: JSONText,
    of replica: inout Replica,
    at now: Moment
  ) -> [ReplicaEffect] {
    guard pacing.isFree else {
      heldPresence = state
      return []
    }
    return show(state, of: &replica, at: now)
  }

  private mutating func show(_ state: JSONText, of replica: inout Replica, at now: Moment) -> [ReplicaEffect] {
    heldPresence = nil
    pacing.use(at: now.monotonicMilliseconds)
    return replica.setPresence(state, at: now)
  }
}
