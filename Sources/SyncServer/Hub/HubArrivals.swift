import CanvasCRDT
import WebSocketLoop

// Visitors come: from the upgrade to the hello.

extension Hub {
  func decide(on request: Request) -> UpgradeDecision {
    let parts = request.pathParts
    guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "sync" else {
      return refuse(request, .error(404, code: "not_found", message: "WebSockets are at /v1/rooms/{room}/sync"))
    }
    guard !isStopping else {
      return refuse(request, .error(503, code: "unavailable", message: "the server is stopping; try again"))
    }
    let names = WireEncoding.allCases.map { Text($0.subprotocol).string }
    return .accept(subprotocol: request.offeredSubprotocols.first { names.contains($0) })
  }

  private func refuse(_ request: Request, _ response: Response) -> UpgradeDecision {
    noteAnswer(response.status, address: address(of: request), reason: request.path)
    return .refuse(response)
  }

  func accept(_ connection: Connection, request: Request) {
    counts.noteConnection()
    connection.tag = -1
    let name = request.pathParts[2]
    let address = self.address(of: request)
    let encoding: WireEncoding =
      connection.subprotocol == Text(WireEncoding.binary.subprotocol).string ? .binary : .json
    guard let grant = grant(of: request.token) else {
      turnAway(connection, encoding, address, .noToken, "send a valid token")
      return
    }
    guard RoomName.isValid(name) else {
      turnAway(connection, encoding, address, .noSuchRoom, "a room's name is 1 to 64 of A-Z a-z 0-9 . _ -")
      return
    }
    guard grant.covers(name) else {
      turnAway(connection, encoding, address, .forbidden, Text("this token doesn't give access to room \(name)"))
      return
    }
    switch visitors.crowd(for: address) {
    case .server:
      turnAway(connection, encoding, address, .tooMany, "the server has no room for more connections")
      return
    case .address:
      turnAway(connection, encoding, address, .tooMany, "too many connections from your address")
      return
    case nil: break
    }
    connection.tag = visitors.add { number in
      Visitor(
        connection: connection,
        room: name,
        address: address,
        token: tokens == nil ? nil : request.token,
        grant: grant,
        conversation: Conversation(encoding: encoding, roleMax: grant.role, limits: limits, now: .now()),
        helloTimer: loop.schedule(afterMilliseconds: limits.helloMilliseconds) { self.helloIsDue(number) }
      )
    }
    logger.debug("connected", ["room": .text(name), "address": .text(address)])
  }

  private func turnAway(
    _ connection: Connection,
    _ encoding: WireEncoding,
    _ address: String,
    _ code: CloseCode,
    _ reason: Text
  ) {
    noteRefusal(code.word, address: address, reason: reason.string)
    counts.noteClose(code: code.rawValue)
    connection.send(error: code.word, reason, encoding)
    connection.close(code: code.rawValue, reason: reason.string)
  }

  private func helloIsDue(_ number: Int) {
    guard let visitor = visitors[number], visitor.isAwaitingHello else { return }
    var now = Moment.now()
    // The loop's clock is read once a turn, and may be a little behind.
    if let deadline = visitor.conversation.deadline {
      now.monotonicMilliseconds = max(now.monotonicMilliseconds, deadline)
    }
    perform(visitor.conversation.timePassed(now: now), for: visitor, now: now)
  }
}

extension Connection {
  /// What went wrong, in a word and a sentence.
  func send(error word: String, _ reason: Text, _ encoding: WireEncoding) {
    let message = encoding.encode(.error(code: Text(word), message: reason))
    send(encoding == .json ? MessageFrames(text: message) : MessageFrames(binary: message))
  }
}
