/// How long the loop was busy from waking up to sleeping again, and with what most of all.
public struct LoopTurn: Sendable {
  /// One step of the loop's turn.
  public enum Step: Sendable, Equatable {
    /// Reading from sockets, and handling short messages at once.
    case receiving
    /// Handling something that a client waits for. By `NetworkAddress.party`.
    case serving(String)
    /// Running what other threads, timers and earlier steps have posted.
    case working
    /// Sending what the turn has brought, by the observers.
    case sending
  }

  public internal(set) var microseconds: UInt64 = 0
  /// The thread's processor time in the turn, and for a little before and after it. On a busy machine it is less than
  /// the time that has passed. A thread that waits for a disk or a lock uses none.
  public internal(set) var processorMicroseconds: UInt64 = 0
  /// How much time of the turn went into reading from sockets.
  public private(set) var receivingMicroseconds: UInt64 = 0
  public private(set) var longestStep: Step?
  public private(set) var longestStepMicroseconds: UInt64 = 0

  /// A turn without any work.
  public init() {}

  mutating func note(_ step: Step, _ microseconds: UInt64) {
    if step == .receiving { receivingMicroseconds += microseconds }
    guard microseconds > longestStepMicroseconds else { return }
    longestStep = step
    longestStepMicroseconds = microseconds
  }
}

/// Gets the end of each turn, which is the moment to send what the turn has gathered. This includes empty turns, so it
/// must be quick if there is nothing to do.
public protocol TurnObserver: AnyObject, Sendable {
  func turnEnded()
  /// Everything else that was ready has waited for this long. A turn after a sleep may be counted up to a millisecond
  /// too long, never too short.
  func turnTook(_ turn: LoopTurn)
}

extension TurnObserver {
  public func turnTook(_ turn: LoopTurn) {}
}
