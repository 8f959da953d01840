import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// HTTP requests to a server.
@ClientLoop
struct ServerRequests {
  let server: ServerAddress
  /// Is called once with the reason, if the server can't answer yet and names a time to retry. If `tell` is `nil`, the
  /// client doesn't retry.
  var tell: ((Delay) -> Void)?

  /// Gets the body of an answer. Any status but 2xx is an error.
  /// - Parameter room: the room's name, for error messages.
  func get(_ path: String, query: String = "", of room: String? = nil) async throws -> [UInt8] {
    let deadline = SteadyClock.milliseconds() + Delay.unavailableMilliseconds
    var isTold = false
    while true {
      let response = try await response("GET", path, query: query)
      guard let tell, let pause = response.retryMilliseconds, SteadyClock.milliseconds() + pause <= deadline else {
        return try checked(response, of: room).body
      }
      if !isTold { tell(Delay(code: "unavailable", words: "\(server.authority): \(ConnectionWords.unavailable)")) }
      isTold = true
      try await ClientLoop.pause(milliseconds: pause)
    }
  }

  /// Sends a request that might change something. So it is never repeated.
  func send(_ method: String, _ path: String, of room: String? = nil) async throws -> Response {
    try checked(try await response(method, path), of: room)
  }

  /// Sends a request that is answered by 204. Another answer isn't this server's, but for example that of a page to log
  /// in.
  func order(_ method: String, _ path: String, of room: String) async throws {
    guard try await send(method, path, of: room).status == 204 else { throw malformed }
  }

  /// Reads a list that an answer must have.
  func list(_ name: String, in answer: JSONValue?) throws(ClientFailure) -> [JSONValue] {
    guard case .array(let elements)? = answer?[name] else { throw malformed }
    return elements
  }

  private var malformed: ClientFailure { .failed("\(server.authority): the answer is malformed") }

  /// Waits for the answer, or until the task is cancelled.
  private func response(_ method: String, _ path: String, query: String = "") async throws -> Response {
    let answer = AwaitedResponse()
    ClientLoop.shared.loop.request(
      method,
      server.endpoint(path, query: query),
      headers: server.headers,
      body: [],
      bodyBytesMax: 256 << 20
    ) { result in ClientLoop.assumeIsolated { answer.come(result) } }
    switch await answer.result() {
    case nil: throw CancellationError()
    case .failure(.notConnected(ECONNREFUSED)):
      throw ClientFailure.couldNotConnect("\(server.authority): \(ConnectionWords.nobody(server))")
    case .failure(let error) where method != "GET" && error.mayFollowSuccess:
      throw ClientFailure.failed(
        "\(server.authority): \(error.words). It may have been done all the same.",
        code: "not_answered"
      )
    case .failure(let error): throw ClientFailure.couldNotConnect("\(server.authority): \(error.words)")
    case .success(let response): return response
    }
  }

  private func checked(_ response: Response, of room: String?) throws(ClientFailure) -> Response {
    guard (200..<300).contains(response.status) else { throw failure(response, of: room) }
    return response
  }

  private func failure(_ response: Response, of room: String?) -> ClientFailure {
    let place = room.map { "\($0) on \(server.authority)" } ?? server.authority
    let error = JSONValue(response.body)?["error"]
    let words = error?["message"]?.text
    switch response.status {
    case 401:
      let why = words.map { ": \($0)" } ?? ""
      return .couldNotConnect("\(place): \(ConnectionWords.noToken)\(why)", code: "no_token")
    case 403:
      // The token is for other rooms, or doesn't allow this request. Only the server knows which.
      return .couldNotConnect(
        "\(server.authority): \(words ?? ConnectionWords.forbidden(room))",
        code: error?["code"]?.text ?? "forbidden"
      )
    default:
      return .failed("\(place): \(words ?? "HTTP status \(response.status)")", code: error?["code"]?.text ?? "failed")
    }
  }
}

/// The answer to a request, which may come before or after somebody waits for it.
@ClientLoop
private final class AwaitedResponse {
  private var result: Result<Response, HTTPRequestError>?
  private let waiters = Waiters()

  func come(_ result: Result<Response, HTTPRequestError>) {
    self.result = result
    waiters.check()
  }

  /// `nil` if the task is cancelled before the answer comes.
  func result() async -> Result<Response, HTTPRequestError>? {
    _ = await waiters.wait { self.result != nil }
    return result
  }
}

extension Response {
  /// How long to wait before a retry, if the server can't answer yet.
  fileprivate var retryMilliseconds: UInt64? {
    guard status == 503 else { return nil }
    let seconds = headers.first { $0.name.lowercased() == "retry-after" }.flatMap { UInt64($0.value) }
    return seconds.map { min($0, 3_600) * 1_000 }
  }
}

extension HTTPRequestError {
  /// Whether the server may have got the request, and carried it out.
  var mayFollowSuccess: Bool {
    switch self {
    case .badHost, .notConnected, .notTrusted, .notSecure: false
    case .tookTooLong, .malformed, .tooLarge: true
    }
  }

  var words: String {
    switch self {
    case .badHost(let host): "there is no host \(host)"
    case .notConnected(let number): String(cString: strerror(number))
    case .notTrusted(let why): ConnectionWords.untrusted(why)
    case .notSecure(let why): "it doesn't speak TLS, or no version that we have in common: \(why)"
    case .tookTooLong: "no answer in time"
    case .malformed(let words): "the answer is malformed: \(words)"
    case .tooLarge: "the answer is too large"
    }
  }
}
