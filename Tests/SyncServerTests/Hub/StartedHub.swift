import CanvasCRDT
import Dispatch
import RoomLog
import TestSupport
import Testing
import WebSocketLoop

@testable import SyncServer

/// Starts a server in this process, over a log of the test. No client connects to it.
extension Hub {
  /// Starts a server, and waits until it can use its log.
  static func started(
    bus: (any Bus)? = nil,
    tokens: String? = nil,
    limits: Limits = Limits(),
    over makeLog: (@escaping LogSink) -> any RoomLog
  ) async throws -> Hub {
    var configuration = Configuration()
    configuration.storage = .memory
    configuration.port = 0
    configuration.limits = limits
    let loop = try EventLoop.ofHub()
    let hub = Hub(
      on: Machine(loop: loop),
      configuration: configuration,
      logger: Logger(level: .error, format: .text),
      files: StaticFiles(directory: ""),
      credentials: try tokens.map { Credentials(tokens: try Tokens($0)) } ?? Credentials()
    )
    let log = makeLog { hub.logTold($0) }
    _ = try loop.perform { try hub.assumeIsolated { hub in try hub.start(log: log, bus: bus) } }
    await waitUntil("the server has its log") { await !hub.awaitsLog }
    return hub
  }

  func perform<Value: Sendable>(_ work: @Sendable (isolated Hub) -> Value) -> Value { work(self) }

  /// Opens the room `demo`. Creates it if it doesn't exist.
  func openDemo() async throws -> OpenRoom {
    guard case .open(let open) = await take("demo", mayCreate: true, for: "192.0.2.1") else { throw NotOpened() }
    return open
  }

  private struct NotOpened: Error {}
}

extension ProposedOperation {
  /// An operation without a stamp that makes a star.
  static func star(_ shape: UInt64 = 5) -> ProposedOperation {
    return ProposedOperation(shape: Identifier(packed: shape)!, at: nil, set: .star)
  }
}

extension Writer {
  /// Somebody who writes over HTTP.
  static func by(_ token: String? = nil, level: Grant.Level = .editor) -> Writer {
    let payer = Payer(address: "192.0.2.1", token: nil)
    return Writer(payer: payer, token: token, level: level, actor: Identifier(packed: 9)!)
  }
}

/// A log in memory. The test does what it likes with the requests before the log gets them.
final class MeddledLog: RoomLog {
  private let rooms: MemoryLog
  private let take: @Sendable ([LogRequest], MemoryLog) -> Void

  init(_ rooms: MemoryLog, _ take: @escaping @Sendable ([LogRequest], MemoryLog) -> Void) {
    self.rooms = rooms
    self.take = take
  }

  func submit(_ requests: [LogRequest]) { take(requests, rooms) }
  func statistics() -> LogStatistics { rooms.statistics() }
  func close() { rooms.close() }
}

/// Blocks a server's threads for heavy work until the test releases them: all of them, or all that one party may use.
struct HeavyGate {
  /// More jobs than there are threads.
  static let jobs = 16

  private let gate: DispatchSemaphore
  private let waiting: [Task<Void, Never>]

  /// - Parameter party: the party of all jobs. If it is `nil`, each job has its own party.
  init(_ hub: Hub, of party: String? = nil) async {
    let gate = DispatchSemaphore(value: 0)
    self.gate = gate
    waiting = (0..<HeavyGate.jobs).map { number in
      Task { _ = try? await hub.heavyWork.run(for: party ?? "party \(number)", isBounded: false) { gate.wait() } }
    }
    await waitUntil("the threads are blocked") { hub.heavyWork.count >= HeavyGate.jobs }
  }

  func open() { for _ in waiting { gate.signal() } }

  /// Waits until all jobs have ended.
  func ended() async { for job in waiting { await job.value } }
}
