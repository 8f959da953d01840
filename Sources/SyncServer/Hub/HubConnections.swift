import CanvasCRDT
import WebSocketLoop

// Connections: from the upgrade to the last word.

extension Hub {
  func decide(on request: Request) -> UpgradeDecision {
    let parts = request.pathParts
    guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "sync" else {
      return refuse(request, .error(404, code: "not_found", message: "WebSockets are at /v1/rooms/{room}/sync"))
    }
    guard !stopping.isUnderWay else {
      return refuse(request, .error(503, code: "unavailable", message: "the server is going away; come back"))
    }
    let names = WireEncoding.allCases.map { Text($0.subprotocol).string }
    return .accept(subprotocol: request.offeredSubprotocols.first { names.contains($0) })
  }

  private func refuse(_ request: Request, _ response: Response) -> UpgradeDecision {
    noteAnswer(response.status, address: address(of: request), reason: request.path)
    return .refuse(response)
  }

  func accept(_ connection: Connection, request: Request) {
    metrics.connectionsOpened += 1
    connection.tag = -1
    let name = request.pathParts[2]
    let address = self.address(of: request)
    let encoding: WireEncoding =
      connection.subprotocol == Text(WireEncoding.binary.subprotocol).string ? .binary : .json
    guard let grant = grant(for: request) else {
      turnAway(connection, encoding, address, .noToken, "a valid token is needed")
      return
    }
    guard RoomName.isValid(name) else {
      turnAway(connection, encoding, address, .noSuchRoom, "a room's name is 1 to 64 of A-Z a-z 0-9 . _ -")
      return
    }
    guard grant.covers(name) else {
      turnAway(connection, encoding, address, .forbidden, "this token is not for this room")
      return
    }
    guard clientCount < limits.connections else {
      turnAway(connection, encoding, address, .tooMany, "the server has as many connections as it takes")
      return
    }
    let party = NetworkAddress.party(of: address)
    guard clientsOfAddress[party, default: 0] < limits.connectionsPerAddress else {
      turnAway(connection, encoding, address, .tooMany, "your address has as many connections as one may have")
      return
    }
    let index = freeClients.popLast() ?? clients.count
    let timer = loop.schedule(afterMilliseconds: limits.helloMilliseconds) { self.helloIsDue(index) }
    let client = Client(
      connection: connection,
      room: name,
      address: address,
      token: tokens == nil ? nil : request.token,
      grant: grant,
      session: Session(encoding: encoding, roleMax: grant.role, limits: limits, now: .now()),
      stage: .awaitingHello(timer)
    )
    if index == clients.count { clients.append(client) } else { clients[index] = client }
    connection.tag = index
    clientCount += 1
    clientsOfAddress[party, default: 0] += 1
    logger.debug("connected", ["room": .text(name), "address": .text(address)])
  }

  /// The client's own address, as far as it is known.
  func address(of request: Request) -> String {
    guard !configuration.proxies.isEmpty else { return request.peer }
    return configuration.proxies.origin(peer: request.peer, path: request.listHeader("x-forwarded-for"))
  }

  private func turnAway(
    _ connection: Connection,
    _ encoding: WireEncoding,
    _ address: String,
    _ code: CloseCode,
    _ reason: Text
  ) {
    noteRefusal(code.word, address: address, reason: reason.string)
    metrics.closes[code.rawValue, default: 0] += 1
    sendError(code.word, reason, encoding, over: connection)
    connection.close(code: code.rawValue, reason: reason.string)
  }

  private func helloIsDue(_ index: Int) {
    guard let client = clients[index], case .awaitingHello = client.stage else { return }
    var now = Moment.now()
    // The loop's clock is read once a turn, and may be a little behind.
    if let deadline = client.session.deadline { now.monotonicMilliseconds = max(now.monotonicMilliseconds, deadline) }
    perform(client.session.timePassed(now: now), for: client, now: now)
  }

  func take(_ message: Message, from connection: Connection) {
    guard connection.tag >= 0, let client = clients[connection.tag] else { return }
    if case .gone = client.stage { return }
    guard !stopping.isUnderWay else { return }
    metrics.messagesIn += 1
    let now = Moment.now()
    perform(client.session.received(message.bytes, isText: message.isText, now: now), for: client, now: now)
    if let milliseconds = client.session.takeRest() {
      client.pauseReading(.rate)
      loop.schedule(afterMilliseconds: milliseconds) { client.resumeReading(.rate) }
    }
  }

