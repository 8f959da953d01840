@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import sync_client

// Connections, and how they fail.

extension World {
  mutating func connect(_ index: Int) {
    parties[index].wantsConnection = false
    if nodes.count > 1 {
      here = nodes.indices.randomElement(using: &random)!
      if let before = parties[index].node, before != here { count(.moved) }
      parties[index].node = here
    }
    let encoding = parties[index].replica?.configuration.encoding ?? .binary
    guard time >= partitionedUntil, let connection = dial(encoding, from: parties[index].address) else {
      return run(index, { $0.disconnected(closeCode: nil, at: $1) }, { $0.disconnected(closeCode: 1_006, at: $1) })
    }
    connection.room = parties[index].drain
    lines.append(line(connection, of: index, encoding, link: parties[index].link.map { Carriage($0, at: time) }))
    parties[index].line = lines.count - 1
    if nodes.count > 1 { tell("  \(parties[index].name) connects to node \(here).") }
    if parties[index].replica?.cursor != nil { count(.resumed) }
    run(index, { $0.connected(at: $1) }, { $0.connected(at: $1) })
  }

  /// Opens a WebSocket to the node that currently acts.
  /// - Returns: `nil` if the node doesn't answer, or refuses.
  mutating func dial(_ encoding: WireEncoding, from address: String) -> VirtualConnection? {
    guard let server = node.server, time >= node.stillUntil else { return nil }
    server.pass(to: now)
    return server.connect(encoding, to: Disk.roomName, from: address, token: Token.editor.rawValue)
  }

  mutating func line(_ connection: VirtualConnection, of party: Int, _ encoding: WireEncoding, link: Carriage?) -> Line
  {
    lastLine += 1
    return Line(
      number: lastLine,
      party: party,
      node: here,
      process: node.process,
      connection,
      isText: encoding.isText,
      link: link
    )
  }

  /// Closes the client's end of a connection. The server notices later.
  mutating func hangUp(_ line: Int) {
    let party = lines[line].party
    if parties[party].line == line {
      parties[party].line = nil
      parties[party].pairs = []
      parties[party].hasPairs = false
    }
    lines[line].lose()
    lines[line].isOpen = false
    if happens(0.5) { forget(line) }
  }

  /// Drops a connection. Everything in transit is lost in both directions.
  mutating func drop(_ line: Int, code: UInt16? = nil) {
    guard lines[line].isOpen else { return }
    count(.lostConnection)
    let party = lines[line].party
    if parties[party].replica?.state == .loading { count(.cutState) }
    if !lines[line].toServer.isEmpty { count(.lostSubmission) }
    if !lines[line].isRead { count(.lostAnswer) }
    // Some of the messages to the server might have arrived before the connection was dropped.
    while !lines[line].toServer.isEmpty, happens(0.3), isServing(line) {
      let bytes = lines[line].toServer.removeFirst().bytes
      receive(bytes, on: line)
    }
    lines[line].toServer = []
    guard lines[line].isOpen else { return }
    hangUp(line)
    run(
      party,
      { $0.disconnected(closeCode: code, at: $1) },
      { $0.disconnected(closeCode: code ?? 1_006, at: $1) }
    )
  }

  mutating func turnLines() {
    for line in lines.indices {
      guard line < lines.count else { return }
      if !lines[line].isOpen {
        if lines[line].isServed, happens(0.05) { forget(line) }
        continue
      }
      guard time >= lines[line].hushedUntil else { continue }
      if lines[line].hushedUntil > 0 {
        // Both sides have closed the silent connection by now, each after its own timeout.
        drop(line, code: happens(0.5) ? CloseCode.noSignOfLife.rawValue : nil)
        continue
      }
      while isServing(line), line < lines.count, lines[line].isOpen, let first = lines[line].toServer.first,
        first.at <= time,
        !lines[line].connection.isReadingPaused
      {
        lines[line].toServer.removeFirst()
        receive(first.bytes, on: line)
      }
      if line < lines.count { drain(line) }
    }
  }

  /// Whether the node at the other end runs and is not suspended.
  private func isServing(_ line: Int) -> Bool {
    let node = nodes[lines[line].node]
    return lines[line].isServed && lines[line].process == node.process && time >= node.stillUntil
  }

  /// Lets the client read what has arrived, at most `drain` bytes.
  private mutating func drain(_ line: Int) {
    let party = lines[line].party
    here = lines[line].node
    guard lines[line].isOpen else { return }
    let isStalled = time < parties[party].stalledUntil
    lines[line].carry(until: time, drain: isStalled ? nil : parties[party].drain)
    guard !isStalled else { return }
    let isText = lines[line].isText
    for message in lines[line].takeMessages() {
      guard lines[line].isOpen else { return }
      let tooOld = witness(message, isText: isText, on: line)
      let flights = parties[party].replica?.outbox.flights.map(\.id) ?? []
      run(
        party,
        { $0.received(message, isText: isText, at: $1) },
        { writer, now in message.withUnsafeBytes { writer.received($0, at: now) } }
      )
      if let tooOld { checkOutbox(of: party, after: tooOld.stamp, besides: Set(flights).subtracting([tooOld.message])) }
    }
    guard lines[line].isOpen, lines[line].hasArrived, let code = lines[line].connection.closure?.code else { return }
    if code == CloseCode.tooMany.rawValue || code == CloseCode.malformed.rawValue {
      fail(.protocolWords, "\(parties[party].name) is closed with \(code)")
    }
    hangUp(line)
    run(
      party,
      { $0.disconnected(closeCode: code, at: $1) },
      { $0.disconnected(closeCode: code, at: $1) }
    )
  }

