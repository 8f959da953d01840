import CanvasCRDT
import CommandWords
import RoomLog
import WebSocketLoop

/// What a node has if others share its log: the bus that carries messages to them, and what they tell of their people.
struct Cluster {
  let bus: any Bus
  var neighbours: Neighbours
}

/// Owns every room and every conversation, on the loop's thread.
///
/// The loop's callbacks enter by `assumeIsolated`, so a message costs no task, no lock and no switch to another thread.
/// Rooms process a message when it arrives. At the end of each iteration of the event loop, the rooms' requests go to
/// the log, and their updates go to clients.
///
/// The hub passes each event to the values that it owns. The file of each value says what always holds of that value.
actor Hub {
  nonisolated let machine: Machine
  nonisolated let configuration: Configuration
  nonisolated let files: StaticFiles
  nonisolated let routes = Route<Hub>.table
  let logger: Logger
  let startedAt: UInt64
  /// Makes WebSocket frames from a message.
  let framing = Framing { message, encoding, bytes in
    switch encoding {
    case .json: MessageFrames.append(text: message, to: &bytes)
    case .binary: MessageFrames.append(binary: message, to: &bytes)
    }
  }

  var credentials: Credentials
  /// The keys with which clients prove which actors they are.
  var keys = ActorKeys.temporary()
  var locks = RoomLocks()
  /// The most recent change of the room locks, while it is being stored. The next change waits for it.
  var lockWriting: Task<Result<Bool, LockFault>, Never>?
  /// `nil` if the log is not shared with other nodes.
  var cluster: Cluster?
  var journal: Journal
  var sessions: Sessions
  var rooms: RoomTable
  var openingTurns = OpeningTurns()
  var turns = Turns()
  var log: LogDesk
  var snapshots = SnapshotQuota()
  var verification: Verification
  var counts = HubCounts()
  var lifetime = Lifetime()
  var requestBook: RequestBook
  var accounts: Accounts
  var deliveries = Deliveries()
  var generator: RandomNumbers
  /// The number of this process. The records that the process writes carry it.
  var run: Run
  /// The number under which other nodes know this one.
  let nodeNumber: UInt64

  init(
    on machine: Machine,
    configuration: Configuration,
    logger: Logger,
    files: StaticFiles,
    credentials: Credentials = Credentials()
  ) {
    self.machine = machine
    startedAt = machine.clocks.wallMilliseconds()
    self.configuration = configuration
    self.logger = logger
    self.files = files
    self.credentials = credentials
    let limits = configuration.limits
    sessions = Sessions(limits: limits)
    rooms = RoomTable(roomsMax: limits.rooms)
    log = LogDesk(beatMilliseconds: limits.beatMilliseconds)
    verification = Verification(limits: limits)
    journal = Journal(logger)
    requestBook = RequestBook(limits: limits)
    accounts = Accounts(configuration)
    generator = machine.random
    nodeNumber = UInt64.random(in: 1...UInt64.max, using: &generator)
    run = Run(number: nodeNumber)
  }

  nonisolated var loop: any ServerLoop { machine.loop }
  nonisolated var clocks: Clocks { machine.clocks }
  /// Threads for work that would hold up the loop.
  nonisolated var heavyWork: HeavyWork { machine.heavyWork }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Begins to listen. Clients can join rooms as soon as the log is open.
  /// - Parameters:
  ///   - keys: `nil` for the keys that the log stores, or for temporary keys if it stores none.
  ///   - locks: `nil` for the room locks that the log stores.
  /// - Returns: the port.
  func start(
    log: any RoomLog,
    bus: (any Bus)? = nil,
    keys: ActorKeys? = nil,
    locks: RoomLocks? = nil,
    audit: AuditLog? = nil
  ) throws(ListenError) -> Int {
    if let keys { self.keys = keys }
    if let locks { self.locks = locks }
    journal.use(audit)
    self.log.use(log)
    cluster = bus.map { Cluster(bus: $0, neighbours: Neighbours(number: nodeNumber)) }
    loop.register(self)
    var options = ListenOptions()
    options.subprotocols = WireEncoding.allCases.map { Text($0.subprotocol).string }
    options.webSocket.messageBytesMax = Int(limits.messageBytes)
    options.webSocket.pingAfterMilliseconds = limits.idleMilliseconds
    options.webSocket.pongWithinMilliseconds = limits.pongMilliseconds
    options.webSocket.unfinishedBytesMax = Int(limits.unfinishedBytes)
    options.webSocket.messageWithinMilliseconds = limits.messageMilliseconds
    options.webSocket.silentCloseCode = CloseCode.noSignOfLife.rawValue
    options.http.bodyBytesMax = Int(limits.messageBytes)
    options.http.heldBytesMax = Int(limits.httpBytes)
    options.http.bodyStallMilliseconds = limits.uploadStallMilliseconds
    // This limit counts WebSocket and HTTP connections together. If there are too many WebSockets, the hub itself
    // refuses a new one, so that its client is told why.
    options.connectionsMax = socketsMax
    let listener = try loop.listen(
      host: configuration.host,
      port: configuration.port,
      options: options,
      handler: self
    )
    lifetime.begin(listener)
    sessions.fit(into: listener.connectionsMax)
    tick()
    announce()
    return listener.port
  }

  /// Logs the address when the server listens and the log is open.
  func announce() {
    guard let port = lifetime.port, log.isOpen, !isStopping else { return }
    logger.info(
      "listening on \(configuration.address(port: port))",
      ["port": .init(port), "data": .text("\(configuration.storage)"), "version": .text(Release.name)]
    )
    ServiceManager.running?.isReady()
    if let connections = lifetime.connectionsMax, connections < socketsMax {
      logger.warning(
        "the limit on open files allows fewer connections than the flags do",
        [
          "connections": .init(connections), "websockets": .init(sessions.countMax), "flags": .init(socketsMax),
        ]
      )
    }
  }

  private var socketsMax: Int { Int(limits.connections) + Int(limits.httpConnections) }
}

