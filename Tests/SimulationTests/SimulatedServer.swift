import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

// The server's side: what its loop would do, and what may befall it.

extension Simulation {
  /// From the log alone: its newest snapshot and the records after it.
  mutating func openRoom() {
    let epoch = log.epoch ?? nextEpoch
    nextEpoch &+= 1
    var image: RoomImage?
    if let stored = log.image {
      image = try? RoomImage(stored.bytes, seed: seed)
      #expect(image?.position == stored.position, "seed \(seed)")
      count(.snapshotUsed)
    }
    var room = Room(
      name: "demo",
      epoch: epoch,
      limits: limits,
      framing: .byLength,
      seed: seed,
      image: image
    )
    let now = now
    for record in log.records { room.delivered(record, now: now) }
    self.room = room
  }

  /// The process ends between any two steps: what the log has is all that there is.
  mutating func crash() {
    guard room != nil else { return }
    count(.serverCrash)
    if !log.reports.isEmpty { count(.committedNotDelivered) }
    if !log.appends.isEmpty { count(.halfBatchLost) }
    room = nil
    if log.isUnsure() { log.unknown = [] }
    findOut()
    // A commit under way may still have been made.
    let kept = Int.random(in: 0...log.appends.count, using: &random)
    for append in log.appends.prefix(kept) where !append.fails { _ = commit(append) }
    log.appends = []
    log.reports = []
    log.failures = []
    for line in lines.indices where lines[line].isOpen {
      lines[line].member = nil
      drop(line, code: happens(0.5) ? CloseCode.goingAway.rawValue : nil)
    }
    lines = []
    for index in peers.indices { peers[index].line = nil }
  }

  /// The log is open again, and has more than it told of.
  mutating func findOut() {
    for append in log.unknown {
      count(.turnedUp)
      log.reports.append((max(log.reports.last?.at ?? 0, time), commit(append, isExpected: false)))
    }
    log.unknown = []
  }

  private mutating func commit(_ append: SimulatedLog.Append, isExpected: Bool = true) -> RoomRecord {
    log.epoch = append.epoch
    return log.append(
      append.batch.operations,
      milliseconds: now.wallMilliseconds,
      batch: isExpected ? append.batch.number : nil,
      gap: UInt64.random(in: 1...3, using: &random)
    )
  }

  mutating func takeSnapshot() {
    guard let room, room.position > 0 else { return }
    let image = room.image()
    log.image = (image.position, image.encoded())
  }

  /// Another node writes to the same log.
  mutating func writeFromElsewhere() {
    guard let room, let shape = room.canvas.shapes.randomElement(using: &random)?.id else { return }
    var set = Properties()
    set.rotation = Double(Int.random(in: 0...360, using: &random))
    let stamp = Stamp(
      milliseconds: now.wallMilliseconds,
      counter: 0,
      actor: Identifier.random(using: &random)
    )!
    let record = log.append(
      [Operation(shape: shape, at: stamp, set: set)],
      milliseconds: now.wallMilliseconds,
      batch: nil,
      gap: 2
    )
    // It must not overtake what was durable before it.
    log.reports.append((max(log.reports.last?.at ?? 0, time), record))
    count(.foreignRecord)
  }

