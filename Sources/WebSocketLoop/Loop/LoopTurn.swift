/// How long the loop was busy between two sleeps, and which step took most of that time.
public struct LoopTurn: Sendable {
  /// One step of a turn (iteration of the loop).
  public enum Step: Sendable, Equatable {
    /// Reading from sockets, and handling short messages as soon as they have been read.
    case receiving
    /// Handling a request or message for which a client waits. The value names the client, as `NetworkAddress.party`
    /// does.
    case serving(String)
    /// Running the jobs that other threads, timers and earlier steps have posted.
    case working
    /// Running the observers, which send what has been gathered.
    case sending
  }

  public internal(set) var microseconds: UInt64 = 0
  /// The thread's processor time in this iteration of the loop, with a little from before and after it. It doesn't
  /// include time in which the thread waits for a processor, a disk or a lock.
  public internal(set) var processorMicroseconds: UInt64 = 0
  /// How long reading from sockets took in this iteration of the loop.
  public private(set) var receivingMicroseconds: UInt64 = 0
  public private(set) var longestStep: Step?
  public private(set) var longestStepMicroseconds: UInt64 = 0

  public init() {}

  mutating func note(_ step: Step, _ microseconds: UInt64) {
    if step == .receiving { receivingMicroseconds += microseconds }
    guard microseconds > longestStepMicroseconds else { return }
    longestStep = step
    longestStepMicroseconds = microseconds
  }
}

/// An object that is told when a turn (iteration of the loop) ends, which is the moment to send what has been gathered.
/// Iterations without work end too, so `turnEnded` must be quick if there is nothing to send.
public protocol TurnObserver: AnyObject, Sendable {
  func turnEnded()
  /// Reports how long a turn (iteration of the loop) was. Other ready sockets and jobs had to wait that long. After a
  /// sleep, the reported time can be up to a millisecond too long, and never too short.
  func turnTook(_ turn: LoopTurn)
}

extension TurnObserver {
  public func turnTook(_ turn: LoopTurn) {}
}
