@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// The server: its process, its rooms, and the log below them.

extension World {
  // MARK: Opening and ending

  /// As the hub opens a room that somebody asks for: from the newest snapshot and the records after it.
  mutating func openRoom() {
    guard isUp, room == nil else { return }
    guard let loaded = disk.load() else {
      room = Room(
        name: Text(Disk.roomName),
        epoch: random.next(),
        limits: limits,
        framing: .byLength,
        seed: random.next()
      )
      ledger.isLogInDoubt = false
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
      image: image
    )
    guard let records = disk.read(after: opened.position) else {
      return fail(.past, "the log lacks records after the snapshot at \(opened.position)")
    }
    let now = now
    for record in records { opened.delivered(RoomRecord(record, batch: nil), now: now) }
    if disk.isDown { opened.doubtLog() }
    ledger.isLogInDoubt = disk.isDown
    room = opened
  }

  /// The process ends between any two steps: what the disk has is all that there is.
  mutating func crash() {
    guard isUp else { return startServer() }
    tell("The server is killed.")
    count(.crashed)
    if !disk.reports.isEmpty { count(.committedNotDelivered) }
    if !disk.appends.isEmpty { count(.lostUnsynced) }
    // Of what was on its way, the first so many may be durable all the same.
    let kept = Int.random(in: 0...disk.appends.count, using: &random)
    if Bool.random(using: &random) { disk.unknown = [] }
    for append in disk.unknown { _ = commit(append.request) }
    for append in disk.appends.prefix(kept) where !append.fails { _ = commit(append.request) }
    endProcess(code: nil)
  }

  mutating func stopServer() {
    guard isUp else { return startServer() }
    tell("The server is stopped, and says so.")
    count(.stopped)
    for append in disk.appends where !append.fails { _ = commit(append.request) }
    endProcess(code: .goingAway)
  }

  private mutating func endProcess(code: CloseCode?) {
    room = nil
    overlapOrders = []
    preparations = []
    service.life += 1
    endRequests()
    isUp = false
    ledger.inFlight = []
    ledger.failedBatches = 0
    disk.loseUnsynced()
    for line in lines.indices {
      lines[line].member = nil
      if lines[line].isOpen { drop(line, code: code?.rawValue) }
    }
    lines = []
    for index in parties.indices { parties[index].line = nil }
  }

  mutating func startServer() {
    guard !isUp else { return }
    tell("The server starts.")
    isUp = true
    run = random.next()
  }

  /// An older copy of the data directory is put back as a whole.
  mutating func restore() {
    if isUp, happens(0.5) {
      tell("Somebody copies the data directory.")
      return disk.takeCopy()
    }
    if isUp { stopServer() }
    guard let lost = disk.restoreCopy() else { return }
    tell("The copy of the data directory is put back: \(lost.count) operations are gone.")
    count(.restored)
    ledger.forgetStored(lost)
    startServer()
  }

  mutating func deleteRoom() {
    let stored = disk.records.flatMap(\.operations)
    guard isUp, disk.delete() else { return }
    tell("The room is deleted.")
    count(.roomDeleted)
    ledger.forgetStored(stored)
    disk.reports = []
    let now = now
    room?.close(.noSuchRoom, "the room was deleted", now: now)
    takeEffects()
    room = nil
    overlapOrders = []
    preparations = []
    service.dismissAskers()
    service.life += 1
    disk.appends = []
    disk.failures = []
    disk.unknown = []
    disk.snapshots = []
    ledger.inFlight = []
  }

  // MARK: The log

  mutating func turnLog() {
    if disk.isDown, time >= disk.downUntil {
      tell("The disk can be written again.")
      disk.isDown = false
    }
    guard isUp else { return }
    while let first = disk.appends.first, first.commitsAt <= time {
      disk.appends.removeFirst()
      guard !first.fails else {
        count(.logFailed)
        disk.failures.append((time, first.batch.number))
        if Bool.random(using: &random) { disk.unknown.append(first) }
        continue
      }
      findOut()
      if let appended = commit(first.request) {
        // The loop may be busy with other rooms, while others read what the log has.
        let busy: UInt64 = happens(0.05) ? 200 : 0
        let at = max(disk.reports.last?.at ?? 0, time + delay() + busy)
        disk.reports.append((at, first.batch.number, appended))
      } else {
        disk.failures.append((time, first.batch.number))
      }
    }
    while let first = disk.snapshots.first, first.at <= time {
      disk.snapshots.removeFirst()
      disk.write(first.request, retention: retention)
    }
    while let first = disk.reports.first, first.at <= time {
      disk.reports.removeFirst()
      for record in first.appended.records {
        deliver(record, batch: first.batch, endsBatch: record.position == first.appended.records.last?.position)
        // There is time for others between two records.
        if first.appended.records.count > 1, happens(0.3) { turnRoom() }
      }
      // A log that was in doubt may hand over again what it has handed over.
      if happens(0.03) { for record in first.appended.records { deliver(record, batch: nil) } }
    }
    while let first = disk.failures.first, first.at <= time {
      disk.failures.removeFirst()
      ledger.failedBatches += 1
      ledger.isLogInDoubt = true
      ledger.inFlight.removeAll { $0.number == first.batch }
      room?.failed(batch: first.batch)
    }
    takeEffects()
  }