  /// Checks the outbox after an edit was refused as too old. The outbox must have dropped all edits that are at least
  /// as old, except those in other messages that are in flight.
  private mutating func checkOutbox(of party: Int, after stamp: Stamp, besides messages: Set<UInt64>) {
    guard let outbox = parties[party].replica?.outbox else { return }
    let others = outbox.flights.filter { messages.contains($0.id) }
    let excused = Set(others.flatMap { $0.pending.map(\.operation.at) })
    var left = 0
    outbox.forEach { pending in
      let at = pending.operation.at
      if at.milliseconds <= stamp.milliseconds, !excused.contains(at) { left += 1 }
    }
    if left > 0 { fail(.tooOld, "\(parties[party].name) keeps \(left) edits that are as old") }
  }

  /// Records what a server message promises to the client, and checks it against the earlier messages.
  /// - Returns: the stamp of an operation that was refused as too old, and the number of its message.
  private mutating func witness(_ bytes: [UInt8], isText: Bool, on line: Int) -> (stamp: Stamp, message: UInt64)? {
    let message =
      isText ? try? JSONEncoding.decodeServerMessage(bytes) : try? BinaryEncoding.decodeServerMessage(bytes)
    let name = parties[lines[line].party].name
    if UInt64(bytes.count) > limits.messageBytes { fail(.bounds, "\(name) is sent \(bytes.count) bytes at once") }
    switch message {
    case .welcome(let welcome):
      tell("  \(name) is welcome as \(welcome.actor), to \(welcome.peers.count) others.")
      lines[line].people = Set(welcome.peers.map(\.actor))
      lines[line].isWelcome = true
      if parties[lines[line].party].hasPart { parties[lines[line].party].hadPart = true }
    case .operations(let delivery):
      if delivery.reset { count(.reset) }
      checkCursor(of: delivery, on: line)
      parties[lines[line].party].hasPart = delivery.more
      switch delivery.content {
      case .operations(let operations): for operation in operations { ledger.seen.insert(operation.at) }
      case .state(let part): for operation in part.operations { ledger.seen.insert(operation.at) }
      }
    case .acknowledgement(let answer):
      guard let id = answer.id, let stamps = lines[line].submitted[id] else { return nil }
      ledger.acknowledged.formUnion(stamps)
    case .rejection(let rejection):
      note(rejection.code)
      guard rejection.code == .tooOld, let id = rejection.id, let message = id.wholeNumber,
        let place = rejection.operation, let stamps = lines[line].submitted[id], stamps.indices.contains(place)
      else { return nil }
      return (stamps[place], message)
    case .join(let peer):
      tell("  \(name) is told that \(peer.actor) joins.")
      if !lines[line].people.insert(peer.actor).inserted {
        fail(.presence, "\(name) is told that \(peer.actor) joins, who is here")
      }
    case .leave(let actor):
      tell("  \(name) is told that \(actor) leaves.")
      if lines[line].people.remove(actor) == nil {
        fail(.presence, "\(name) is told that \(actor) leaves, who is not here")
      }
    case .presence(let states):
      for state in states where !lines[line].people.contains(state.actor) {
        let own = parties[lines[line].party].replica?.actor
        if state.actor != own { fail(.presence, "\(name) is shown \(state.actor), who is not here") }
      }
    case .error(let code, let words):
      if code.string == "unknown_type" { fail(.protocolWords, "\(name) is told \(words)") }
    case .overlaps(let notice):
      if !lines[line].pairs.isDisjoint(with: notice.began) || !lines[line].pairs.isSuperset(of: notice.ended) {
        let known = lines[line].pairs.intersection(notice.began)
        let unknown = Set(notice.ended).subtracting(lines[line].pairs)
        fail(.overlaps, "\(name) is told that \(known) begin, which it knows, and \(unknown) end, which it doesn't")
      }
      lines[line].pairs.formUnion(notice.began)
      lines[line].pairs.subtract(notice.ended)
    case .pong, .digest, .token, .crowd: break
    case nil: fail(.protocolWords, "\(name) is sent \(bytes.count) bytes that are no message")
    }
    return nil
  }

  /// Checks that a client which has got only some messages of a state or of a beat goes on from where it was before.
  private mutating func checkCursor(of delivery: Delivery, on line: Int) {
    let position = RoomCursor(delivery.cursor)?.position ?? 0
    guard delivery.more else { return lines[line].position = position }
    let complete = lines[line].position ?? lines[line].hello?.since.flatMap { RoomCursor($0) }?.position ?? 0
    if position > complete {
      fail(.cursors, "\(parties[lines[line].party].name) is told \(position) before it has all of it")
    }
  }

  private mutating func note(_ code: RejectCode) {
    switch code {
    case .tooOld: count(.tooOld)
    case .unavailable: count(.unavailable)
    default: break
    }
  }
}
