import CanvasCRDT
import RoomLog
import WebSocketLoop

// Rooms are read from the log when they are needed, and closed some time after their last member has left.

extension Hub {
  /// The room, opened if it was closed.
  /// - Parameters:
  ///   - mayCreate: whether to create the room if the log doesn't have it.
  ///   - party: the client's address or the room that the work is for. Parties take turns, and only a few rooms are
  ///     opened for one party at a time.
  func opened(_ name: String, mayCreate: Bool, for party: String) async -> Opening<OpenRoom> {
    var isAbsent = false
    var hasTurn = false
    var triesLeft = Hub.openingTries
    defer { if hasTurn { openingTurns.leave(party) } }
    while true {
      if let open = rooms[name] { return .open(open) }
      let underWay = rooms.opening(of: name)
      if underWay == nil, !hasTurn {
        hasTurn = openingTurns.take(party)
        if !hasTurn {
          await withCheckedContinuation { openingTurns.wait(party, $0) }
          hasTurn = true
          // The client can have left meanwhile. Then the room isn't opened.
          if Task.isCancelled { return .failed("the client has left") }
          // Another job may have opened the room meanwhile.
          continue
        }
      }
      let shared = underWay ?? begin(name, creates: isAbsent)
      heavyWork.join(shared.askers, party)
      let opening = await shared.task.value
      switch opening {
      case .open(let open) where open.isGone:
        isAbsent = false
        triesLeft -= 1
        if triesLeft == 0 { return .failed("the room is deleted whenever it is opened") }
      case .absent where mayCreate: isAbsent = true
      case .open, .absent, .full, .failed: return opening
      }
    }
  }

  /// A room can be deleted while it is opened, and begun anew. If it were gone each time, opening it would never end.
  private static let openingTries = 8

  private func begin(_ name: String, creates: Bool) -> RoomOpening {
    let askers = HeavyWork.Askers()
    let task = job { creates ? await create(name) : await load(name, for: askers) }
    let opening = RoomOpening(askers: askers, task: task)
    rooms.begin(opening, of: name)
    return opening
  }

  /// What a new room has to tell other nodes. `nil` if the log is not shared.
  private var company: Company? {
    sharesRooms ? Company(number: nodeNumber) : nil
  }

  /// Opens a room that the log doesn't have. Another node might write to it first, so the log is asked to report its
  /// records from the first one on.
  private func create(_ name: String) async -> Opening<OpenRoom> {
    // This is in a `defer`, because the task that awaits the opening may continue too late. By then another task may
    // have begun to open the room again.
    defer { rooms.endOpening(of: name) }
    guard makeRoomForAnother() else { return .full }
    rooms.expect()
    defer { rooms.expectNoLonger() }
    let room = Room(
      name: Text(name),
      epoch: generator.next(),
      limits: limits,
      framing: framing,
      seed: generator.next(),
      company: company
    )
    let open = OpenRoom(name: name, room: room, isStored: false)
    if let fault = await follow(open, from: run.timeline) { return .failed(fault) }
    if !open.isGone { rooms.add(open) }
    return .open(open)
  }

  /// If the limit on open rooms is reached, closes an idle room, even one without an up-to-date snapshot.
  private func makeRoomForAnother() -> Bool {
    guard rooms.isFull else { return true }
    guard let idle = rooms.dispensable else { return false }
    letGo(idle)
    return true
  }

