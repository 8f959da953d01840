import WebSocketLoop

/// The stage of the server's life.
///
/// What always holds: the stages come in their order. From `draining` on, the server accepts nothing more.
struct Lifetime {
  enum Stage {
    case serving
    /// Accepted operations are made durable and sent.
    case draining
    /// Connections get a close frame.
    case closing
    /// The log is being closed.
    case closingLog
  }

  private(set) var stage = Stage.serving
  private var listener: Listener?
  /// The timer of the work that is done once a second.
  private var tickTimer: LoopTimer?

  /// The port on which the server listens. `nil` before it listens.
  var port: Int? { listener?.port }
  /// How many connections the server may have, as far as the limit on open files allows.
  var connectionsMax: Int? { listener?.connectionsMax }
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
