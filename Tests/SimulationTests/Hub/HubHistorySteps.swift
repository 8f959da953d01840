import WebSocketLoop

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// What can happen in a history: acts of people, faults, and requests over HTTP.

extension HubHistory {
  func take() {
    time += UInt64.random(in: 1...40, using: &random)
    let client = clients.indices.randomElement(using: &random)!
    let server = servers.indices.randomElement(using: &random)!
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<20: draw(client)
    case 20..<40: move(client)
    case 40..<46: delete(client)
    case 46..<50: run(client) { $0.undo(at: $1) }
    case 50..<56: lose(client, code: nil)
    case 56..<60: clients[client].stalledUntil = time + delay(3_000)
    case 60..<63: kill(server)
    case 63..<65: stop(server)
    case 65..<72: start(server)
    case 72..<80: request(server)
    case 80..<82: lock(server, isLocked: shared.locks.isEmpty)
    case 82..<84: changeTokens()
    case 84..<85: deleteRoom(server)
    case 85..<86: remove(client, by: server)
    case 86..<88:
      servers[server].log.setDown(!servers[server].log.isDown)
      if servers[server].log.isDown { happened.insert(.logFailed) }
    case 88..<90: for _ in 0..<60 { pass(100) }
    case 90..<92: leaveRequest()
    case 92: sendToken(client)
    case 93..<97: if clients[client].isClosed { run(client) { $0.start(at: $1) } }
    default: run(client) { $0.stop(at: $1) }
    }
    turn()
  }

  func pass(_ milliseconds: UInt64) {
    time += milliseconds
    turn()
  }

  private func newPoint() -> Point {
    lastPoint += 1
    return Point(x: Double(lastPoint % 900), y: Double(lastPoint / 900))
  }

  func draw(_ index: Int) {
    var set = Properties()
    set.kind = .star
    set.position = newPoint()
    var drawn: Identifier?
    run(index) { replica, now in
      let (shape, effects) = replica.add(set, at: now)
      // A viewer's replica doesn't draw, and a full room can refuse the shape.
      if replica.canvas.contains(shape) { drawn = shape }
      return effects
    }
    if let drawn { clients[index].owed.insert(drawn) }
  }

  private func move(_ index: Int) {
    guard let shape = clients[index].replica.canvas.shapes.randomElement(using: &random)?.id else { return }
    var set = Properties()
    set.position = newPoint()
    run(index) { $0.edit([ShapeEdit(shape: shape, set: set)], at: $1) }
  }

  private func delete(_ index: Int) {
    guard let shape = clients[index].replica.canvas.shapes.randomElement(using: &random)?.id else { return }
    for client in clients.indices { clients[client].owed.remove(shape) }
    run(index) { $0.delete([shape], at: $1) }
  }

  /// Changes what the token of one of the editors allows, or lets it be valid again.
  func changeTokens() {
    let isFull = shakyGrant == HubHistory.fullGrant
    let others = [nil, "viewer demo", "editor elsewhere"]
    shakyGrant = isFull ? others.randomElement(using: &random)! : HubHistory.fullGrant
    if shakyGrant == nil { happened.insert(.tokenTaken) }
    let credentials = credentials
    for server in servers where server.isUp { server.virtual.hub.assumeIsolated { $0.take(credentials) } }
  }

  /// A connected client sends another token, which must not give it another role.
  private func sendToken(_ index: Int) {
    let tokens = [
      HubHistory.operatorToken, HubHistory.editorToken, HubHistory.strangerToken, HubHistory.viewerToken,
      HubHistory.shakyToken,
    ]
    let message = ClientMessage.token(Text(tokens.randomElement(using: &random)!))
    guard let line = clients[index].line, clients[index].replica.state == .live else { return }
    let bytes = clients[index].isText ? JSONEncoding.encode(message) : BinaryEncoding.encode(message)
    clients[index].line?.toServer.append((max(line.toServer.last?.at ?? 0, time), bytes))
  }

  // MARK: Requests

  func ask(
    _ server: Int,
    _ method: String,
    _ path: String,
    _ query: String = "",
    body: String = "",
    token: String = HubHistory.operatorToken,
    from address: String = "192.168.0.1",
    _ check: @escaping (HubHistory, Response) -> Void = { _, _ in }
  ) {
    guard servers[server].isUp else { return }
    let headers = [
      ("authorization", "Bearer \(token)"), ("content-type", "application/json"), ("x-forwarded-for", address),
    ]
    let request = WebSocketLoop.Request(
      method: method,
      path: "/v1/rooms\(path)",
      query: query,
      headers: headers,
      peer: "10.0.1.9"
    )
    requests.append(
      Request(
        words: "\(method) \(path)",
        server: server,
        life: servers[server].life,
        request: servers[server].virtual.request(request, body: Array(body.utf8)),
        check: check
      )
    )
  }

  private func request(_ server: Int) {
    switch Int.random(in: 0..<13, using: &random) {
    case 11:
      ask(server, "GET", "/demo", token: HubHistory.strangerToken) { history, response in
        if response.status < 400 { history.fail("a token for other rooms opens this one") }
      }
    case 12:
      ask(server, "GET", "", token: HubHistory.strangerToken) { history, response in
        let names = String(decoding: response.body, as: UTF8.self)
        if names.contains("demo") { history.fail("a token for other rooms lists this one") }
      }
    case 0: ask(server, "GET", "/demo", "stamps=1")
    case 1: ask(server, "GET", "/demo/picture.svg")
    case 2: ask(server, "GET", "/demo/overlaps")
    case 3: ask(server, "GET", "/demo/history", "steps=1")
    case 4: ask(server, "GET", "")
    case 5: ask(server, "GET", "/demo/peers")
    case 6:
      let point = newPoint()
      let squares = "{'squares':[{'x':\(point.x),'y':\(point.y),'colour':'#102030','size':20}]}"
      ask(server, "POST", "/demo/layout", body: squares) { history, response in
        if response.status == 200 { history.happened.insert(.layoutTaken) }
      }
    case 7: ask(server, "GET", "/demo", "at=\(now.wallMilliseconds - delay(20_000))")
    case 8: takeBack(server)
    default:
      let shape = Identifier.random(using: &random)
      let body = #"{"ops":[{"shape":"\#(shape)","set":{"kind":"star"}}]}"#
      ask(server, "POST", "/demo/ops", body: body, token: HubHistory.editorToken) { history, response in
        if response.status == 200 { history.promised.insert(shape) }
      }
    }
  }

  func lock(_ server: Int, isLocked: Bool) {
    ask(server, isLocked ? "PUT" : "DELETE", "/demo/lock") { history, response in
      if response.status == 204 { history.happened.insert(isLocked ? .locked : .unlocked) }
    }
  }

  func deleteRoom(_ server: Int) {
    ask(server, "DELETE", "/demo") { history, response in
      if response.status < 300 { history.happened.insert(.deleted) }
    }
  }

  private func remove(_ client: Int, by server: Int) {
    ask(server, "DELETE", "/demo/peers/\(clients[client].replica.actor)") { history, response in
      if response.status < 300 { history.happened.insert(.removed) }
    }
  }

  /// Has everything reverted that somebody has drawn.
  private func takeBack(_ server: Int) {
    guard let actor = clients.randomElement(using: &random)?.replica.actor else { return }
    ask(server, "DELETE", "/demo/writing/\(actor)") { history, response in
      if response.status == 200 { history.happened.insert(.takenBack) }
    }
  }

  private func leaveRequest() {
    guard let index = requests.indices.randomElement(using: &random) else { return }
    happened.insert(.requestLeft)
    requests.remove(at: index).request.leave()
  }

  /// To be called when the room is about to be deleted. The shapes that are stored in it now can disappear.
  func noteDeletion() {
    gone.formUnion(stored.map(\.shape))
  }
}
