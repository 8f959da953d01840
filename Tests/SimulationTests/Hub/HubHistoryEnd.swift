@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// The end of a history: all faults end, everybody comes to rest, and what must hold is checked.

extension HubHistory {
  /// All operations in the room's log.
  var stored: [Operation] {
    let records = shared.rooms.store.rooms["demo"]?.records ?? []
    return records.flatMap { StoredOperations($0.bytes)?.operations ?? [] }
  }

  private func isQuiet(_ client: HubClient) -> Bool {
    guard let line = client.line, client.replica.state == .live, client.replica.unsentCount == 0 else { return false }
    let cursor = servers[line.server].virtual.hub.assumeIsolated { $0.rooms["demo"]?.room.cursor }
    return client.replica.cursor == cursor
  }

  /// Ends all faults, and waits until no server and no client has work left.
  func settle() {
    heavyShare = 1
    hiccupShare = 0
    for index in servers.indices {
      for _ in 0..<1_200 where servers[index].isStopping && servers[index].isUp { pass(10) }
      start(index)
      servers[index].log.setDown(false)
    }
    for _ in 0..<20 { pass(20) }
    isSettling = true
    if shakyGrant != HubHistory.fullGrant { changeTokens() }
    pass(100)
    lock(0, isLocked: false)
    for index in clients.indices {
      clients[index].stalledUntil = 0
      clients[index].drain = 1_000_000
    }
    for _ in 0..<50 { pass(20) }
    for index in clients.indices where clients[index].isClosed || clients[index].replica.state == .offline {
      run(index) { $0.start(at: $1) }
    }
    waitUntilQuiet()
    for index in clients.indices { run(index) { $0.askDigest(at: $1) } }
    for _ in 0..<50 { pass(20) }
    checkAgreement()
    if failures.isEmpty { changeTokensAtLast() }
    if failures.isEmpty { lockAll() }
    if failures.isEmpty { deleteAtLast() }
    if failures.isEmpty { layOutAtLast() }
    if failures.isEmpty { floodAtLast() }
    if failures.isEmpty { writeTooFastAtLast() }
    if failures.isEmpty { fillMemoryAtLast() }
  }

  /// Whoever's token allows less than before has no more than that, and gets everything back with it.
  private func changeTokensAtLast() {
    changeTokens()
    for _ in 0..<10 { pass(20) }
    checkAccess()
    changeTokens()
    pass(100)
    waitUntilQuiet()
  }

  /// Checks that everyone who is connected has the rights that their token gives now.
  private func checkAccess() {
    let credentials = credentials
    for server in servers {
      let connected = server.virtual.hub.assumeIsolated { hub in
        hub.sessions.all.compactMap { session -> (token: String?, level: Grant.Level, role: Role)? in
          guard case .here(let role, _, _) = session.stage else { return nil }
          return (session.token, session.grant.level, role)
        }
      }
      for (token, level, role) in connected {
        let grant = try? credentials.access(by: token, at: now.wallMilliseconds)
        guard let grant, grant.rooms.contains(where: { $0.matches("demo") }), grant.level == level else {
          fail("\(token ?? "no token") doesn't allow to be in the room any more")
          continue
        }
        if role == .viewer && level == .operator { fail("an operator can't draw") }
      }
    }
  }

  func waitUntilQuiet() {
    var turns = 0
    while !(clients.allSatisfy(isQuiet) && requests.isEmpty), turns < 6_000, failures.isEmpty {
      turns += 1
      pass(20)
      for index in clients.indices where clients[index].isClosed { run(index) { $0.start(at: $1) } }
    }
    for request in requests { fail("a request is not answered: \(request.words)") }
    for client in clients where !isQuiet(client) {
      fail("\(client.name) is \(client.replica.state), with \(client.replica.unsentCount) edits not taken")
    }
    // Lets time pass, because the records of one server are reported to the other servers a little later.
    for _ in 0..<20 { pass(20) }
  }

  /// In a room that is locked everywhere, nothing more is stored. Once it is unlocked, everyone can draw again.
  private func lockAll() {
    guard !stored.isEmpty else { return }
    lock(0, isLocked: true)
    for _ in 0..<20 { pass(100) }
    let count = stored.count
    let isOperator = clients.map { $0.token == HubHistory.operatorToken }
    let operators = clients.indices.filter { isOperator[$0] }.map { clients[$0].replica.actor }
    for server in servers {
      let hasEditor = server.virtual.hub.assumeIsolated { hub in
        guard let audience = hub.rooms["demo"]?.room.audience else { return false }
        return audience.ids.contains { id in
          audience.member(id).map { $0.role == .editor && !operators.contains($0.actor) } ?? false
        }
      }
      if hasEditor { fail("somebody may still edit a locked room") }
    }
    for index in clients.indices where !isOperator[index] { draw(index) }
    for _ in 0..<20 { pass(100) }
    if stored.count > count { fail("something was stored in a locked room") }
    lock(0, isLocked: false)
    pass(100)
    waitUntilQuiet()
    for index in clients.indices { draw(index) }
    waitUntilQuiet()
  }

  /// The room is deleted, so nobody has its drawing any more. Everyone comes back to a new room.
  private func deleteAtLast() {
    deleteRoom(servers.indices.randomElement(using: &random)!)
    pass(100)
    // Once the request is answered, the other servers hear of the deletion, and send their clients away.
    for _ in 0..<2 { waitUntilQuiet() }
    checkAgreement()
  }

  func checkAgreement() {
    var fold = Canvas()
    for operation in stored { fold.apply(operation) }
    for client in clients where client.replica.confirmedDigest != fold.digest {
      fail("\(client.name) has another drawing than the log")
    }
  }

  func check() {
    guard failures.isEmpty else { return }
    checkAgreement()
    let shapes = gone.union(stored.map(\.shape))
    if let lost = promised.subtracting(shapes).min() { fail("\(lost) was acknowledged over HTTP, and is not stored") }
    for client in clients {
      if let lost = client.owed.subtracting(shapes).min() { fail("\(lost), drawn by \(client.name), is not stored") }
    }
    leaveAndStop()
  }

  /// Everyone leaves. The servers close their rooms, and have nothing left to wait for. Then they are stopped.
  private func leaveAndStop() {
    for index in clients.indices { run(index) { $0.stop(at: $1) } }
    for _ in 0..<150 { pass(100) }
    for server in servers {
      let left = server.virtual.hub.assumeIsolated { hub in
        (rooms: hub.rooms.count, sessions: hub.sessions.count, isClear: hub.log.isClear)
      }
      guard left == (0, 0, true), server.virtual.heavyWorkCount == 0 else {
        fail("a server that nobody uses still holds \(left)")
        continue
      }
      let isIdle = server.virtual.hub.assumeIsolated { hub in
        let book = hub.requestBook
        let turns = [book.historyTurns, book.copyTurns, book.listTurns, book.overlapTurns]
        return hub.openingTurns.isIdle && turns.allSatisfy(\.isIdle)
      }
      if !isIdle { fail("a server that nobody uses hasn't got back all turns to open rooms and to read history") }
    }
    for index in servers.indices { stop(index) }
    for _ in 0..<1_200 where servers.contains(where: \.isUp) { pass(10) }
    if servers.contains(where: \.isUp) { fail("a server doesn't stop") }
  }

  static func run(seed: UInt64, steps: Int = 200) -> HubHistory {
    let history = HubHistory(seed: seed)
    for _ in 0..<steps where history.failures.isEmpty { history.take() }
    if history.failures.isEmpty { history.settle() }
    history.check()
    for index in history.servers.indices { history.kill(index) }
    return history
  }
}
