import CanvasCRDT
import WebSocketLoop

// How sessions arrive: from the HTTP request that opens a WebSocket to the client's `hello`.

extension Hub {
  func decide(on request: Request) -> UpgradeDecision {
    if let fault = siteFault(of: request) { return refuse(request, .refusing(fault)) }
    guard RoutePath.sync.matches(request.pathParts) else {
      return refuse(request, .error(404, code: "not_found", message: "WebSockets are at \(RoutePath.sync.text)"))
    }
    guard !isStopping else {
      return refuse(request, .unavailable("the server is stopping; try again"))
    }
    guard !awaitsLog else { return refuse(request, .awaitingLog) }
    guard !sessions.turnsAwayUnheard(party(of: request)) else { return refuse(request, .tooManyFromAddress) }
    let names = WireEncoding.allCases.map { Text($0.subprotocol).string }
    return .accept(subprotocol: request.offeredSubprotocols.first { names.contains($0) })
  }

  private func refuse(_ request: Request, _ response: Response) -> UpgradeDecision {
    noteAnswer(response, to: request)
    return .refuse(response)
  }

  /// A layout may be as long as a room's drawing. It is read only for clients that may write to the room, because others
  /// could fill the memory with it.
  func decide(onLongBodyOf request: Request) -> LongBodyDecision? {
    let parts = request.pathParts
    guard request.method == "POST", RoutePath.layout.matches(parts) else { return nil }
    let fault = siteFault(of: request).map { Response.refusing($0) }
    guard let refusal = fault ?? refusal(ofToken: request.token, writingTo: parts[2]) else {
      return .accept(bytesMax: Int(limits.bodyBytes))
    }
    noteAnswer(refusal, to: request)
    return .refuse(refusal)
  }

  func accept(_ connection: any ServerConnection, request: Request) {
    counts.noteConnection()
    connection.tag = -1
    let name = request.pathParts[2]
    let address = self.address(of: request)
    connection.party = NetworkAddress.party(of: address)
    let encoding: WireEncoding =
      connection.subprotocol == Text(WireEncoding.binary.subprotocol).string ? .binary : .json
    let access = Result { () throws(TokenRefusal) in try self.access(by: request.token) }
    func turnAway(_ code: CloseCode, _ told: Text, reason: String? = nil) {
      let refusal = Refusal(
        code: code.word,
        address: address,
        reason: reason ?? told.string,
        room: request.room,
        token: (try? access.get())?.label
      )
      self.turnAway(connection, encoding, code, told, refusal)
    }
    let grant: Grant
    switch access {
    case .success(let given): grant = given
    case .failure(let refusal): return turnAway(.noToken, Text(refusal.told), reason: refusal.reason)
    }
    guard RoomName.isValid(name) else {
      return turnAway(.noSuchRoom, Text(RoomName.words))
    }
    guard grant.covers(name) else {
      return turnAway(.forbidden, Text("this token doesn't give access to room \(name)"))
    }
    switch sessions.crowd(for: address) {
    case .server: return turnAway(.tooMany, "the server has no room for more connections")
    case .address: return turnAway(.tooMany, "too many connections from your address")
    case nil: break
    }
    connection.tag = sessions.add { number in
      Session(
        connection: connection,
        room: name,
        address: address,
        token: credentials.areAskedFor ? request.token : nil,
        grant: grant,
        conversation: Conversation(encoding: encoding, roleMax: role(of: grant, in: name), limits: limits, now: now),
        helloTimer: loop.schedule(afterMilliseconds: limits.helloMilliseconds) { self.helloIsDue(number) }
      )
    }
    logger.debug("connected", ["room": .text(name), "address": .text(address)])
  }

  private func role(of grant: Grant, in room: String) -> Role {
    isLocked(room) && grant.level < .operator ? .viewer : grant.role
  }

  private func turnAway(
    _ connection: any ServerConnection,
    _ encoding: WireEncoding,
    _ code: CloseCode,
    _ reason: Text,
    _ refusal: Refusal
  ) {
    noteRefusal(refusal)
    sessions.turnedAway(connection.party)
    counts.noteClose(code: code.rawValue)
    connection.send(error: code.word, reason, encoding)
    connection.close(code: code.rawValue, reason: reason.string)
  }

  private func helloIsDue(_ number: Int) {
    guard let session = sessions[number], case .waiting = session.stage else { return }
    close(session, .noSignOfLife, "no hello arrived in time")
  }
}

extension ServerConnection {
  /// Sends the client an error: a code word and a sentence.
  func send(error word: String, _ reason: Text, _ encoding: WireEncoding) {
    let message = encoding.encode(.error(code: Text(word), message: reason))
    send(encoding == .json ? MessageFrames(text: message) : MessageFrames(binary: message))
  }
}
