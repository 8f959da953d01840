@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// A server: its process and its room.

extension World {
  // MARK: Opening and ending

  /// Opens the room from its newest snapshot and the records after it, as the server's hub does.
  mutating func openRoom() {
    guard node.isUp, room == nil, !isCutOff else { return }
    // If a failover has happened, the node is told of it before its request to the log is answered.
    takeNotice()
    node.life = disk.life
    node.mark = Disk.noMark
    node.inLog = RoomInLog(isStored: false)
    node.proposals = 0
    let company = nodes.count > 1 ? Company(number: node.number) : nil
    guard let loaded = disk.load() else {
      room = Room(
        name: Text(Disk.roomName),
        epoch: random.next(),
        limits: limits,
        framing: .byLength,
        seed: random.next(),
        company: company
      )
      node.isLogInDoubt = false
      return
    }
    let seed = random.next()
    var image: RoomImage?
    if let stored = loaded.snapshot {
      image = try? RoomImage(stored.bytes, seed: seed)
      if image?.position != stored.place.position { fail(.past, "a snapshot can't be read") }
      count(.snapshotUsed)
    }
    var opened = Room(
      name: Text(Disk.roomName),
      epoch: loaded.summary.epoch,
      limits: limits,
      framing: .byLength,
      seed: seed,
      image: image,
      company: company
    )
    guard let records = disk.read(after: opened.position) else {
      return fail(.past, "the log lacks records after the snapshot at \(opened.position)")
    }
    let now = now
    do throws(MissingRecord) {
      for record in records { try opened.delivered(RoomRecord(record, batch: nil), now: now) }
    } catch {
      return fail(.past, "the log lacks record \(error.position) after the snapshot")
    }
    if disk.isDown { opened.doubtLog() }
    node.isLogInDoubt = disk.isDown
    node.inLog = RoomInLog(isStored: true)
    node.mark = disk.mark(at: opened.position)
    room = opened
    checkCursor()
  }

  /// Ends the server's process at once. Only what is on disk survives.
  mutating func crash() {
    guard node.isUp else { return startServer() }
    tell("\(server) is killed.")
    count(.crashed)
    if !node.reports.isEmpty { count(.committedNotDelivered) }
    if !node.appends.isEmpty { count(.lostUnsynced) }
    // A random number of the oldest pending appends are stored nevertheless.
    let kept = Int.random(in: 0...node.appends.count, using: &random)
    if Bool.random(using: &random) { node.unknown = [] }
    let durable = node.unknown + node.appends.prefix(kept).filter { !$0.fails }
    endProcess(code: nil)
    for append in durable { try? commit(append) }
  }

  mutating func stopServer() {
    guard node.isUp else { return startServer() }
    tell("\(server) is stopped, and says so.")
    count(.stopped)
    let durable = node.appends.filter { !$0.fails }
    endProcess(code: .goingAway)
    for append in durable { try? commit(append) }
  }

  private mutating func endProcess(code: CloseCode?) {
    room = nil
    node.service.life += 1
    endRequests()
    node.isUp = false
    node.failedBatches = 0
    node.notice = nil
    node.letGo()
    node.stillUntil = 0
    node.cutOffUntil = 0
    for line in lines.indices where lines[line].node == here {
      lines[line].member = nil
      if lines[line].isOpen { drop(line, code: code?.rawValue) }
    }
    forgetDeadLines()
  }

  /// The node's name in the printed story.
  var server: String { nodes.count == 1 ? "The server" : "Node \(here)" }

  mutating func startServer() {
    guard !node.isUp else { return }
    tell("\(server) starts.")
    node.isUp = true
    node.number = random.next()
    node.run = Run(number: node.number, timeline: disk.timeline)
  }

  /// Restores an older copy of the whole data directory.
  mutating func restore() {
    if node.isUp, happens(0.5) {
      tell("Somebody copies the data directory.")
      return disk.takeCopy()
    }
    for number in nodes.indices {
      here = number
      if node.isUp { stopServer() }
    }
    guard let lost = disk.restoreCopy() else { return }
    tell("The copy of the data directory is put back: \(lost.count) records are gone.")
    count(.restored)
    ledger.forgetStored(lost.flatMap(\.operations))
    ledger.areThere(disk.records)
    for number in nodes.indices {
      here = number
      startServer()
    }
  }

  mutating func deleteRoom() {
    let stored = disk.records.flatMap(\.operations)
    guard node.isUp, let epoch = disk.epoch, disk.delete() else { return }
    tell("The room is deleted.")
    count(.roomDeleted)
    ledger.forgetStored(stored)
    for other in nodes.indices where other != here { report(.deleted(epoch: epoch), to: other, after: lag()) }
    closeRoom(.noSuchRoom, "the room was deleted")
  }

