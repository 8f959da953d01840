import CanvasCRDT
import Glibc
import WebSocketLoop

/// The server's HTTP side.
@ClientLoop
struct ServerRequests {
  let server: ServerAddress

  /// The answer's body, where the server answered well.
  func get(_ path: String, query: String = "") async throws(ClientFailure) -> [UInt8] {
    try await send("GET", path, query: query).body
  }

  func send(
    _ method: String,
    _ path: String,
    query: String = "",
    body: [UInt8] = []
  ) async throws(ClientFailure) -> Response {
    var headers = server.headers
    if !body.isEmpty { headers.append(("Content-Type", "application/json")) }
    let result = await withCheckedContinuation { continuation in
      ClientLoop.shared.loop.request(
        method,
        server.endpoint(path, query: query),
        headers: headers,
        body: body,
        bodyBytesMax: 256 << 20
      ) { continuation.resume(returning: $0) }
    }
    switch result {
    case .failure(let error): throw .couldNotConnect("\(server.authority): \(error.words)")
    case .success(let response):
      guard (200..<300).contains(response.status) else {
        throw ServerRequests.failure(response, of: server)
      }
      return response
    }
  }

  private static func failure(_ response: Response, of server: ServerAddress) -> ClientFailure {
    let place = server.authority
    switch response.status {
    case 401: return .couldNotConnect("\(place): \(ConnectionWords.noToken)")
    case 403: return .couldNotConnect("\(place): this token may not")
    default:
      let words = JSONValue(response.body)?["error"]?["message"]?.text
      return .failed("\(place): \(words ?? "HTTP status \(response.status)")")
    }
  }
}

extension HTTPRequestError {
  var words: String {
    switch self {
    case .badHost(let host): "there is no host \(host)"
    case .notConnected(let number): String(cString: strerror(number))
    case .tookTooLong: "no answer in time"
    case .malformed(let words): "the answer makes no sense: \(words)"
    case .tooLarge: "the answer is too large"
    }
  }
}