  func perform(_ action: SessionAction, for client: Client, now: Moment) {
    switch action {
    case .nothing: return
    case .join(let hello, let role):
      if case .awaitingHello(let timer) = client.stage { timer.cancel() }
      client.stage = .joining([])
      if let open = rooms[client.room], !open.isGone {
        join(client, open, hello, role)
      } else {
        client.pauseReading(.opening)
        Task { await self.openAndJoin(client, hello, role) }
      }
      return
    case .close(let code, let reason):
      close(client, code, reason)
      return
    case .submit, .presence, .digest, .reply: break
    }
    switch client.stage {
    case .joining(var waiting):
      waiting.append(action)
      client.stage = .joining(waiting)
    case .joined(let open, let id): perform(action, for: client, in: open, id, now: now)
    case .awaitingHello, .gone: break
    }
  }

  private func perform(_ action: SessionAction, for client: Client, in open: OpenRoom, _ id: MemberID, now: Moment) {
    switch action {
    case .submit(let submission):
      // The newest tells the writer's clock: what was drawn without a connection comes under older ones.
      if let newest = submission.operations.lazy.compactMap({ $0.at?.milliseconds }).max() {
        metrics.noteClock(newest, now: now.wallMilliseconds)
      }
      let refused = open.room.counts.refusals
      open.room.submit(submission, from: id, now: now)
      if open.room.counts.refusals != refused { logRefusal(since: refused, in: open, address: client.address) }
    case .presence(let state): open.room.presence(state, from: id, now: now)
    case .digest: open.room.digest(for: id, now: now)
    case .reply(let message):
      if case .rejection(let rejection) = message {
        logRefusal(Text(rejection.code.wireName).string, address: client.address, reason: rejection.message.string)
      }
      open.room.reply(message, to: id)
    case .nothing, .join, .close: break
    }
    markDirty(open)
  }

  /// The room itself has refused something: which code has grown.
  private func logRefusal(since refused: [UInt64], in open: OpenRoom, address: String) {
    for code in RejectCode.allCases where open.room.counts.refusals[Int(code.rawValue)] > refused[Int(code.rawValue)] {
      logRefusal(Text(code.wireName).string, address: address, reason: "operations to room \(open.name)")
    }
  }

  // MARK: Joining

  private func openAndJoin(_ client: Client, _ hello: Hello, _ role: Role) async {
    let opening = await opened(client.room, mayCreate: true)
    guard case .joining = client.stage else { return }
    switch opening {
    case .open(let open):
      client.resumeReading(.opening)
      join(client, open, hello, role)
    case .absent, .full: close(client, .tooMany, "the server has as many rooms open as it takes")
    case .failed(let words): close(client, .goingAway, Text(words), error: "unavailable")
    }
  }

  private func join(_ client: Client, _ open: OpenRoom, _ hello: Hello, _ role: Role) {
    let now = Moment.now()
    let id = open.room.join(hello, role: role, encoding: client.session.encoding, now: now, using: &generator)
    // An older connection of the same actor may have to go, and the newcomer may have its place.
    carryOutEffects(of: open)
    markDirty(open)
    guard let id else {
      close(client, .tooMany, "the room has as many connections as it takes")
      return
    }
    guard case .joining(let waiting) = client.stage else { return }
    client.stage = .joined(open, id)
    open.seat(client, id)
    open.idleSince = nil
    logger.info(
      "joined",
      [
        "room": .text(open.name), "actor": .text(open.room.member(id)?.peer.actor.text ?? ""),
        "address": .text(client.address), "encoding": .text(client.session.encoding == .json ? "json" : "binary"),
        "peers": .init(open.room.memberCount),
      ]
    )
    for action in waiting {
      guard case .joined = client.stage else { return }
      perform(action, for: client, in: open, id, now: now)
    }
  }

  // MARK: Leaving

