import Synchronization

@testable import WebSocketLoop
@testable import sync_client

/// A server whose answers the test sets, on the client's own loop.
final class AnsweringServer: ServerHandler {
  private struct State {
    var asked: [String] = []
    var answers: [String: Response] = [:]
  }

  private let state = Mutex(State())

  /// Begins to listen.
  func listen() throws -> (listener: Listener, address: ServerAddress) {
    let listener = try ClientLoop.shared.loop.listen(host: "127.0.0.1", port: 0, handler: self)
    return (listener, try ServerAddress("ws://127.0.0.1:\(listener.port)"))
  }

  /// - Parameter request: the method and the path, as `GET /v1/rooms`. All queries get the same answer.
  func answer(_ request: String, _ body: String, status: Int = 200) {
    state.withLock { $0.answers[request] = Response(status: status, body: Array(body.utf8)) }
  }

  /// The requests that have come so far, each with its query.
  var asked: [String] { state.withLock(\.asked) }

  func requested(_ pending: PendingRequest) {
    let request = pending.request
    let response = state.withLock { state in
      state.asked.append("\(request.method) \(request.path)" + (request.query.isEmpty ? "" : "?\(request.query)"))
      return state.answers["\(request.method) \(request.path)"]
    }
    pending.answer(response ?? Response.error(404, code: "not_found", message: "nothing is here"))
  }

  func party(of request: Request) -> String { request.peer }
  func upgradeRequested(_ request: Request) -> UpgradeDecision { .refuse(Response(status: 400)) }
  func connected(_ connection: Connection, request: Request) {}
  func received(_ message: Message, on connection: Connection) {}
  func writable(_ connection: Connection) {}
  func closed(_ connection: Connection, closure: Closure) {}
}