  /// The log is open again, and has more than it told of.
  private mutating func findOut() {
    for append in disk.unknown {
      guard let appended = commit(append.request) else { continue }
      count(.turnedUp)
      disk.reports.append((max(disk.reports.last?.at ?? 0, time), nil, appended))
    }
    disk.unknown = []
  }

  mutating func commit(_ request: AppendRequest) -> AppendedRecords? {
    disk.commit(request, step: UInt64.random(in: 1...3, using: &random))
  }

  private mutating func deliver(_ record: LogRecord, batch: UInt64?, endsBatch: Bool = true) {
    guard room != nil else { return }
    if endsBatch, let batch {
      ledger.inFlight.removeAll { $0.number == batch }
      ledger.isLogInDoubt = false
    }
    let now = now
    let before = room?.canvas.liveCount ?? 0
    room?.delivered(RoomRecord(record, batch: batch, endsBatch: endsBatch), now: now)
    checkCursor()
    let after = room?.canvas.liveCount ?? 0
    // A deletion that the disk has refused may have been counted on.
    if after > before, UInt64(after) > limits.shapes, ledger.failedBatches == 0, !ledger.hasForeignRecords {
      fail(.fullness, "the room has \(after) shapes, and may have \(limits.shapes)")
    }
  }

  /// Whoever comes back with a cursor is sent what came after it. So a cursor must never stand for another history than the
  /// one that it was given out for, also after an older copy of the log was put back.
  private mutating func checkCursor() {
    guard let room, let mark = disk.mark(at: room.position) else { return }
    let cursor = room.cursor.text
    if let earlier = ledger.cursors.updateValue(mark, forKey: cursor), earlier != mark {
      fail(.cursors, "the cursor \(cursor) stands for two histories")
    }
  }

  var retention: Retention { Retention(ageMillisecondsMax: history.dice.historyMilliseconds) }

  mutating func takeSnapshot() {
    guard let room, room.position > 0 else { return }
    let image = room.image()
    let request = SnapshotRequest(
      id: 0,
      room: Disk.roomName,
      epoch: room.epoch,
      position: image.position,
      shapes: UInt64(image.canvas.liveCount),
      bytes: image.encoded()
    )
    disk.snapshots.append((time + delay(), request))
  }

  mutating func trim() {
    if disk.retain(retention, milliseconds: now.wallMilliseconds) { count(.trimmed) }
  }