  private func load(_ name: String, for askers: HeavyWork.Askers) async -> Opening<OpenRoom> {
    // A `defer` ends the opening in time. The task that awaits the opening might continue only after another task has
    // begun to open the room again.
    defer { rooms.endOpening(of: name) }
    let began = clocks.steadyMicroseconds()
    let timeline = run.timeline
    let loaded: LoadedRoom
    do throws(LogError) { loaded = try await ask(.load(name)) } catch {
      if case .noSuchRoom = error { return .absent }
      return .failed("\(error)")
    }
    guard makeRoomForAnother() else { return .full }
    rooms.expect()
    defer { rooms.expectNoLonger() }
    let seed = generator.next()
    var snapshot: RoomImage?
    if let stored = loaded.snapshot {
      snapshot = try? await heavyWork.run(for: askers) { try? RoomImage(stored.bytes, seed: seed) }
      if snapshot == nil {
        logger.error(
          "a snapshot can't be read; reading the whole log instead",
          ["room": .text(name), "position": .init(stored.place.position)]
        )
      }
    }
    var room = Room(
      name: Text(name),
      epoch: loaded.summary.epoch,
      limits: limits,
      framing: framing,
      seed: seed,
      image: snapshot,
      imageMilliseconds: loaded.snapshot?.place.milliseconds ?? 0,
      company: company
    )
    let snapshotPosition = snapshot?.position ?? 0
    snapshot = nil
    if log.fault != nil { room.doubtLog() }
    let folding = RoomFolding(consume room)
    // The room is still in there if it can't be read to its end, or isn't needed.
    defer { free(folding, shapes: folding.shapeCount) }
    if let fault = await fold(folding, through: loaded.summary.last, for: askers) { return .failed(fault) }
    // Another task might have created this room while the log didn't have it yet. Then that room is used, because two
    // rooms of one name would each get only a part of what is written.
    if let other = rooms[name] { return .open(other) }
    let open = OpenRoom(name: name, room: folding.take(), isStored: true, snapshotPosition: snapshotPosition)
    if let fault = await follow(open, from: timeline) { return .failed(fault) }
    // If the room was deleted meanwhile, it isn't added to the open rooms. The caller checks `isGone` itself.
    guard !open.isGone else { return .open(open) }
    rooms.add(open)
    logger.debug(
      "room opened",
      [
        "room": .text(name), "shapes": .init(open.room.canvas.liveCount),
        "milliseconds": .init((clocks.steadyMicroseconds() - began) / 1_000),
      ]
    )
    return .open(open)
  }

  /// Applies the records up to `last` to a room that nobody uses yet.
  /// - Returns: the reason for a failure, or `nil`.
  private func fold(
    _ folding: RoomFolding,
    through last: UInt64,
    for askers: HeavyWork.Askers
  ) async -> String? {
    var after = folding.position
    while after < last {
      let page: RecordPage
      do throws(LogError) { page = try await ask(.read(folding.name, epoch: folding.epoch, after: after)) } catch {
        return "\(error)"
      }
      let now = now
      let fault = try? await heavyWork.run(for: askers) { folding.fold(page.records, now: now) }
      if let fault { return fault }
      guard page.through > after, !page.isLast else { break }
      after = page.through
    }
    return folding.position < last ? "the record at \(folding.position + 1) is missing" : nil
  }

  /// Asks the log to report from now on what is stored in a room. The room has just been read, or is about to be made.
  /// - Parameter timeline: the log's timeline from before the room was read.
  /// - Returns: the reason for a failure, or `nil`.
  private func follow(_ open: OpenRoom, from timeline: UInt64) async -> String? {
    rooms.expect(open)
    defer { rooms.expectNoLonger(open) }
    let epoch = open.isStored ? open.room.epoch : nil
    do throws(LogError) {
      try await ask(.follow(open.name, epoch: epoch, after: open.room.position, timeline: timeline))
      return nil
    } catch {
      open.markGone()
      empty(open)
      return RoomInLog.isGone(by: error) ? nil : "\(error)"
    }
  }

  /// Waits until the room has applied everything that other nodes have stored by now.
  /// - Returns: the reason for a failure, or `nil`.
  func catchUp(_ open: OpenRoom) async -> String? {
    open.hold()
    defer { open.letLoose() }
    let epoch = open.isStored ? open.room.epoch : nil
    let timeline = run.timeline
    // What the log has reported and the room has yet to process needn't be reported again.
    let after = open.newestPosition
    do throws(LogError) {
      try await ask(.follow(open.name, epoch: epoch, after: after, timeline: timeline))
    } catch {
      return "\(error)"
    }
    await applyReports(to: open)
    return nil
  }

  /// Waits until the room has applied the log's reports that have arrived by now, but not for later ones. The room
  /// applies them over several iterations of the event loop.
  private func applyReports(to open: OpenRoom) async {
    let reported = open.answersTaken + open.answers.count
    while open.answersTaken < reported, !open.isGone { await pause(milliseconds: 1) }
  }