  /// Says why, and goodbye.
  /// - Parameter error: what went wrong, in a word, where it isn't what the code says.
  func close(_ client: Client, _ code: CloseCode, _ reason: Text, error: String? = nil) {
    // Who is only to come back has done nothing wrong.
    let error = error ?? (code == .goingAway ? nil : code.word)
    if let error { noteRefusal(error, address: client.address, reason: reason.string) }
    var isBetweenMessages = true
    switch client.stage {
    case .awaitingHello(let timer): timer.cancel()
    case .joined(let open, let id):
      // A message of several frames may have been sent in part; nothing but the goodbye may come between.
      isBetweenMessages = open.room.member(id)?.chunk.isEmpty ?? false
      open.unseat(id)
      open.room.leave(id, now: .now())
      markDirty(open)
    case .joining, .gone: break
    }
    sayGoodbye(to: client, code, reason, error: isBetweenMessages ? error : nil)
  }

  /// To one who is in no room any more.
  /// - Parameter error: what it is told first, if anything.
  func sayGoodbye(to client: Client, _ code: CloseCode, _ reason: Text, error: String?) {
    metrics.closes[code.rawValue, default: 0] += 1
    client.stage = .gone
    client.session.closed()
    if let error { sendError(error, reason, client.session.encoding, over: client.connection) }
    client.connection.close(code: code.rawValue, reason: reason.string)
  }

  private func sendError(_ code: String, _ reason: Text, _ encoding: WireEncoding, over connection: Connection) {
    let message = encoding.encode(.error(code: Text(code), message: reason))
    connection.send(encoding == .json ? MessageFrames(text: message) : MessageFrames(binary: message))
  }

  /// The loop is about to close a connection by itself: too long a message, not UTF-8, or no sign of life.
  func isClosing(_ connection: Connection, code: UInt16, reason: String) {
    guard connection.tag >= 0, let client = clients[connection.tag], let code = CloseCode(rawValue: code) else {
      return
    }
    close(client, code, Text(reason))
  }

  func forget(_ connection: Connection, closure: Closure) {
    guard connection.tag >= 0, let client = clients[connection.tag] else { return }
    if case .gone = client.stage {
      // Counted when it was closed.
    } else if closure.cause == .ours {
      // By the loop itself, without a word to be said: the protocol was broken.
      metrics.closes[closure.code, default: 0] += 1
      noteRefusal(CloseCode(rawValue: closure.code)?.word ?? "closed", address: client.address, reason: closure.reason)
    }
    switch client.stage {
    case .awaitingHello(let timer): timer.cancel()
    case .joined(let open, let id):
      open.unseat(id)
      open.room.leave(id, now: .now())
      markDirty(open)
    case .joining, .gone: break
    }
    client.stage = .gone
    clients[connection.tag] = nil
    freeClients.append(connection.tag)
    clientCount -= 1
    let party = NetworkAddress.party(of: client.address)
    let left = clientsOfAddress[party, default: 1] - 1
    clientsOfAddress[party] = left > 0 ? left : nil
    logger.debug(
      "disconnected",
      ["room": .text(client.room), "address": .text(client.address), "code": .init(closure.code)]
    )
    if stopping.isUnderWay { goOnStopping() }
  }

  func resume(_ connection: Connection) {
    guard connection.tag >= 0, let client = clients[connection.tag], case .joined(let open, let id) = client.stage
    else {
      return
    }
    open.room.writable(id, now: .now()) { self.write($1, to: $0, of: open) }
    markDirty(open)
  }

  func write(_ bytes: UnsafeRawBufferPointer, to id: MemberID, of open: OpenRoom) -> Int {
    guard let client = open.client(id) else { return 0 }
    if client.turn != turn {
      client.turn = turn
      client.turnBytes = 0
    }
    guard client.turnBytes < Hub.turnBytesMax else {
      client.connection.notifyWhenWritable()
      return 0
    }
    metrics.writes += 1
    let taken = client.connection.write(bytes)
    client.turnBytes += taken
    return taken
  }

  /// What one connection is sent in a turn. A large room's state takes many: twenty who join at once, and readers who
  /// take all that they are offered, would keep everybody else waiting for as long as it takes to encode and copy it.
  private static let turnBytesMax = 131_072
}

extension CloseCode {
  /// For the `error` before a close, and for metrics.
  var word: String { wireName.description }
}
