/// How long the loop was busy from when it woke until it slept again, and with what most.
public struct LoopTurn: Sendable {
  /// One step of the loop's turn.
  public enum Step: Sendable, Equatable {
    /// It reads from sockets, and handles short messages at once.
    case receiving
    /// It handles what a client waits for. By `NetworkAddress.party`.
    case serving(String)
    /// It does what other threads, timers and earlier steps have left to it.
    case working
    /// The observers send what the turn has brought.
    case sending
  }

  public internal(set) var microseconds: UInt64 = 0
  /// For how much of it the thread had a processor, and for a little before and after it. On a busy machine that is less than
  /// the time that has passed. A thread that waits for a disk or a lock has none.
  public internal(set) var processorMicroseconds: UInt64 = 0
  /// How much of it was reading from sockets.
  public private(set) var receivingMicroseconds: UInt64 = 0
  public private(set) var longestStep: Step?
  public private(set) var longestStepMicroseconds: UInt64 = 0

  /// A turn in which nothing was done.
  public init() {}

  mutating func note(_ step: Step, _ microseconds: UInt64) {
    if step == .receiving { receivingMicroseconds += microseconds }
    guard microseconds > longestStepMicroseconds else { return }
    longestStep = step
    longestStepMicroseconds = microseconds
  }
}

/// Hears when a turn of the loop is over, which is the moment to send what the turn has gathered. It hears of empty turns too,
/// so it must be quick when there is nothing to do.
public protocol TurnObserver: AnyObject, Sendable {
  func turnEnded()
  /// Everything else that is ready has waited for this long. A turn after a sleep may be counted up to a millisecond
  /// too long, never too short.
  func turnTook(_ turn: LoopTurn)
}

extension TurnObserver {
  public func turnTook(_ turn: LoopTurn) {}
}