  /// Someone writes without a connection: to a shape that there is, and a new one.
  mutating func request(using chance: inout SeededGenerator) {
    guard room != nil else { return }
    let now = now
    let number = UInt64(requests.count + 1)
    let actor = Identifier.random(using: &chance)
    let stamp = Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor)!
    var set = Properties()
    set.kind = .star
    var operations = [ProposedOperation(shape: Identifier.random(using: &chance), at: stamp, set: set)]
    set = Properties()
    set.alpha = Int16.random(in: 1...10, using: &chance)
    if let shape = room?.canvas.shapes.randomElement(using: &chance)?.id {
      operations.append(ProposedOperation(shape: shape, at: Bool.random(using: &chance) ? stamp : nil, set: set))
    }
    requests[number] = operations.compactMap { $0.at }
    room?.submit(operations, request: number, actor: actor, now: now)
    takeEffects()
  }

  // MARK: The loop

  /// Once a second, as the hub has it.
  mutating func stepRest() {
    guard otherChance != nil, time >= restedAt + 1_000 else { return }
    restedAt = time
    let now = now
    let hadBeats = room.map { $0.kept.beats > 0 } ?? false
    room?.rest(now: now)
    if hadBeats, room?.kept.beats == 0 { count(.rested) }
  }

  mutating func stepLog() {
    guard room != nil else { return }
    let moment = now
    while let first = log.appends.first, first.commitsAt <= time {
      log.appends.removeFirst()
      if first.fails {
        count(.unavailable)
        log.failures.append((time, first.batch.number))
        if log.isUnsure() { log.unknown.append(first) }
      } else {
        findOut()
        let record = commit(first)
        log.reports.append((max(log.reports.last?.at ?? 0, time + UInt64.random(in: 0...6, using: &random)), record))
      }
    }
    while let first = log.reports.first, first.at <= time {
      log.reports.removeFirst()
      room?.delivered(first.record, now: moment)
    }
    while let first = log.failures.first, first.at <= time {
      log.failures.removeFirst()
      room?.failed(batch: first.batch)
    }
    takeEffects()
  }

  mutating func stepRoom() {
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
      let taken = min(bytes.count, lines[line].room)
      lines[line].room -= taken
      if lines[line].isOpen { lines[line].toClient.append(contentsOf: bytes.prefix(taken)) }
      if taken < bytes.count {
        lines[line].isBlocked = true
        if taken > 0 { partial += 1 }
      }
      return taken
    }
    room.send(now: now, write)
    for line in lines.indices where lines[line].isBlocked && lines[line].room > 0 {
      lines[line].isBlocked = false
      if let member = lines[line].member { room.writable(member, now: now, write) }
    }
    for _ in 0..<partial { count(.partialTake) }
    if room.counts.caughtUp > caughtUp { count(.fellOff) }
    self.lines = lines
    self.room = room
    takeEffects()
  }

  mutating func stepLines() {
    for line in lines.indices {
      guard room != nil, line < lines.count else { return }
      if !lines[line].isOpen {
        // The server hears of a lost connection late.
        if lines[line].member != nil, happens(0.05) { forget(line) }
        continue
      }
      while line < lines.count, let first = lines[line].toServer.first, first.at <= time, !lines[line].isReadingPaused {
        lines[line].toServer.removeFirst()
        receive(first.bytes, on: line)
      }
      if line < lines.count { drain(line) }
    }
  }

  private mutating func receive(_ bytes: [UInt8], on line: Int) {
    let now = now
    let isText = lines[line].conversation.encoding.isText
    let action = bytes.withUnsafeBytes { lines[line].conversation.received($0, isText: isText, now: now) }
    if case .submit(let submission) = action, let id = submission.id {
      lines[line].submitted[id] = submission.operations.compactMap { $0.at }
    }
    let encoding = lines[line].conversation.encoding
    if let code = room?.take(action, from: &lines[line].member, encoding: encoding, now: now, using: &random) {
      lines[line].closeCode = code.rawValue
      forget(line)
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

  mutating func takeEffects() {
    guard let effects = room?.takeEffects() else { return }
    for effect in effects {
      switch effect {
      case .append(let batch):
        let earliest = max(log.appends.last?.commitsAt ?? 0, time + UInt64.random(in: 0...12, using: &random))
        log.appends.append(
          SimulatedLog.Append(
            batch: batch,
            epoch: room!.epoch,
            commitsAt: earliest,
            fails: time < log.unavailableUntil
          )
        )
      case .answered(let request, .success):
        count(.requestTaken)
        acknowledged.formUnion(requests[request] ?? [])
      case .answered(_, .failure): count(.requestRefused)
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
      }
    }
  }
}
