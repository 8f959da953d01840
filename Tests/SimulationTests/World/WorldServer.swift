@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// The servers' processes: how they begin and end, and what the world sees of their hubs.

extension World {
  /// The open room at the node that currently acts. `nil` while the node is down or the room is not open there.
  var open: OpenRoom? { node.room.open }

  // MARK: Beginning and ending

  /// The node's name in the printed story.
  var server: String { nodes.count == 1 ? "The server" : "Node \(here)" }

  mutating func startServer() {
    guard !node.isUp else { return }
    tell("\(server) starts.")
    processes += 1
    node.process = processes
    var line: LogLine!
    node.server = VirtualServer(
      configuration,
      credentials: World.credentials,
      seed: random.next(),
      at: now,
      workMicroseconds: history.dice.sendingMicroseconds ?? 0,
      lookMicroseconds: history.dice.recordMicroseconds ?? 0
    ) { hub in
      line = LogLine { hub.logTold($0) }
      return (line, nodes.count > 1 ? line : nil)
    }
    node.log = line
    report(.opened(secret: nil))
    // The log says at its opening on which timeline it is.
    if disk.timeline != 0 { report(.otherTimeline(disk.timeline, lost: nil)) }
  }

  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.storage = .memory
    configuration.proxies = Proxies("10.0.0.9")!
    configuration.limits = limits
    return configuration
  }

  /// Ends the server's process at once. Only what is on disk survives.
  mutating func crash() {
    guard node.isUp else { return startServer() }
    tell("\(server) is killed.")
    count(.crashed)
    if node.reports.contains(where: { $0.event.id != nil }) { count(.committedNotDelivered) }
    if !node.appends.isEmpty { count(.lostUnsynced) }
    // A random number of the oldest pending appends are stored nevertheless.
    let kept = Int.random(in: 0...node.appends.count, using: &random)
    let unknown = Bool.random(using: &random) ? [] : node.unknown
    let durable = node.appends.prefix(kept).filter { !$0.fails }
    endProcess()
    for append in unknown { turnUp(append.request) }
    for append in durable { try? commit(append.request, isAnswered: false) }
  }

  /// Stores a batch that the log has already reported to the node as failed.
  mutating func turnUp(_ request: AppendRequest) {
    guard (try? commit(request, isAnswered: false)) != nil else { return }
    count(.turnedUp)
    ledger.undecided.formUnion(Disk.stamps(of: request))
  }

  /// Asks the process to end. It ends by itself when everything is stored and sent.
  mutating func stopServer() {
    guard let server = node.server, !node.isStopping else { return startServer() }
    tell("\(self.server) is stopped, and says so.")
    count(.stopped)
    node.isStopping = true
    server.pass(to: now)
    server.hub.assumeIsolated { $0.stop() }
    serve()
  }

  mutating func endProcess() {
    guard let server = node.server else { return }
    end(server, node.log)
    node.letGo()
    for line in lines.indices where lines[line].node == here {
      lines[line].isServed = false
      if lines[line].isOpen { drop(line) }
    }
    forgetDeadLines()
  }

  private func end(_ server: VirtualServer, _ log: LogLine?) {
    server.die { log?.refuseAll() }
    log?.end()
  }

  /// Ends all processes, so that nothing of the history is left in memory.
  func endAll() { for node in nodes { if let server = node.server { end(server, node.log) } } }

  /// Restores an older copy of the whole data directory.
  mutating func restore() {
    if node.isUp, happens(0.5) {
      tell("Somebody copies the data directory.")
      return disk.takeCopy()
    }
    for number in nodes.indices {
      here = number
      if node.isUp { crash() }
    }
    guard let lost = disk.restoreCopy() else { return }
    tell("The copy of the data directory is put back: \(lost.count) records are gone.")
    count(.restored)
    ledger.forgetStored(lost.flatMap(\.operations))
    ledger.areBack(disk.records)
    for number in nodes.indices {
      here = number
      startServer()
    }
  }

  // MARK: An iteration

  mutating func turnServer() {
    guard node.isUp else { return }
    offerLines()
    serve()
    while isCalm || happens(0.7), node.server?.workHeavily() ?? false { serve() }
    guard let room = open?.room else { return }
    if room.isGathering, history.dice.sendingMicroseconds != nil { count(.waitedForBeat) }
    let beats = room.kept.beats
    if beats == 0, node.room.beats > 0 { count(.rested) }
    node.room.beats = beats
  }

  /// Tells the hub which lines can take bytes again.
  private mutating func offerLines() {
    guard let server = node.server else { return }
    server.pass(to: now)
    for line in lines.indices where isServed(line) {
      if lines[line].connection.isFull { count(.partialTake) }
      lines[line].offerRoom()
      server.takesMore(lines[line].connection)
    }
  }

  /// Lets the hub do all that it can do now, and looks at what it has done. To be called after each event, so that the
  /// world sees the effects of one event at a time.
  mutating func serve() {
    guard let server = node.server else { return }
    noteKnownClaims()
    server.turn(at: now)
    takeRequests()
    look()
    if server.exitStatus != nil {
      if server.exitStatus != 0 || !node.isStopping { fail(.waiting, "\(self.server) has ended by itself") }
      endProcess()
    }
  }

  // MARK: What the world sees

  private mutating func look() {
    guard let server = node.server else { return }
    let open = server.hub.assumeIsolated { $0.rooms[Disk.roomName] }
    if open !== node.room.open {
      let isGone = node.room.open != nil && open == nil
      node.room = Node.SeenRoom(
        open: open,
        number: node.room.number + 1,
        life: node.room.lifeLoaded,
        lifeLoaded: node.room.lifeLoaded
      )
      if let open {
        node.isLogInDoubt = node.wasInDoubtAtLoad && node.isToldOfFault
        node.room.liveCount = open.room.canvas.liveCount
        node.room.erasureCount = open.room.canvas.erasureCount
        node.room.position = open.room.position
        node.room.forgottenBefore = open.room.forgottenBefore
        noteMissingDeletions(in: open.room)
        checkCursor()
      } else if isGone {
        tell("  \(self.server) closes the room.")
      }
    }
    lookAtCounts(server)
    lookAtRoom()
    lookAtLines()
    takeAnswers()
  }

  /// Checks that counters only grow, as those of a metric must.
  private mutating func lookAtCounts(_ server: VirtualServer) {
    let counts = server.hub.assumeIsolated { hub in
      hub.rooms.all.reduce(into: hub.counts.closedRooms) { $0.add($1.room.counts) }
    }
    if counts.beats < node.counts.beats { fail(.counters, "the beats of \(self.server) were more before") }
    node.counts = counts
  }

  private mutating func lookAtRoom() {
    guard let open else { return }
    lookAtPresence(open.room.audience)
    if open.room.counts.caughtUp > node.room.caughtUp { count(.fellOff) }
    node.room.caughtUp = open.room.counts.caughtUp
    let erasures = open.room.canvas.erasureCount
    defer { node.room.erasureCount = erasures }
    if open.room.forgottenBefore > node.room.forgottenBefore {
      count(.forgottenEarly)
      let kept = now.wallMilliseconds - limits.erasureMilliseconds
      if history.dice.serverClockErrorMax == 0, open.room.forgottenBefore > kept {
        fail(.forgetting, "a deletion is forgotten that is younger than \(limits.erasureMilliseconds) ms")
      }
    }
    node.room.forgottenBefore = open.room.forgottenBefore
    guard open.room.position > node.room.position else {
      // Nothing was stored, so a snapshot has made the room forget erasures.
      if erasures < node.room.erasureCount { lookAtForgotten(open.room) }
      return
    }
    for record in disk.records.reversed() {
      guard record.position > node.room.position else { break }
      guard record.isLate, record.position <= open.room.position else { continue }
      count(.cameTooLate)
      // This batch was stored too late, so rooms ignore it. This room might have counted on the space that the batch
      // would have freed.
      node.failedBatches += 1
    }
    node.room.position = open.room.position
    checkCursor()
    let (before, after) = (node.room.liveCount, open.room.canvas.liveCount)
    node.room.liveCount = after
    // A room can exceed its limit in two cases: a deletion that the room counted on was not stored, even if the node
    // isn't told yet, or another node wrote something that this node couldn't count.
    let hasFailed = node.failedBatches > 0 || node.failures.contains(where: \.isAppend)
    if after > before, UInt64(after) > limits.shapes, !hasFailed, !ledger.hasForeignRecords, nodes.count == 1 {
      fail(.fullness, "the room has \(after) shapes, and may have \(limits.shapes)")
    }
  }

  /// Checks that nobody's presence is sent more often than the limit says.
  private mutating func lookAtPresence(_ audience: borrowing Audience) {
    // While records take their time, the node's clock is ahead of the history's.
    guard history.dice.recordMicroseconds == nil else { return }
    for id in audience.ids {
      guard let member = audience.member(id), member.presenceTurn > 0 else { continue }
      let before = node.room.shown[id]
      guard before?.turn != member.presenceTurn else { continue }
      node.room.shown[id] = (member.presenceTurn, time)
      guard let before, before.at + limits.presenceMilliseconds > time else { continue }
      fail(.presence, "what \(member.actor) shows is sent again after \(time - before.at) ms")
    }
  }

  mutating func noteForgotten() {
    count(.forgotten)
    ledger.hasForgotten = true
  }

  private mutating func lookAtLines() {
    guard let server = node.server else { return }
    for line in lines.indices where isServed(line) {
      if lines[line].member == nil, lines[line].hello != nil {
        let connection = lines[line].connection
        let member = server.hub.assumeIsolated { hub -> MemberID? in
          guard case .here(_, _, let id) = hub.sessions[connection.tag]?.stage else { return nil }
          return id
        }
        if let member { noteArrival(member, on: line) }
      }
    }
    for line in lines.indices where isServed(line) {
      guard lines[line].connection.closure?.code == CloseCode.actorElsewhere.rawValue else { continue }
      if !lines[line].isSentAway { checkSentAway(line) }
      lines[line].isSentAway = true
    }
  }

  private mutating func takeAnswers() {
    while let place = node.exchanges.firstIndex(where: { $0.request.response != nil }) {
      let (exchange, request) = node.exchanges.remove(at: place)
      if let response = request.response { judge(exchange, response) }
    }
  }

  // MARK: Messages

  mutating func receive(_ bytes: [UInt8], on line: Int) {
    here = lines[line].node
    guard let server = node.server, isServed(line) else { return }
    server.pass(to: now)
    let connection = lines[line].connection
    // A connection holds what arrives while it isn't read from. Whoever sends regardless of that is about to go.
    guard !connection.isReadingPaused else { return serve() }
    func pass() { server.receive(bytes, isText: lines[line].isText, on: connection) }
    switch lines[line].read(bytes, limits) {
    case .hello(let hello) where lines[line].hello == nil:
      lines[line].hello = hello
      noteKnownClaims()
      pass()
    case .operations(let submission):
      if let id = submission.id { lines[line].submitted[id] = submission.operations.compactMap { $0.at } }
      guard lines[line].member != nil, connection.closure == nil, let open else { return pass() }
      let before = open.room.counts
      let space = fullnessJudge(open)
      pass()
      let refusal = RejectCode.allCases.first { open.room.counts.refusals($0) > before.refusals($0) }
      // Only accepted operations are checked, because another operation is allowed to have the stamp of a refused one.
      if let refusal {
        tell("  \(parties[lines[line].party].name) is refused: \(refusal.wireName)")
        judge(refusal, of: submission.operations, open)
      } else if connection.closure == nil, !node.isStopping {
        checkTaken(submission.operations, from: line, open, space)
      }
    default: pass()
    }
    serve()
  }

  /// Whether the node's present process knows the connection.
  func isServed(_ line: Int) -> Bool {
    lines[line].isServed && lines[line].node == here && lines[line].process == node.process
  }

  /// The server learns that a connection has ended.
  mutating func forget(_ line: Int) {
    here = lines[line].node
    guard let server = node.server, time >= node.stillUntil, isServed(line) else { return }
    lines[line].isServed = false
    server.pass(to: now)
    server.lose(lines[line].connection)
    serve()
  }

  // MARK: Cursors

  /// Checks that a cursor never stands for two different histories, even after an older copy of the log was restored.
  /// If it did, a client could get changes that don't fit its drawing.
  private mutating func checkCursor() {
    // The room has the log's records up to its position, unless the log has lost some of them meanwhile.
    guard let open, !open.room.isUnwritten, node.room.life == disk.life else { return }
    let cursor = open.room.cursor.text
    let mark = disk.mark(at: open.room.position)
    if let earlier = ledger.cursors.updateValue(mark, forKey: cursor), earlier != mark {
      fail(.cursors, "the cursor \(cursor) stands for two histories")
    }
  }

  /// Checks what a client gets when it returns with a cursor. If the room has all records up to the cursor, the client
  /// must get only the records after it.
  mutating func checkResumption(from cursor: Cursor?) {
    guard let open, let cursor, let mark = ledger.cursors[cursor.text], node.room.life == disk.life else { return }
    guard let place = open.room.fold.place(of: cursor) else {
      if ledger.lostMarks.contains(mark) { count(.lostCursorRefused) }
      return
    }
    if disk.mark(at: place) != mark { fail(.cursors, "the cursor \(cursor.text) is taken for another history") }
  }
}
