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
    let here = routes.filter { $0.path.matches(parts) }
    let route = here.first { $0.methods.contains(request.method) }
    if let fault = siteFault(of: request) { return .refusing(fault) }
    if parts.first == "v1" { return await interface(request, body, here, route) }
    guard let path = here.first?.path else {
      guard request.isReading else { return .notAllowed(["GET", "HEAD"]) }
      return files.response(to: request, path: parts) ?? missing(request, .notFound)
    }
    // Only the page's paths have several spellings. A proxy can close any other with one rule (H11).
    guard here[0].users == .anyone || request.path == path.text else { return missing(request, .notFound) }
    if let name = path.value(of: "{room}", in: parts), !RoomName.isValid(name) { return missing(request, .noSuchName) }
    var grant = Grant(level: .viewer, rooms: [])
    if let level = here[0].level {
      do throws(TokenRefusal) { grant = try access(by: request.token) } catch { return .refusing(error) }
      if let refusal = Response.refusal(grant, room: nil, needs: level) { return refusal }
    }
    guard let route else { return .notAllowed(here.flatMap { $0.methods }) }
    return await route.answer(self, RoutedRequest(request: request, body: body, grant: grant, path: path))
  }

  /// What is wrong with the `Host` or `Origin` of a request or an upgrade.
  func siteFault(of request: Request) -> Sites.Fault? {
    let parts = request.pathParts
    guard parts.first != "v1" else { return sites.fault(of: request) }
    return switch routes.first(where: { $0.path.matches(parts) })?.users ?? .anyone {
    case .everybody: nil
    case .anyone: sites.fault(ofHostOf: request)
    case .holders: sites.fault(of: request)
    }
  }

  func page(_ file: String, _ request: Request) -> Response {
    files.response(to: request, path: [file])
      ?? .error(404, code: "not_found", message: "the page's files were not found; set their directory with --web")
  }

  /// The answer in place of a missing page: a browser gets an explanation and a link.
  private func missing(_ request: Request, _ response: Response) -> Response {
    guard request.wantsPage else { return response }
    return files.response(to: request, path: ["missing.html"], status: response.status) ?? response
  }

  func readiness() -> Response {
    if isStopping { return .unavailable("the server is stopping") }
    if let storageFault { return .unavailable(storageFault) }
    return .text("ok\n")
  }

  func metrics(_ request: Request) -> Response {
    Response.text(exposition(), type: "text/plain; version=0.0.4; charset=utf-8").compressed(for: request)
  }

  /// Answers a request under `/v1`.
  /// - Parameters:
  ///   - here: the routes at the request's path.
  ///   - route: the one among them that has the request's method.
  private func interface(
    _ request: Request,
    _ body: [UInt8],
    _ here: [Route<Self>],
    _ route: Route<Self>?
  ) async -> Response {
    let grant: Grant
    do throws(TokenRefusal) { grant = try access(by: request.token) } catch { return .refusing(error) }
    guard !awaitsLog else { return .awaitingLog }
    let name = request.pathParts.count > 2 ? request.pathParts[2] : nil
    if let name, !RoomName.isValid(name) { return .noSuchName }
    guard let path = here.first?.path else { return .notFound }
    if let name = request.malformedParameter {
      return .error(400, code: "bad_request", message: "the parameter \(name) is not percent-encoded correctly")
    }
    // A method that the path doesn't have is refused below. Before that, a path of operators only is refused.
    let level = route?.level ?? (here.allSatisfy { $0.level == .operator } ? .operator : .viewer)
    if let name, level == .editor {
      if let refusal = refusal(of: grant, writingTo: name) { return refusal }
    } else if let refusal = Response.refusal(grant, room: name, needs: level) {
      return refusal
    }
    guard let route else { return .notAllowed(here.flatMap { $0.methods }) }
    guard
      route.price == 0 || requestBook.spend(route.price, party: party(of: request), now: now.monotonicMilliseconds)
    else { return .tooFast }
    if let unknown = request.parameterNames.first(where: { $0 != "token" && !route.parameters.contains($0) }) {
      return .error(400, code: "bad_request", message: "there is no parameter \(unknown) here")
    }
    guard route.takes(request) else { return .notJSON }
    return await route.answer(self, RoutedRequest(request: request, body: body, grant: grant, path: path))
  }

  /// Makes an answer from a room. A room that nobody has written to counts as missing. The room stays open until the
  /// answer is made.
  func reading(_ name: String, _ request: Request, _ answer: (OpenedRoom) async -> Response) async -> Response {
    switch await take(name, mayCreate: false, for: party(of: request)) {
    case .open(let room):
      defer { giveBack(room) }
      guard view(of: room)?.position ?? 0 > 0 else { return .noSuchRoom }
      return await answer(room)
    case .absent: return .noSuchRoom
    case .full: return .tooManyRooms
    case .failed(let words): return .unreadable(words)
    }
  }
}
