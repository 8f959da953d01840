import CanvasCRDT
import Glibc
import WebSocketLoop

/// Requests to the server over HTTP.
@ClientLoop
struct ServerRequests {
  let server: ServerAddress

  /// The body of the answer. Any status but 2xx is an error.
  /// - Parameter room: the room's name, for error messages.
  func get(_ path: String, query: String = "", of room: String? = nil) async throws(ClientFailure) -> [UInt8] {
    try await send("GET", path, query: query, of: room).body
  }

  func send(
    _ method: String,
    _ path: String,
    query: String = "",
    body: [UInt8] = [],
    of room: String? = nil
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
    case .failure(.notConnected(ECONNREFUSED)):
      throw .couldNotConnect("\(server.authority): \(ConnectionWords.nobody(server))")
    case .failure(let error): throw .couldNotConnect("\(server.authority): \(error.words)")
    case .success(let response):
      guard (200..<300).contains(response.status) else {
        throw failure(response, of: room)
      }
      return response
    }
  }

  private func failure(_ response: Response, of room: String?) -> ClientFailure {
    let place = room.map { "\($0) on \(server.authority)" } ?? server.authority
    switch response.status {
    case 401: return .couldNotConnect("\(place): \(ConnectionWords.noToken)", code: "no_token")
    case 403: return .couldNotConnect("\(server.authority): \(ConnectionWords.forbidden(room))", code: "forbidden")
    default:
      let error = JSONValue(response.body)?["error"]
      return .failed(
        "\(place): \(error?["message"]?.text ?? "HTTP status \(response.status)")",
        code: error?["code"]?.text ?? "failed"
      )
    }
  }
}

extension HTTPRequestError {
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
