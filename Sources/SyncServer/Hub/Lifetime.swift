import WebSocketLoop

/// The stage of the server's life.
///
/// What always holds: the stages follow each other in the order of the cases. From `draining` on, the server accepts
/// nothing more.
struct Lifetime {
  enum Stage {
    case serving
    /// Accepted operations are still being stored and sent.
    case draining
    /// Connections get a close frame.
    case closing
    case closingLog
  }

  private(set) var stage = Stage.serving
  private var listener: (any ServerListening)?
  /// The timer of the work that is done once a second.
  private var tickTimer: (any ServerTimer)?

  /// The port on which the server listens. `nil` before it listens.
  var port: Int? { listener?.port }
  /// How many connections the server accepts. It may be less than configured, because the system limits open files.
  var connectionsMax: Int? { listener?.connectionsMax }
  var isStopping: Bool { stage != .serving }

  mutating func begin(_ listener: any ServerListening) { self.listener = listener }
  mutating func willTick(_ timer: any ServerTimer) { tickTimer = timer }

  mutating func drain() {
    stage = .draining
    listener?.close()
    tickTimer?.cancel()
  }

  mutating func close() { stage = .closing }
  mutating func closeLog() { stage = .closingLog }
}
