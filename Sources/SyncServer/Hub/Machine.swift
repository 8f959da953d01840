import Glibc
import WebSocketLoop

/// The parts of a machine that the hub uses. The program has the real machine. The simulator has a simulated one, with
/// a time, a network and threads of its own.
struct Machine: Sendable {
  let loop: any ServerLoop
  let clocks: Clocks
  let random: RandomNumbers
  let heavyWork: HeavyWork
  /// Ends the process, with a status.
  let exit: @Sendable (Int32) -> Void
}

extension Machine {
  /// The machine that this process runs on.
  init(loop: EventLoop) {
    self.init(loop: loop, clocks: .ofMachine, random: .ofSystem, heavyWork: HeavyWork(), exit: { Glibc.exit($0) })
  }
}

extension EventLoop {
  /// A loop for a hub. The hub's jobs prefer it as their executor (`Hub.job`).
  static func ofHub(log: (@Sendable (LoopLogLevel, String) -> Void)? = nil) throws(EventLoopError) -> EventLoop {
    try EventLoop(name: "hub", isPreferred: true, log: log)
  }
}

/// Random numbers, from the system or from a test.
struct RandomNumbers: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  func next() -> UInt64 { draw() }

  static let ofSystem = RandomNumbers {
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