  /// Another program writes to the same log.
  mutating func writeFromElsewhere() {
    guard let room, let shape = room.canvas.shapes.randomElement(using: &random)?.id else { return }
    var set = Properties()
    set.rotation = Double(Int.random(in: 0...360, using: &random))
    let actor = Identifier.random(using: &random)
    let stamp = Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor)!
    let operation = Operation(shape: shape, at: stamp, set: set)
    let request = disk.request(
      [[operation]],
      run: random.next(),
      epoch: room.epoch,
      mayCreate: false,
      milliseconds: now.wallMilliseconds
    )
    guard let appended = commit(request) else { return }
    tell("Another program turns \(shape) in the log itself.")
    // It must not overtake what was durable before it.
    disk.reports.append((max(disk.reports.last?.at ?? 0, time), nil, appended))
    count(.foreignRecord)
    ledger.hasForeignRecords = true
  }

  // MARK: The room

  mutating func turnRoom() {
    guard isUp else { return }
    carryOutOrders()
    appendPrepared()
    if time >= restedAt + 1_000 {
      restedAt = time
      let hadBeats = room.map { $0.kept.beats > 0 } ?? false
      let now = now
      service.requestBook.rest(now: time)
      let forgotten = room?.forgottenBefore ?? 0
      room?.rest(now: now)
      if room?.forgottenBefore ?? 0 > forgotten { count(.forgottenEarly) }
      if hadBeats, room?.kept.beats == 0 { count(.rested) }
    }
    guard var room = self.room else { return }
    // One at a time has them, or every change would copy all.
    self.room = nil
    let caughtUp = room.counts.caughtUp
    if room.isFlushDue(now: now) { room.flush(now: now) }
    var lines = lines
    self.lines = []
    var partial = 0
    let write = { (id: MemberID, bytes: UnsafeRawBufferPointer) -> Int in
      guard let line = lines.firstIndex(where: { $0.member == id }) else { return 0 }
      let taken = lines[line].take(bytes)
      if taken < bytes.count {
        lines[line].isBlocked = true
        if taken > 0 { partial += 1 }
      }
      return taken
    }
    sendAll(&room, now, write)
    for line in lines.indices where lines[line].isBlocked && lines[line].hasRoom {
      lines[line].isBlocked = false
      if let member = lines[line].member { room.writable(member, now: now, write) }
      sendAll(&room, now, write)
    }
    for _ in 0..<partial { count(.partialTake) }
    if room.counts.caughtUp > caughtUp { count(.fellOff) }
    self.lines = lines
    self.room = room
    takeEffects()
  }

  /// As the hub does: to a few at a time, until nobody is left.
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

  /// The server reads a message from a connection.
  mutating func receive(_ bytes: [UInt8], on line: Int) {
    openRoom()
    let now = now
    let isText = lines[line].conversation.encoding.isText
    let step = bytes.withUnsafeBytes { lines[line].conversation.received($0, isText: isText, now: now) }
    if case .submit(let submission) = step {
      if let id = submission.id { lines[line].submitted[id] = submission.operations.compactMap { $0.at } }
      guard let member = lines[line].member else { return }
      let refusal = judged(submission.operations) { $0.submit(submission, from: member, now: now) }
      // The stamp of what was refused may be given out again.
      if refusal == nil, lines[line].isOpen { checkStamps(of: submission.operations, by: lines[line].party) }
      if let refusal { tell("  \(parties[lines[line].party].name) is refused: \(refusal.wireName)") }
    } else {
      let encoding = lines[line].conversation.encoding
      var (member, random) = (lines[line].member, random)
      let code = room?.take(step, from: &member, encoding: encoding, now: now, using: &random)
      lines[line].member = member
      self.random = random
      if let code {
        lines[line].closeCode = code.rawValue
        forget(line)
      }
    }
    takeEffects()
  }

  /// The server gives a connection up.
  mutating func forget(_ line: Int) {
    guard let member = lines[line].member else { return }
    let now = now
    lines[line].member = nil
    room?.leave(member, now: now)
    takeEffects()
  }

  /// What rooms want done to their overlaps takes a while, beside everything else.
  private mutating func carryOutOrders() {
    while let (order, due) = overlapOrders.first, due <= time {
      overlapOrders.removeFirst()
      let now = now
      if let outcome = order.carryOut() { room?.overlapsDone(outcome, now: now) }
      takeEffects()
    }
  }

  private mutating func appendPrepared() {
    while let (batch, due) = preparations.first, due <= time {
      preparations.removeFirst()
      append(batch)
    }
  }

  mutating func takeEffects() {
    guard let effects = room?.takeEffects() else { return }
    for effect in effects {
      switch effect {
      case .append(let batch):
        ledger.inFlight.append((batch.number, batch.operations))
        append(batch)
      case .prepare(let layout):
        let batch = layout.stamped()
        ledger.inFlight.append((batch.number, batch.operations))
        preparations.append((batch, time + time % 40))
      case .answered(let number, let outcome):
        service.submitters.removeValue(forKey: number)?.resume(returning: outcome)
      case .overlaps(let order): overlapOrders.append((order, time + time % 50))
      case .overlapsAnswered(let request, let index, let cursor):
        service.askers.removeValue(forKey: request)?.resume(returning: SettledOverlaps(index: index, cursor: cursor))
      case .close(let member, let code, _, _):
        if code == .actorElsewhere { count(.actorElsewhere) }
        guard let line = lines.firstIndex(where: { $0.member == member }) else { continue }
        lines[line].member = nil
        lines[line].conversation.closed()
        lines[line].closeCode = code.rawValue
      case .pauseReading(let member):
        count(.pausedReading)
        if let line = lines.firstIndex(where: { $0.member == member }) { lines[line].isReadingPaused = true }
      case .resumeReading(let member):
        if let line = lines.firstIndex(where: { $0.member == member }) { lines[line].isReadingPaused = false }
      // There is one node.
      case .tell, .differs: break
      }
    }
  }

  private mutating func append(_ batch: Batch) {
    guard let room else { return }
    let took = UInt64.random(in: 0...history.dice.commitMillisecondsMax, using: &random)
    let request = disk.request(
      batch.parts(operationsMax: Int(limits.operationsPerMessage)),
      run: room.knows(run: run) ? nil : run,
      epoch: room.epoch,
      mayCreate: room.isUnwritten,
      milliseconds: now.wallMilliseconds
    )
    disk.appends.append(
      Disk.Append(
        batch: batch,
        request: request,
        commitsAt: max(disk.appends.last?.commitsAt ?? 0, time + took),
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
