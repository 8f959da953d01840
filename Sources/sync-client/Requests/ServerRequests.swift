import CanvasCRDT
import Glibc
import WebSocketLoop

/// The server's HTTP side.
@ClientLoop
struct ServerRequests {
  let server: ServerAddress

  /// The answer's body, where the server answered well.
  /// - Parameter room: the one that is asked about, to be named where there is something to complain of.
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
        throw ServerRequests.failure(response, at: room.map { "\($0) on \(server.authority)" } ?? server.authority)
      }
      return response
    }
  }

  private static func failure(_ response: Response, at place: String) -> ClientFailure {
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
    case .notTrusted(let why): ConnectionWords.untrusted(why)
    case .notSecure(let why): "it speaks no TLS, or not as we do: \(why)"
    case .tookTooLong: "no answer in time"
    case .malformed(let words): "the answer makes no sense: \(words)"
    case .tooLarge: "the answer is too large"
    }
  }
}