  /// Closes this node's room, because it no longer agrees with the log.
  mutating func closeRoom(_ code: CloseCode, _ reason: Text) {
    node.reports = []
    node.leftOut = []
    let now = now
    room?.close(code, reason, now: now)
    takeEffects()
    room = nil
    node.letGo()
    node.service.roomIsGone()
    node.service.life += 1
  }

  // MARK: The room

  mutating func turnRoom() {
    guard node.isUp else { return }
    carryOutOrders()
    appendPrepared()
    if time >= node.restedAt + 1_000 {
      node.restedAt = time
      let hadBeats = room.map { $0.kept.beats > 0 } ?? false
      let now = now
      node.service.requestBook.rest(now: time)
      room?.rest(now: now)
      if hadBeats, room?.kept.beats == 0 { count(.rested) }
    }
    guard var room = self.room else { return }
    // Takes the room out of its property. With a second reference to it, every change would copy the room.
    self.room = nil
    let caughtUp = room.counts.caughtUp
    if room.isFlushDue(now: now) { room.flush(now: now) }
    var lines = lines
    self.lines = []
    let here = here
    var partial = 0
    let write = { (id: MemberID, bytes: UnsafeRawBufferPointer) -> Int in
      guard let line = lines.firstIndex(where: { $0.node == here && $0.member == id }) else { return 0 }
      let taken = lines[line].take(bytes)
      if taken < bytes.count {
        lines[line].isBlocked = true
        if taken > 0 { partial += 1 }
      }
      return taken
    }
    sendAll(&room, now, write)
    for line in lines.indices where lines[line].node == here && lines[line].isBlocked && lines[line].hasRoom {
      lines[line].isBlocked = false
      if let member = lines[line].member { room.writable(member, now: now, write) }
      sendAll(&room, now, write)
    }
    if let took = history.dice.sendingMicroseconds {
      room.sendingTook(microseconds: took, seats: room.memberCount)
      if room.isGathering { count(.waitedForBeat) }
    }
    for _ in 0..<partial { count(.partialTake) }
    if room.counts.caughtUp > caughtUp { count(.fellOff) }
    self.lines = lines
    self.room = room
    takeEffects()
  }

  /// Sends to a few readers at a time until all are served, as the server's hub does.
  private mutating func sendAll(
    _ room: inout Room,
    _ now: Moment,
    _ write: (MemberID, UnsafeRawBufferPointer) -> Int
  ) {
    var turns = 0
    while room.hasUnsent {
      room.send(now: now, seatsMax: 2, write)
      turns += 1
      if turns > 1_000 { return fail(.waiting, "the room never ends to have something to send") }
    }
  }

  mutating func receive(_ bytes: [UInt8], on line: Int) {
    here = lines[line].node
    openRoom()
    guard room != nil else { return turnAway(line) }
    let now = now
    let isText = lines[line].conversation.encoding.isText
    let step = bytes.withUnsafeBytes { lines[line].conversation.received($0, isText: isText, now: now) }
    if case .submit(let submission) = step {
      if let id = submission.id { lines[line].submitted[id] = submission.operations.compactMap { $0.at } }
      guard let member = lines[line].member else { return }
      let refusal = judged(submission.operations) { $0.submit(submission, from: member, now: now) }
      // Only accepted operations are checked, because another operation is allowed to have the stamp of a refused one.
      if refusal == nil, lines[line].isOpen { checkStamps(of: submission.operations, by: lines[line].party) }
      if let refusal { tell("  \(parties[lines[line].party].name) is refused: \(refusal.wireName)") }
    } else {
      let encoding = lines[line].conversation.encoding
      if case .join(let hello, _) = step, nodes.count > 1, room?.isBehind(hello.since) == true {
        count(.caughtUp)
        guard catchUp() else { return turnAway(line) }
        openRoom()
      }
      var known: Member?
      if case .join(let hello, _) = step {
        checkResumption(from: hello.since)
        known = hello.actor.flatMap { room?.audience.member(of: $0) }
      }
      var (member, random) = (lines[line].member, random)
      let party = parties[lines[line].party].address
      let code = room?.take(step, from: &member, at: party, encoding: encoding, now: now, using: &random)
      lines[line].member = member
      self.random = random
      if case .join = step, let member {
        noteArrival(member, known: known)
        if room?.hasPausedReading(from: member) == true { count(.longWelcome) }
        if room?.memberCount ?? 0 >= 8 { count(.crowdCame) }
      }
      if let code {
        lines[line].closeCode = code.rawValue
        forget(line)
      }
    }
    takeEffects()
  }