// MARK: - Calls from the loop, on its own thread, which is this actor's executor.

extension Hub: ServerHandler, TurnObserver {
  nonisolated func connectionOffered(from peer: String, http: HTTPConnectionCount) -> ConnectionRefusal? {
    assumeIsolated { $0.refusal(of: http, from: peer) }
  }

  nonisolated func upgradeRequested(_ request: Request) -> UpgradeDecision {
    assumeIsolated { $0.decide(on: request) }
  }

  nonisolated func longBodyOffered(by request: Request) -> LongBodyDecision? {
    assumeIsolated { $0.decide(onLongBodyOf: request) }
  }

  nonisolated func connected(_ connection: Connection, request: Request) {
    assumeIsolated { $0.accept(connection, request: request) }
  }

  nonisolated func received(_ message: Message, on connection: Connection) {
    assumeIsolated { $0.take(message, from: connection) }
  }

  nonisolated func pinged(_ connection: Connection) {
    assumeIsolated { $0.countPing(of: connection) }
  }

  nonisolated func writable(_ connection: Connection) {
    assumeIsolated { $0.resume(connection) }
  }

  nonisolated func closing(_ connection: Connection, code: UInt16, reason: String) {
    assumeIsolated { $0.noteClosing(connection, code: code, reason: reason) }
  }

  nonisolated func closed(_ connection: Connection, closure: Closure) {
    assumeIsolated { $0.forget(connection, closure: closure) }
  }

  nonisolated func requested(_ exchange: PendingRequest) {
    assumeIsolated { $0.begin(exchange) }
  }

  nonisolated func refused(_ status: Int, from peer: String, reason: String) {
    assumeIsolated { $0.noteAnswer(status, Refusal(code: "http_\(status)", address: peer, reason: reason)) }
  }

  nonisolated func turnEnded() {
    assumeIsolated { $0.endTurn() }
  }

  nonisolated func turnTook(_ turn: LoopTurn) {
    assumeIsolated { $0.counts.noteTurn(turn) }
  }

  /// The log calls this on its own thread.
  nonisolated func logTold(_ events: [LogEvent]) {
    loop.execute { self.assumeIsolated { $0.take(events) } }
  }

  /// The bus calls this on its own thread.
  nonisolated func busTold(_ news: BusNews) {
    loop.execute { self.assumeIsolated { $0.take(news) } }
  }
}
