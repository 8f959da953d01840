/// How long the loop was busy between two sleeps, and which step took most of that time.
public struct LoopTurn: Sendable {
  /// One step of a turn.
  public enum Step: Sendable, Equatable {
    /// Reading from sockets, and handling short messages at once.
    case receiving
    /// Handling a request or message for which a client waits. The value is the client's party
    /// (`NetworkAddress.party`).
    case serving(String)
    /// Running the jobs that other threads, timers and earlier steps have posted.
    case working
    /// Running the observers, which send what the turn has brought.
    case sending
  }

  public internal(set) var microseconds: UInt64 = 0
  /// The thread's processor time in the turn, with a little from before and after it. It is less than the time that has
  /// passed if the machine is busy, because a thread uses no processor time while it waits for a processor, a disk or a
  /// lock.
  public internal(set) var processorMicroseconds: UInt64 = 0
  /// How much of the turn's time reading from sockets took.
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

/// An object that is told when a turn ends, which is the moment to send what the turn has gathered. Turns without work
/// end too, so `turnEnded` must be quick if there is nothing to send.
public protocol TurnObserver: AnyObject, Sendable {
  func turnEnded()
  /// Reports how long a turn was. Other ready sockets and jobs had to wait that long. A turn after a sleep may be
  /// counted up to a millisecond too long, never too short.
  func turnTook(_ turn: LoopTurn)
}

extension TurnObserver {
  public func turnTook(_ turn: LoopTurn) {}
}
