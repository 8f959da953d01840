import Basics
import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

/// A server whose behaviour the test sets. By default it echoes messages, and answers each request with the request's
/// own content.
///
/// `@unchecked Sendable`: a mutex protects the recorded events, and the behaviour is set before the server listens.
final class TestServer: ServerHandler, @unchecked Sendable {
  struct Seen {
    var opened: [String?] = []
    var requests: [Request] = []
    var messages: [(bytes: [UInt8], isText: Bool)] = []
    var closures: [Closure] = []
    var writable = 0
    var refusals: [Int] = []
  }

  let seen = Mutex(Seen())
  var onConnected: (Connection) -> Void = { _ in }
  var onMessage: (Connection, Message) -> Void = { connection, message in
    connection.send(message.isText ? MessageFrames(text: message.bytes) : MessageFrames(binary: message.bytes))
  }
  var onClosed: () -> Void = {}
  var onWritable: (Connection) -> Void = { _ in }
  var onUpgrade: (Request) -> UpgradeDecision = { .accept(subprotocol: $0.offeredSubprotocols.first) }
  var onLongBody: (Request) -> LongBodyDecision? = { _ in nil }
  var onRequest: (PendingRequest) -> Void = { pending in
    let request = pending.request
    pending.answer(
      Response(
        status: 200,
        headers: [("Content-Type", "text/plain")],
        body: Array("\(request.method) \(request.path) \(request.query) ".utf8) + pending.body
      )
    )
  }

  func connected(_ connection: Connection, request: Request) {
    seen.withLock {
      $0.opened.append(connection.subprotocol)
      $0.requests.append(request)
    }
    onConnected(connection)
  }

  func received(_ message: Message, on connection: Connection) {
    seen.withLock { $0.messages.append((Array(message.bytes), message.isText)) }
    onMessage(connection, message)
  }

  func writable(_ connection: Connection) {
    seen.withLock { $0.writable += 1 }
    onWritable(connection)
  }

  func closed(_ connection: Connection, closure: Closure) {
    seen.withLock { $0.closures.append(closure) }
    onClosed()
  }
  func party(of request: Request) -> String { NetworkAddress.party(of: request.peer) }

  func upgradeRequested(_ request: Request) -> UpgradeDecision { onUpgrade(request) }
  func longBodyOffered(by request: Request) -> LongBodyDecision? { onLongBody(request) }
  func requested(_ pending: PendingRequest) { onRequest(pending) }
  func refused(_ status: Int, from peer: String, reason: String) {
    #expect(peer == "127.0.0.1" && !reason.isEmpty)
    seen.withLock { $0.refusals.append(status) }
  }

  /// The status codes with which the loop itself has refused requests. Waits until there are `count`.
  func refusals(_ count: Int) async -> [Int]? {
    await eventually { self.seen.withLock { $0.refusals.count >= count ? $0.refusals : nil } }
  }

  /// The first close that was reported to the server.
  func closure() async -> Closure? {
    await eventually { self.seen.withLock { $0.closures.first } }
  }
}

extension ListenOptions {
  init(_ change: (inout ListenOptions) -> Void) {
    self.init()
    change(&self)
  }
}

extension WebSocketOptions {
  init(_ change: (inout WebSocketOptions) -> Void) {
    self.init()
    change(&self)
  }
}

/// Counts the events in each iteration of a loop.
final class TurnNumbers: TurnObserver {
  private struct Counts {
    var inTurn = 0
    var most = 0
    var all = 0
  }

  private let counts = Mutex(Counts())
  var most: Int { counts.withLock { max($0.most, $0.inTurn) } }
  var count: Int { counts.withLock { $0.all } }

  func note() {
    counts.withLock {
      $0.inTurn += 1
      $0.all += 1
    }
  }

  func turnEnded() {}

  func turnTook(_ turn: LoopTurn) {
    counts.withLock {
      $0.most = max($0.most, $0.inTurn)
      $0.inTurn = 0
    }
  }
}

/// Keeps the thread busy for this long.
func work(microseconds: UInt64) {
  let end = SteadyClock.microseconds() + microseconds
  while SteadyClock.microseconds() < end {}
}

/// Runs `body` with a loop and the port on which `server` listens, and then stops the loop.
func withServer(
  _ server: TestServer = TestServer(),
  options: ListenOptions = ListenOptions(),
  _ body: (_ port: Int, _ loop: EventLoop) async throws -> Void
) async throws {
  let loop = try EventLoop(name: "test")
  defer { loop.stop() }
  let listener = try loop.listen(host: "127.0.0.1", port: 0, options: options, handler: server)
  try await body(listener.port, loop)
}