  func settle(_ open: OpenRoom) async {
    let stored = log.appendsUnderWay(in: open)
    while !open.isGone, stored.contains(where: { log.appends[$0] != nil }) { await pause(milliseconds: 1) }
    await applyReports(to: open)
  }

  func registersBeingStored(in open: OpenRoom) -> [Identifier: PropertyMask] {
    var registers: [Identifier: PropertyMask] = [:]
    func add(_ operations: [Operation]?) {
      for operation in operations ?? [] {
        registers[operation.shape] = (registers[operation.shape] ?? PropertyMask()).union(operation.set.assigned)
      }
    }
    // Hands over to the log what the room has admitted in this iteration of the event loop.
    changeAtOnce(open) { _ in }
    for number in log.appendsUnderWay(in: open) { log.appends[number]?.parts.forEach { add($0.operations) } }
    for case .record(let record, let part, let append) in open.answers {
      add((append?.parts[part] ?? StoredOperations(record.bytes))?.operations)
    }
    return registers
  }

  // MARK: Jobs

  /// Starts a job of this actor that runs on the loop from its beginning to its end. With a plain `Task`, each wait would
  /// end in Swift's pool of threads, and the order of the jobs after it would be left to chance.
  @discardableResult
  nonisolated func job<Value: Sendable>(
    @_inheritActorContext @_implicitSelfCapture _ work: sending @escaping @isolated(any) () async -> Value
  ) -> Task<Value, Never> {
    Task(executorPreference: loop, operation: work)
  }

  /// Suspends the job, so that the loop serves others meanwhile.
  func pause(milliseconds: UInt64) async {
    await withCheckedContinuation { turn in loop.schedule(afterMilliseconds: milliseconds) { turn.resume() } }
  }

  /// Suspends the job until the loop has run the jobs that already wait.
  func letOthersGoFirst() async {
    await withCheckedContinuation { turn in loop.execute { turn.resume() } }
  }

  // MARK: Closing

  /// Closes a room without connections, after storing a snapshot. With the snapshot the room opens quickly the next
  /// time, and its shapes can be counted without opening it.
  func closeIdle(_ open: OpenRoom) {
    if open.awaitsSnapshot {
      snapshot(open)
    } else if !open.snapshot.isUnderWay {
      letGo(open)
    }
  }

  private func letGo(_ open: OpenRoom) {
    takeOut(open)
    logger.debug("room closed", ["room": .text(open.name)])
  }

  private func takeOut(_ open: OpenRoom) {
    giveTurn(to: open) { gatherNews(of: &$0, open, now: now) }
    rooms.remove(open)
    log.unfollow(open.name)
    counts.noteClosed(open.room.counts)
    empty(open)
  }

  /// Frees the memory of a room that is gone.
  private func empty(_ open: OpenRoom) {
    let room = takeState(of: open)
    let shapes = room.canvas.shapeCount
    guard shapes >= HeavyWork.shapesWorthAThread else { return }
    let rest = Handover(room)
    job {
      await free(rest)
      if shapes >= Hub.shapesWorthTrimming { EventLoop.returnFreedMemory() }
    }
  }

  /// A room of at least this many shapes takes megabytes. The allocator keeps freed memory, so it is asked to return
  /// some of it to the system after such a room is freed.
  private static let shapesWorthTrimming = 10_000

  /// The room is deleted. Its sessions are told, and its batches that are not stored yet are refused.
  func removed(_ open: OpenRoom) {
    guard dismiss(open, .noSuchRoom, "the room was deleted") else { return }
    logger.info("room deleted", ["room": .text(open.name)])
  }

  /// Discards this copy of the room and closes its connections. When the clients reconnect, the room is read from the
  /// log again.
  func stop(_ open: OpenRoom, _ reason: Text) {
    guard dismiss(open, .goingAway, reason) else { return }
    logger.warning("room closed", ["room": .text(open.name), "reason": .text(reason.string)])
  }

  /// - Returns: false if the room was already gone.
  private func dismiss(_ open: OpenRoom, _ code: CloseCode, _ reason: Text) -> Bool {
    guard changeAtOnce(open, { $0.close(code, reason, now: now) }) != nil else { return false }
    takeOut(open)
    return true
  }
}