  /// Refuses a connection, because the server can't read the room.
  private mutating func turnAway(_ line: Int) {
    lines[line].conversation.closed()
    lines[line].closeCode = CloseCode.goingAway.rawValue
  }

  /// Closes a connection from the server's side.
  mutating func forget(_ line: Int) {
    here = lines[line].node
    guard time >= node.stillUntil, let member = lines[line].member else { return }
    let now = now
    lines[line].member = nil
    room?.leave(member, now: now)
    takeEffects()
  }

  /// Carries out the pending orders to compute overlaps, if their time has come.
  private mutating func carryOutOrders() {
    while let (order, due) = node.overlapOrders.first, due <= time {
      node.overlapOrders.removeFirst()
      let now = now
      if let outcome = order.carryOut() { room?.overlapsDone(outcome, now: now) }
      takeEffects()
    }
  }

  private mutating func appendPrepared() {
    while let (batch, due, run, timeline) = node.preparations.first, due <= time {
      node.preparations.removeFirst()
      append(batch, run: run, timeline: timeline)
    }
  }

  mutating func takeEffects() {
    guard let effects = room?.takeEffects() else { return }
    for effect in effects {
      switch effect {
      case .append(let batch):
        node.inFlight.append((batch.number, batch.operations))
        append(batch, run: unknownRun, timeline: node.run.timeline)
      case .prepare(let layout):
        let batch = layout.stamped()
        node.inFlight.append((batch.number, batch.operations))
        node.preparations.append((batch, time + time % 40, unknownRun, node.run.timeline))
      case .answered(let number, let outcome):
        node.service.storing.answer(number, with: outcome)
      case .overlaps(let order): node.overlapOrders.append((order, time + time % 50))
      case .overlapsAnswered(let request, let index, let cursor):
        node.service.settling.answer(request, with: SettledOverlaps(index: index, cursor: cursor))
      case .close(let member, let code, _, _):
        if code == .actorElsewhere { checkSentAway(member) }
        guard let line = line(of: member) else { continue }
        lines[line].member = nil
        lines[line].conversation.closed()
        lines[line].closeCode = code.rawValue
      case .pauseReading(let member):
        count(.pausedReading)
        if let line = line(of: member) { lines[line].isReadingPaused = true }
      case .resumeReading(let member):
        if let line = line(of: member) { lines[line].isReadingPaused = false }
      case .tell(let parts) where isQueueFull: for _ in parts { count(.lostNews) }
      case .tell(let parts): for bytes in parts { tellOthers(bytes) }
      case .differs:
        fail(.agreement, "\(server) is told that another node has another room at the same place")
      }
    }
  }

  private func line(of member: MemberID) -> Int? { lines.firstIndex { $0.node == here && $0.member == member } }

  private var unknownRun: UInt64? { room.flatMap { node.run.numberUnknown(to: $0) } }

  private mutating func append(_ batch: Batch, run: UInt64?, timeline: UInt64) {
    guard let room else { return }
    guard !isCutOff else { return refuse(batch.number, .unavailable(World.cutOffFault), at: time + delay()) }
    if let share = history.dice.fullQueueShare, !isCalm, happens(share) {
      node.fullUntil = time + UInt64.random(in: 0...500, using: &random)
      count(.queueFull)
    }
    guard !isQueueFull else { return refuse(batch.number, .busy(queuedBytes: 64 << 20), at: time + delay()) }
    let took = UInt64.random(in: 0...history.dice.commitMillisecondsMax, using: &random)
    var proposals = node.proposals
    let epoch = node.inLog.epochToAppend(to: room) {
      proposals += 1
      return room.epoch &+ proposals
    }
    node.proposals = proposals
    let request = disk.request(
      batch,
      operationsMax: Int(limits.operationsPerMessage),
      run: run,
      epoch: epoch,
      mayCreate: !node.inLog.isStored,
      milliseconds: now.wallMilliseconds,
      timeline: timeline
    )
    node.appends.append(
      Node.Append(
        batch: batch,
        request: request,
        commitsAt: max(node.appends.last?.commitsAt ?? 0, time + took),
        fails: disk.isDown
      )
    )
  }
}

extension RoomRecord {
  init(_ record: LogRecord, batch: UInt64?, endsBatch: Bool = true) {
    let stored = StoredOperations(record.bytes) ?? StoredOperations(run: nil, operations: [])
    self.init(record, stored, batch: batch, endsBatch: endsBatch)
  }
}
