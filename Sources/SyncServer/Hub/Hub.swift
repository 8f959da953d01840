import CanvasCRDT
import RoomLog
import WebSocketLoop

/// Owns every room and every session, on the loop's thread.
///
/// The loop's callbacks enter by `assumeIsolated`: no task, no lock and no hop for a message. What a turn brings is put
/// to the rooms at once; at the end of the turn what they ask for goes to the log, and what is new goes out.
actor Hub {
  let loop: EventLoop
  let configuration: Configuration
  let logger: Logger
  let files: StaticFiles
  let startedAt = WallClock.now()
  /// Who may come in; nothing where everyone may.
  var tokens: Tokens?
  /// How a message becomes frames.
  let framing = Framing { message, encoding, bytes in
    switch encoding {
    case .json: MessageFrames.append(text: message, to: &bytes)
    case .binary: MessageFrames.append(binary: message, to: &bytes)
    }
  }

  // MARK: Connections

  var listener: Listener?
  var clients: [Client?] = []
  var freeClients: [Int] = []
  var clientCount = 0
  /// By `NetworkAddress.party`, as are the other two that count by address.
  var clientsOfAddress: [String: Int] = [:]

  // MARK: Rooms

  var rooms: [String: OpenRoom] = [:]
  var openings: [String: Task<Opening, Never>] = [:]
  /// Rooms that are being read from the log and will be among `rooms`.
  var roomsComing = 0
  /// Rooms with something to be done at the end of this turn or a later one.
  var dirtyRooms: [OpenRoom] = []
  /// The number of this turn of the loop.
  var turn: UInt64 = 1
  var beatTimer: (timer: LoopTimer, due: UInt64)?

  // MARK: The log

  var log: (any RoomLog)?
  var lastRequest: UInt64 = 0
  /// What goes to the log at the end of the turn.
  var requests: [LogRequest] = []
  /// When something last went there, on the monotonic clock.
  var submittedAt: UInt64 = 0
  var appends: [UInt64: Append] = [:]
  /// Jobs that wait for an answer of the log's.
  var waiters: [UInt64: CheckedContinuation<LogEvent, Never>] = [:]
  /// Jobs that wait for their operations to be durable.
  var submitters: [UInt64: CheckedContinuation<Result<Cursor, Rejection>, Never>] = [:]
  var fault: StorageFault?
  var snapshotsUnderWay = 0
  var snapshotShapesUnderWay = 0
  /// When history was last trimmed, on the monotonic clock.
  var retainedAt: UInt64?

  // MARK: Operating

  var generator = SystemRandomNumberGenerator()
  var metrics = Metrics()
  var refusalLog = RefusalLog()
  var requestRates: [String: TokenBucket] = [:]
  /// Requests under way that came through a proxy, by the address that it names.
  var proxiedRequests: [String: Int] = [:]
  var historyTurns = HistoryTurns()
  var tickTimer: LoopTimer?
  var stopping = Stopping.no

  var limits: Limits { configuration.limits }

  init(loop: EventLoop, configuration: Configuration, logger: Logger, files: StaticFiles, tokens: Tokens? = nil) {
    self.loop = loop
    self.configuration = configuration
    self.logger = logger
    self.files = files
    self.tokens = tokens
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Begins to listen, with a log that is ready. Returns the port.
  func start(log: any RoomLog) throws(ListenError) -> Int {
    self.log = log
    loop.register(self)
    var options = ListenOptions()
    options.subprotocols = WireEncoding.allCases.map { Text($0.subprotocol).string }
    options.webSocket.messageBytesMax = Int(limits.messageBytes)
    options.webSocket.pingAfterMilliseconds = limits.idleMilliseconds
    options.webSocket.pongWithinMilliseconds = limits.pongMilliseconds
    options.webSocket.silentCloseCode = CloseCode.noSignOfLife.rawValue
    options.webSocket.compresses = configuration.compresses
    options.http.bodyBytesMax = max(Int(limits.messageBytes), Int(limits.shapes) * Hub.shapeBytesMax)
    options.http.heldBytesMax = Int(limits.httpBytes)
    // More than the limit of WebSockets, so that one too many can be told why.
    options.connectionsMax = Int(limits.connections) + Int(limits.httpConnections)
    let listener = try loop.listen(
      host: configuration.host,
      port: configuration.port,
      options: options,
      handler: self
    )
    self.listener = listener
    tick()
    return listener.port
  }

  /// A shape of a drawing in JSON, its name and its numbers as long as they can be: what was fetched can be posted.
  private static let shapeBytesMax = 1_024

  func nextRequest() -> UInt64 {
    lastRequest += 1
    return lastRequest
  }
}

/// A batch on its way through the log.
struct Append {
  let room: OpenRoom
  let batch: UInt64
  /// What each record of it holds that the log is to hand back: it need not be decoded again.
  let parts: [[Operation]]
  let arrivedAt: UInt64
}

// MARK: - The loop calls these on its own thread, which is this actor's executor.

extension Hub: ServerHandler, TurnObserver {
  nonisolated func connectionOffered(from peer: String, http: HTTPConnectionCount) -> Response? {
    assumeIsolated { $0.refusal(of: http, from: peer) }
  }

  nonisolated func upgradeRequested(_ request: Request) -> UpgradeDecision {
    assumeIsolated { $0.decide(on: request) }
  }

  nonisolated func connected(_ connection: Connection, request: Request) {
    assumeIsolated { $0.accept(connection, request: request) }
  }

  nonisolated func received(_ message: Message, on connection: Connection) {
    assumeIsolated { $0.take(message, from: connection) }
  }

  nonisolated func writable(_ connection: Connection) {
    assumeIsolated { $0.resume(connection) }
  }

  nonisolated func closing(_ connection: Connection, code: UInt16, reason: String) {
    assumeIsolated { $0.isClosing(connection, code: code, reason: reason) }
  }

  nonisolated func closed(_ connection: Connection, closure: Closure) {
    assumeIsolated { $0.forget(connection, closure: closure) }
  }

  nonisolated func requested(_ exchange: PendingRequest) {
    // As a job of this actor from its first step: no hop by way of another thread.
    assumeIsolated { hub in _ = Task { await hub.answer(exchange) } }
  }

  nonisolated func refused(_ status: Int, from peer: String, reason: String) {
    assumeIsolated { $0.noteAnswer(status, address: peer, reason: reason) }
  }

  nonisolated func turnEnded() {
    assumeIsolated { $0.endTurn() }
  }

  /// The log's sink: on the log's thread.
  nonisolated func logTold(_ events: [LogEvent]) {
    loop.execute { self.assumeIsolated { $0.take(events) } }
  }
}
