import CanvasCRDT
import WebSocketLoop

// HTTP: which request goes to which route.

extension RoomService {
  func response(to request: Request, body: [UInt8]) async -> Response {
    guard proxies.contains(request.peer) else { return await routed(request, body) }
    let party = party(of: request)
    guard requestBook.enter(party) else { return .tooManyFromAddress }
    defer { requestBook.leave(party) }
    return await routed(request, body)
  }

  /// The client's own address, instead of that of a trusted proxy in front of the server.
  nonisolated func address(of request: Request) -> String {
    guard !proxies.isEmpty else { return request.peer }
    return proxies.origin(peer: request.peer, path: request.list(.forwardedFor))
  }

  /// Why a connection is refused before its first request.
  func refusal(of http: HTTPConnectionCount, from peer: String) -> ConnectionRefusal? {
    if UInt64(http.all) >= limits.httpConnections { return ConnectionRefusal(.tooManyConnections, .ofAll) }
    guard UInt64(http.fromPeer) >= limits.httpConnectionsPerAddress, !proxies.contains(peer) else {
      return nil
    }
    return ConnectionRefusal(.tooManyFromAddress, .ofAddress)
  }

  private func routed(_ request: Request, _ body: [UInt8]) async -> Response {
    let parts = request.pathParts
    if let fault = siteFault(of: request, parts) { return .refusing(fault) }
    switch (parts.first, parts.count) {
    case (nil, _): return reading(request) { self.page("index.html", request) }
    case ("r", 2):
      guard RoomName.isValid(parts[1]) else { return missing(request, .noSuchName) }
      return reading(request) { self.page("room.html", request) }
    case ("page.json", 1):
      return reading(request) { self.files.listing(for: request, at: self.now.monotonicMilliseconds) }
    case ("healthz", 1), ("readyz", 1), ("metrics", 1): return operating(request)
    case ("v1", _): return await interface(request, body, Array(parts.dropFirst()))
    default:
      return reading(request) {
        self.files.response(to: request, path: parts) ?? self.missing(request, .notFound)
      }
    }
  }

  /// What is wrong with a request's `Host` or `Origin`. For health checks, neither is checked: they may use any name of
  /// the server, and their answers are no secret. For the page's own files, only `Host` is checked: these files say
  /// nothing about rooms, so pages of any site may fetch them.
  private func siteFault(of request: Request, _ parts: [String]) -> Sites.Fault? {
    switch parts.first {
    case "healthz" where parts.count == 1, "readyz" where parts.count == 1: nil
    case "v1", "metrics":
      // With a wrong content type, only the host is checked here: the route refuses the request without reading it.
      switch (request.method, parts.count, parts.last) {
      case ("POST", 4, "ops") where !request.isJSON, ("POST", 4, "layout") where !request.isLayout:
        sites.fault(ofHostOf: request)
      default: sites.fault(of: request)
      }
    default: sites.fault(ofHostOf: request)
    }
  }

  /// Answers a route for operators. The path of such a route has exactly one spelling, so that a proxy can block it
  /// with one rule (H11).
  private func operating(_ request: Request) -> Response {
    switch request.path {
    case "/healthz": return reading(request) { .text("ok\n") }
    case "/readyz": return reading(request) { self.readiness() }
    case "/metrics":
      do throws(TokenRefusal) {
        if let refusal = Response.refusal(try access(by: request.token), room: nil, needs: .operator) { return refusal }
      } catch {
        return .refusing(error)
      }
      return reading(request) {
        Response.text(self.exposition(), type: "text/plain; version=0.0.4; charset=utf-8").compressed(for: request)
      }
    default: return missing(request, .notFound)
    }
  }

  private func reading(_ request: Request, _ answer: () -> Response) -> Response {
    request.isReading ? answer() : .notAllowed("GET, HEAD")
  }

  private func page(_ file: String, _ request: Request) -> Response {
    files.response(to: request, path: [file])
      ?? .error(404, code: "not_found", message: "the page's files were not found; set their directory with --web")
  }

