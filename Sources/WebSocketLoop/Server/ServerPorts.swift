// The loop, a connection and a request as the owner of a server sees them. `EventLoop`, `Connection` and
// `PendingRequest` are the real ones, over sockets. A test can make up others, with its own network and time.

/// A loop that a server runs on: the executor of the owner's actor and of its tasks. It has timers, and reports the end
/// of each turn (iteration of the loop).
public protocol ServerLoop: SerialExecutor, TaskExecutor {
  associatedtype Timer: ServerTimer
  associatedtype Listening: ServerListening

  /// Milliseconds of a monotonic clock, read once in each turn (iteration of the loop).
  var now: UInt64 { get }
  var counts: LoopCounts { get }

  /// Runs `work` on the loop, after everything that the caller posted before. Returns false if the loop has stopped;
  /// then `work` never runs.
  @discardableResult
  func execute(_ work: @escaping @Sendable () -> Void) -> Bool
  /// Calls `work` on the loop once, after at least `delay` milliseconds, unless the timer is cancelled.
  @discardableResult
  func schedule(afterMilliseconds delay: UInt64, _ work: @escaping () -> Void) -> Timer
  /// Tells `observer` of the end of each turn.
  func register(_ observer: any TurnObserver)
  func listen(
    host: String,
    port: Int,
    options: ListenOptions,
    handler: any ServerHandler
  ) throws(ListenError) -> Listening
}

public protocol ServerTimer: AnyObject {
  /// Ends the timer for good.
  func cancel()
}

public protocol ServerListening: AnyObject {
  var port: Int { get }
  /// The upper bound on open connections.
  var connectionsMax: Int { get }
  /// Accepts no more connections. Open connections stay.
  func close()
}

/// A WebSocket connection of a server. Each function is documented at the function of `Connection` with the same name.
public protocol ServerConnection: AnyObject, Sendable {
  /// The owner's own number for the connection.
  var tag: Int { get set }
  /// The party to which the connection is charged.
  var party: String { get set }
  var subprotocol: String? { get }

  func write(_ frames: UnsafeRawBufferPointer) -> Int
  @discardableResult
  func send(_ frame: MessageFrames) -> Bool
  func notifyWhenWritable()
  func pauseReading()
  func resumeReading()
  func close(code: UInt16, reason: String)
}

/// A whole HTTP request that waits for its answer.
public protocol ServerRequest: AnyObject, Sendable {
  var request: Request { get }
  var body: [UInt8] { get }
  /// Calls `work` once, on the loop, if the client is seen to leave before the answer.
  func whenGone(_ work: @escaping () -> Void)
  /// - Returns: false if the client doesn't get this answer.
  @discardableResult
  func answer(_ response: Response) -> Bool
}

extension EventLoop: ServerLoop {}
extension LoopTimer: ServerTimer {}
extension Listener: ServerListening {}
extension Connection: ServerConnection {}
extension PendingRequest: ServerRequest {}
