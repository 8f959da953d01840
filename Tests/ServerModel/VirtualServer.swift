import RoomLog
import TestSupport

@testable import CanvasCRDT
@testable import SyncServer
@testable import WebSocketLoop

/// The server's real hub on a simulated machine. The test provides the log, the clients and the time.
final class VirtualServer {
  let hub: Hub
  let loop: VirtualLoop
  private let heavyWork: HeavyWork
  private let process: Process

  /// The state of the server's process that the hub reads.
  ///
  /// `@unchecked Sendable`: each process belongs to one test, which runs on one thread.
  private final class Process: @unchecked Sendable {
    var wallMilliseconds: UInt64
    var random: SeededGenerator
    var exitStatus: Int32?
    var processorMicroseconds: UInt64 = 0
    /// The steady clock. It can be ahead of the loop's time, and never goes back.
    var steadyMicroseconds: UInt64 = 0
    /// The time that has gone by since the loop's time was last set forward.
    var spentMicroseconds: UInt64 = 0

    init(wallMilliseconds: UInt64, seed: UInt64) {
      self.wallMilliseconds = wallMilliseconds
      random = SeededGenerator(seed: seed)
    }
  }

  /// - Parameters:
  ///   - workMicroseconds: how much of the processor's time goes by between two looks at its clock. The hub looks before
  ///     and after it serves readers.
  ///   - lookMicroseconds: how much time goes by between two looks at the steady clock. The hub looks after each record,
  ///     to leave the rest to a later iteration of its loop.
  init(
    _ configuration: Configuration,
    credentials: Credentials = Credentials(),
    seed: UInt64,
    at time: Moment,
    workMicroseconds: UInt64 = 0,
    lookMicroseconds: UInt64 = 0,
    over connect: (Hub) -> (log: any RoomLog, bus: (any Bus)?)
  ) {
    let process = Process(wallMilliseconds: time.wallMilliseconds, seed: seed)
    let loop = VirtualLoop(now: time.monotonicMilliseconds)
    let heavyWork = HeavyWork(threads: 0)
    self.process = process
    self.loop = loop
    self.heavyWork = heavyWork
    let machine = Machine(
      loop: loop,
      clocks: Clocks(
        wallMilliseconds: { process.wallMilliseconds },
        steadyMicroseconds: {
          process.spentMicroseconds += lookMicroseconds
          let time = loop.now * 1_000 + process.spentMicroseconds
          process.steadyMicroseconds = max(process.steadyMicroseconds, time)
          return process.steadyMicroseconds
        },
        processorMicroseconds: {
          process.processorMicroseconds += workMicroseconds
          return process.processorMicroseconds
        }
      ),
      random: RandomNumbers { process.random.next() },
      heavyWork: heavyWork,
      exit: { process.exitStatus = $0 }
    )
    let hub = Hub(
      on: machine,
      configuration: configuration,
      logger: Logger(level: nil, format: .text),
      files: StaticFiles(directory: ""),
      credentials: credentials
    )
    self.hub = hub
    let (log, bus) = connect(hub)
    hub.assumeIsolated { hub in _ = try! hub.start(log: log, bus: bus, keys: .inTests) }
  }

  /// The status with which the process has ended. `nil` while it runs.
  var exitStatus: Int32? { process.exitStatus }

  // MARK: Time

  /// Runs one iteration of the event loop at this time.
  func turn(at time: Moment) {
    pass(to: time)
    loop.turn()
  }

  /// Sets the clocks, without running anything.
  func pass(to time: Moment) {
    process.wallMilliseconds = time.wallMilliseconds
    if time.monotonicMilliseconds > loop.now { process.spentMicroseconds = 0 }
    loop.pass(to: time.monotonicMilliseconds)
  }

  /// Does the next job of heavy work.
  /// - Returns: whether there was a job.
  @discardableResult
  func workHeavily() -> Bool {
    guard let job = heavyWork.takeNext() else { return false }
    job()
    return true
  }

  var heavyWorkCount: Int { heavyWork.count }

  // MARK: Connections

  /// Opens a WebSocket.
  /// - Returns: `nil` if the server refuses the upgrade.
  func connect(_ encoding: WireEncoding, to room: String, from peer: String, token: String? = nil) -> VirtualConnection?
  {
    var headers = [("sec-websocket-protocol", Text(encoding.subprotocol).string)]
    if let token { headers.append(("authorization", "Bearer \(token)")) }
    let request = Request(path: "/v1/rooms/\(room)/sync", headers: headers, peer: peer)
    return hub.assumeIsolated { hub -> VirtualConnection? in
      guard case .accept(let subprotocol) = hub.decide(on: request) else { return nil }
      let connection = VirtualConnection(subprotocol: subprotocol, party: NetworkAddress.party(of: peer))
      hub.accept(connection, request: request)
      return connection
    }
  }

  func receive(_ message: [UInt8], isText: Bool, on connection: VirtualConnection) {
    message.withUnsafeBytes { bytes in
      let message = Message(bytes: bytes, isText: isText)
      hub.assumeIsolated { $0.take(message, from: connection) }
    }
  }

  /// The connection can take bytes again.
  func takesMore(_ connection: VirtualConnection) {
    if connection.takesMore() { hub.assumeIsolated { $0.resume(connection) } }
  }

  /// The connection is gone.
  func lose(_ connection: VirtualConnection) {
    let closure = connection.closure ?? Closure(cause: .lost, code: 1_006)
    hub.assumeIsolated { $0.forget(connection, closure: closure) }
  }

  /// Asks something over HTTP.
  func request(_ request: Request, body: [UInt8] = []) -> VirtualRequest {
    let asked = VirtualRequest(request, body: body)
    hub.assumeIsolated { $0.begin(asked) }
    return asked
  }
}

/// An HTTP request without a socket.
///
/// `@unchecked Sendable`: each request belongs to one test, which runs on one thread.
final class VirtualRequest: ServerRequest, @unchecked Sendable {
  let request: Request
  let body: [UInt8]
  private(set) var response: Response?
  private var left: (() -> Void)?
  private var isGone = false

  fileprivate init(_ request: Request, body: [UInt8]) {
    self.request = request
    self.body = body
  }

  func whenGone(_ work: @escaping () -> Void) { left = work }

  func answer(_ response: Response) -> Bool {
    guard !isGone else { return false }
    self.response = response
    left = nil
    return true
  }

  /// The client leaves before the answer.
  func leave() {
    isGone = true
    left?()
    left = nil
  }
}
