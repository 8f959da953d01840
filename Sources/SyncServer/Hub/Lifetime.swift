import WebSocketLoop

/// How far the server has come in its life.
///
/// What always holds: the stages follow one another, and once it is stopping nothing more is taken in.
struct Lifetime {
  enum Stage {
    case serving
    /// What is in hand is made durable.
    case draining
    /// Connections are said goodbye to.
    case closing
    /// The log finishes.
    case closingLog
  }

  private(set) var stage = Stage.serving
  private var listener: Listener?
  /// Comes once a second.
  private var tickTimer: LoopTimer?

  var isStopping: Bool { stage != .serving }

  mutating func begin(_ listener: Listener) { self.listener = listener }
  mutating func willTick(_ timer: LoopTimer) { tickTimer = timer }

  mutating func drain() {
    stage = .draining
    listener?.close()
    tickTimer?.cancel()
  }

  mutating func close() { stage = .closing }
  mutating func closeLog() { stage = .closingLog }
}