  /// The answer in place of a missing page: a browser gets an explanation and a link.
  private func missing(_ request: Request, _ response: Response) -> Response {
    guard request.wantsPage else { return response }
    return files.response(to: request, path: ["missing.html"], status: response.status) ?? response
  }

  private func readiness() -> Response {
    if isStopping { return .unavailable("the server is stopping") }
    if let storageFault { return .unavailable(storageFault) }
    return .text("ok\n")
  }

  private func interface(_ request: Request, _ body: [UInt8], _ parts: [String]) async -> Response {
    let grant: Grant
    do throws(TokenRefusal) { grant = try access(by: request.token) } catch { return .refusing(error) }
    guard !awaitsLog else { return .awaitingLog }
    let name = parts.count > 1 ? parts[1] : nil
    if let name, !RoomName.isValid(name) { return .noSuchName }
    guard let resource = Resource(parts) else { return .notFound }
    if let name = request.malformedParameter {
      return .error(400, code: "bad_request", message: "the parameter \(name) is not percent-encoded correctly")
    }
    let level = resource.level(for: request.method)
    if let name, resource.writes(by: request.method) {
      if let refusal = refusal(of: grant, writingTo: name, needs: level) { return refusal }
    } else if let refusal = Response.refusal(grant, room: name, needs: level) {
      return refusal
    }
    guard resource.methods.contains(request.method) else {
      return .notAllowed(resource.methods.joined(separator: ", "))
    }
    let price = resource.price(of: request.method)
    guard
      price == 0 || requestBook.spend(price, party: party(of: request), now: now.monotonicMilliseconds)
    else { return .tooFast }
    if let unknown = request.parameterNames.first(where: { $0 != "token" && !resource.parameters.contains($0) }) {
      return .error(400, code: "bad_request", message: "there is no parameter \(unknown) here")
    }
    guard let name else { return await roomList(request, grant) }
    return await response(of: resource, request, body, name, parts.count == 4 ? parts[3] : "", grant)
  }

  /// - Parameter item: the part of the path after the resource, if there is one.
  private func response(
    of resource: Resource,
    _ request: Request,
    _ body: [UInt8],
    _ name: String,
    _ item: String,
    _ grant: Grant
  ) async -> Response {
    switch resource {
    case .rooms: await roomList(request, grant)
    case .room where request.method == "DELETE": await deletion(of: name, by: request)
    case .room: await reading(name, request) { await self.drawing($0, request) }
    case .history: await reading(name, request) { await self.spanDocument($0, request) }
    case .overlaps: await reading(name, request) { await self.overlaps($0, request) }
    case .free: await reading(name, request) { await self.freePlace($0, request) }
    case .picture: await reading(name, request) { await self.picture($0, request) }
    case .operations: await operations(request, body, name, grant)
    case .layout: await layout(request, body, name, grant)
    case .sync:
      .error(400, code: "bad_request", message: "this address is for WebSockets; send an upgrade request")
    case .peers: peopleDocument(name)
    case .peer: await removal(of: item, from: name, by: request)
    case .lock: await locking(name, by: request)
    case .erasures where request.method == "DELETE": await forgetting(request, name, grant)
    case .erasures: await reading(name, request) { self.memoryDocument($0, name) }
    case .writing: await takingBack(item, in: name, request, grant)
    }
  }

  /// Makes an answer from a room. A room that nobody has written to counts as missing. The room stays open until the
  /// answer is made.
  func reading(_ name: String, _ request: Request, _ answer: (OpenedRoom) async -> Response) async -> Response {
    switch await take(name, mayCreate: false, for: party(of: request)) {
    case .open(let room):
      defer { giveBack(room) }
      guard let view = view(of: room), view.position > 0 else { return .noSuchRoom }
      return await answer(room)
    case .absent: return .noSuchRoom
    case .full: return .tooManyRooms
    case .failed(let words): return .unreadable(words)
    }
  }
}
