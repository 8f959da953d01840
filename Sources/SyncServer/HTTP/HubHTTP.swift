import CanvasCRDT
import RoomLog
import WebSocketLoop

// HTTP: which request is which.

extension Hub {
  func answer(_ exchange: PendingRequest) async {
    let response = await bounded(exchange)
    guard exchange.answer(response) else { return }
    noteAnswer(response.status, address: address(of: exchange.request), reason: exchange.request.path)
  }

  /// What is not there is nothing that anybody refused.
  func noteAnswer(_ status: Int, address: String, reason: String) {
    metrics.requests[status, default: 0] += 1
    guard status >= 400, status != 404, status != 405 else { return }
    noteRefusal("http_\(status)", address: address, reason: reason)
  }

  /// Of a connection that is a proxy's only its requests tell whose they are.
  private func bounded(_ exchange: PendingRequest) async -> Response {
    let request = exchange.request
    guard configuration.proxies.contains(request.peer) else { return await response(to: exchange) }
    let party = NetworkAddress.party(of: address(of: request))
    let underWay = proxiedRequests[party, default: 0]
    guard UInt64(underWay) < limits.httpConnectionsPerAddress else { return Hub.tooManyFromAddress }
    proxiedRequests[party] = underWay + 1
    defer {
      let left = proxiedRequests[party, default: 1] - 1
      proxiedRequests[party] = left > 0 ? left : nil
    }
    return await response(to: exchange)
  }

  /// Why a connection is not served, before it has said anything.
  func refusal(of http: HTTPConnectionCount, from peer: String) -> Response? {
    if UInt64(http.all) >= limits.httpConnections { return Hub.tooManyConnections }
    guard UInt64(http.fromPeer) >= limits.httpConnectionsPerAddress, !configuration.proxies.contains(peer) else {
      return nil
    }
    return Hub.tooManyFromAddress
  }

  private static let tooManyConnections = Response.error(
    503,
    code: "unavailable",
    message: "the server has as many HTTP connections as it takes"
  ).retried(afterSeconds: 1)
  private static let tooManyFromAddress = Response.error(
    429,
    code: "too_many",
    message: "your address has as many HTTP connections as one may have"
  ).retried(afterSeconds: 1)

  private func response(to exchange: PendingRequest) async -> Response {
    let request = exchange.request
    let parts = request.pathParts
    switch (parts.first, parts.count) {
    case (nil, _): return reading(request) { self.page("index.html", request) }
    case ("r", 2):
      guard RoomName.isValid(parts[1]) else { return missing(request, Hub.noSuchName) }
      return reading(request) { self.page("room.html", request) }
    case ("page.json", 1): return reading(request) { self.files.listing(for: request) }
    case ("healthz", 1): return reading(request) { .text("ok\n") }
    case ("readyz", 1): return reading(request) { self.readiness() }
    case ("metrics", 1):
      guard let grant = grant(for: request) else { return Hub.noToken }
      if let refusal = Hub.refusal(grant, room: nil, needs: .operator) { return refusal }
      return reading(request) { self.exposition().compressed(for: request) }
    case ("v1", _): return await interface(exchange, Array(parts.dropFirst()))
    default:
      return reading(request) {
        self.files.response(to: request, path: parts) ?? self.missing(request, Hub.notFound)
      }
    }
  }

  private func reading(_ request: Request, _ answer: () -> Response) -> Response {
    Hub.isReading(request) ? answer() : Hub.notAllowed("GET, HEAD")
  }

  static func isReading(_ request: Request) -> Bool { request.method == "GET" || request.method == "HEAD" }

  static let notFound = Response.error(404, code: "not_found", message: "there is nothing here")
  static let noSuchName = Response.error(
    404,
    code: "no_such_room",
    message: "a room's name is 1 to 64 of A-Z a-z 0-9 . _ -"
  )
  static let noSuchRoom = Response.error(404, code: "no_such_room", message: "nobody has written to this room")

  static func notAllowed(_ methods: String) -> Response {
    var response = Response.error(405, code: "method_not_allowed", message: "this takes \(methods)")
    response.headers.append(("Allow", methods))
    return response
  }

  private func page(_ file: String, _ request: Request) -> Response {
    files.response(to: request, path: [file])
      ?? .error(404, code: "not_found", message: "the page's files are not there; --web says where they are")
  }

  /// A person is told in words, with a way on.
  private func missing(_ request: Request, _ response: Response) -> Response {
    guard request.wantsPage else { return response }
    return files.response(to: request, path: ["missing.html"], status: response.status) ?? response
  }

  private func readiness() -> Response {
    if stopping.isUnderWay { return .error(503, code: "unavailable", message: "the server is going away") }
    if let fault { return .error(503, code: "unavailable", message: "\(fault)") }
    return .text("ok\n")
  }

  private func interface(_ exchange: PendingRequest, _ parts: [String]) async -> Response {
    let request = exchange.request
    guard let grant = grant(for: request) else { return Hub.noToken }
    guard parts.first == "rooms", parts.count <= 3 else { return Hub.notFound }
    if let name = request.malformedParameter {
      return .error(400, code: "bad_request", message: "the parameter \(name) is not well escaped")
    }
    if parts.count == 1 {
      guard Hub.isReading(request) else { return Hub.notAllowed("GET, HEAD") }
      return await roomList(request, grant)
    }
    guard RoomName.isValid(parts[1]) else { return Hub.noSuchName }
    let name = parts[1]
    let isWriting = parts.count == 3 && (parts[2] == "ops" || parts[2] == "layout") && request.method == "POST"
    let isDeleting = parts.count == 2 && request.method == "DELETE"
    let needed: Grant.Level = isDeleting ? .operator : isWriting ? .editor : .viewer
    if let refusal = Hub.refusal(grant, room: name, needs: needed) { return refusal }
    guard parts.count == 3 else {
      switch request.method {
      case "GET", "HEAD": return await reading(name) { await self.drawing($0, request) }
      case "DELETE": return await delete(name)
      default: return Hub.notAllowed("GET, HEAD, DELETE")
      }
    }
    switch parts[2] {
    case "history":
      guard Hub.isReading(request) else { return Hub.notAllowed("GET, HEAD") }
      return await reading(name) { await self.span(of: $0) }
    case "overlaps", "free", "picture.svg":
      guard Hub.isReading(request) else { return Hub.notAllowed("GET, HEAD") }
      return await reading(name) { open in
        switch parts[2] {
        case "overlaps": await self.overlaps(open, request)
        case "free": self.freePlace(open, request)
        default: await self.picture(open, request)
        }
      }
    case "ops", "layout":
      guard request.method == "POST" else { return Hub.notAllowed("POST") }
      return await parts[2] == "ops" ? operations(exchange, name) : layout(exchange, name)
    case "sync":
      guard Hub.isReading(request) else { return Hub.notAllowed("GET") }
      return .error(400, code: "bad_request", message: "this is a WebSocket: ask for an upgrade")
    default: return Hub.notFound
    }
  }

  /// A room that somebody has written to, held open while it is asked.
  private func reading(_ name: String, _ answer: (OpenRoom) async -> Response) async -> Response {
    switch await opened(name, mayCreate: false) {
    case .open(let open):
      guard !open.room.isUnwritten else { return Hub.noSuchRoom }
      open.holds += 1
      defer { open.holds -= 1 }
      return await answer(open)
    case .absent: return Hub.noSuchRoom
    case .full: return .error(503, code: "unavailable", message: "the server has as many rooms open as it takes")
    case .failed(let words): return .error(503, code: "unavailable", message: words)
    }
  }
}
