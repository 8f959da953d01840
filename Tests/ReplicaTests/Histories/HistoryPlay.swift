import TestSupport

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

/// Plays a history: keeps the room and its clients, carries out the events, and checks the rules after each event.
struct HistoryPlay {
  let history: ReplicaHistory
  var story: [String] = []
  var failure: ReplicaHistory.Failure?

  var room: TestRoom
  var model = UndoModel()
  /// Whether the rule `HistoryRule.lone` can still be checked. After some events, for example a refused undo, it can't
  /// be checked any more.
  var isExact: Bool
  /// Whether a shape can remain after all steps are undone.
  var mayBeLeft = false
  /// For each person, by index, and for each shape: the stamps of the writes by which an undo restored the shape.
  var returned: [Int: [Identifier: Set<Stamp>]] = [:]
  /// How many edits the test has refused as `clock_ahead` or `too_old` although their stamps were right.
  var clockRefusals = 0

  init(_ history: ReplicaHistory) {
    self.history = history
    let isShort = history.isShortOfBytes
    room = TestRoom { limits in
      limits.clockAheadMilliseconds = 2_000
      if isShort { limits.messageBytes = 16_384 }
    }
    isExact = history.people == 1
    var random = SeededGenerator(seed: history.seed)
    for place in 0..<history.people {
      let configuration = ReplicaConfiguration { $0.encoding = Bool.random(using: &random) ? .json : .binary }
      let seed = random.next()
      var host = TestHost(Replica(configuration: configuration, seed: seed))
      host.writes = OwnWrites()
      if history.isPage(place) {
        let beginning = RecordedHistory.Beginning(actor: nil, seed: seed, encoding: configuration.encoding)
        host.record = RecordedHistory(beginning: beginning)
      }
      room.join(host)
    }
  }

  mutating func run() -> ReplicaHistory.Failure? {
    for deed in history.deeds {
      room.time += 1
      var random = SeededGenerator(seed: deed.seed)
      perform(deed, &random)
      story.append("\(deed) → \(words(deed.host))")
      checkLone()
      if failure != nil { return failure }
    }
    rest()
    if failure == nil { everything() }
    return failure
  }

  mutating func fail(_ rule: HistoryRule, _ words: String) {
    if failure == nil { failure = ReplicaHistory.Failure(rule: rule, words: words) }
  }

  private func words(_ host: Int) -> String {
    let replica = room.hosts[host].replica
    let shapes = replica.canvas.shapes.map { shape in
      let set = shape.properties.assigned.map { "\($0)" }.sorted().joined(separator: " ")
      return
        "\(shape.id): \(set) at \(shape.properties.position.x) alpha \(shape.properties.alpha) name \(shape.baseName)"
    }
    let unsent = replica.unsentCount
    return
      "\(replica.actor), \(unsent) unsent, \(replica.history.undoable.count)+\(replica.history.redoable.count) steps; "
      + shapes.joined(separator: "; ")
  }
}

// MARK: - What people do

extension HistoryPlay {
  private mutating func perform(_ deed: Deed, _ random: inout SeededGenerator) {
    let host = deed.host
    let live = room.hosts[host].replica.canvas.shapes.map(\.id)
    let some = Array(live.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
    switch deed.kind {
    case .add:
      var set = HistoryPlay.properties(live, &random)
      if Bool.random(using: &random) { set = Properties() }
      set.kind = [.rectangle, .ellipse, .text, .line].randomElement(using: &random)!
      // The test sets the z-order and the identifier itself, because a page would choose them at random.
      if history.hasPages { set.z = .middle }
      let shape = history.hasPages ? Identifier.random(using: &random) : nil
      let made = set
      write(host, as: .edit([ShapeEdit(shape: shape!, set: made)])) { replica, now in
        shape.map { replica.edit([ShapeEdit(shape: $0, set: made)], at: now) } ?? replica.add(made, at: now).effects
      }
    case .edit:
      let edits = some.map { ShapeEdit(shape: $0, set: HistoryPlay.properties(live, &random)) }
      write(host, as: .edit(edits)) { $0.edit(edits, at: $1) }
    case .delete: write(host, as: .delete(some)) { $0.delete(some, at: $1) }
    case .clear: write(host, as: "clear") { $0.clear(at: $1) }
    case .longEdit:
      guard history.isShortOfBytes else { return }
      var set = MessageLengthTests.longInk()
      if history.hasPages { set.z = .middle }
      let edits = (0..<3).map { _ in ShapeEdit(shape: Identifier.random(using: &random), set: set) }
      write(host, as: .edit(edits)) { $0.edit(edits, at: $1) }
    case .undo: step(host, isUndo: true)
    case .redo: step(host, isUndo: false)
    case .begin:
      if host == 0 { model.begin(room.hosts[0].writes!) }
      // Ends the previous gesture before a new one begins.
      endGroup(host)
      room.run(host, as: "beginGroup") { replica, _ in
        replica.beginGroup()
        return []
      }
    case .end:
      if host == 0 { model.end(room.hosts[0].writes!) }
      endGroup(host)
    case .abandon:
      if host == 0 { model.abandon() }
      room.run(host, as: "abandonStep") { $0.abandonStep(at: $1) }
    default: happen(deed, &random)
    }
  }

  private mutating func endGroup(_ host: Int) {
    room.run(host, as: "endGroup") { replica, _ in
      replica.endGroup()
      return []
    }
  }

  private mutating func write(
    _ host: Int,
    as record: @autoclosure () -> RecordedHistory.Event,
    _ event: (inout Replica, Moment) -> [ReplicaEffect]
  ) {
    let first = room.hosts[host].writes!.all.count
    room.run(host, as: record(), event)
    let writes = room.hosts[host].writes!
    if host == 0 { model.wrote(first..<writes.all.count, writes) }
  }

  private static func properties(_ live: [Identifier], _ random: inout SeededGenerator) -> Properties {
    var set = Properties()
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let number = Int.random(in: 0...2, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0: set.name = ["Sun", "Moon", "Star"][number]
      // A value that equals the default must be written too.
      case 1: set.isLocked = number == 0
      case 2: set.isFilled = number > 0
      case 3: set.group = number == 0 ? nil : Identifier(packed: UInt64(number))
      // Longer than what can't be too long for anything on the way.
      case 4: set.text = ["", "a", Text(String(repeating: "b", count: 1_100))][number]
      case 5: set.alpha = [10, 4, 5][number]
      default: set.position = Point(x: Double(number), y: 0)
      }
    }
    return set
  }

  mutating func step(_ host: Int, isUndo: Bool) {
    let before = room.hosts[host].replica
    let moment = room.hosts[host].moment(room.time)
    room.run(host, as: isUndo ? "undo" : "redo") { isUndo ? $0.undo(at: $1) : $0.redo(at: $1) }
    let writes = room.hosts[host].writes!
    if host == 0 { if isUndo { model.undo(writes) } else { model.redo(writes) } }
    let after = room.hosts[host].replica
    let could = isUndo ? before.canUndo : before.canRedo
    let can = isUndo ? after.canUndo : after.canRedo
    let left = isUndo ? after.history.undoable : after.history.redoable
    let isHeld = left.allSatisfy { $0.entries.contains { after.canvas[$0.shape]?.properties.isLocked == true } }
    if before.canvas == after.canvas, could && can && !isHeld {
      fail(.canUndo, "\(isUndo ? "undo" : "redo") does nothing, and there is more")
    }
    if before.canvas != after.canvas, !could { fail(.canUndo, "it could not, and did") }
    checkOthers(host, from: before.canvas, to: after.canvas, isUndo: isUndo)
    guard isUndo, before.canvas != after.canvas else { return }
    var redone = after
    _ = redone.redo(at: moment)
    if Picture(redone.canvas) != Picture(before.canvas) {
      fail(.redo, Picture.difference(Picture(before.canvas), Picture(redone.canvas)))
    }
  }
}

// MARK: - What happens to clients

extension HistoryPlay {
  typealias Picture = UndoRedoLawTests.Picture

  private mutating func happen(_ deed: Deed, _ random: inout SeededGenerator) {
    let host = deed.host
    switch deed.kind {
    case .send: room.deliverToServer(host)
    case .receive: for _ in 0..<Int.random(in: 1...4, using: &random) { room.deliverOne(to: host) }
    case .settle: settle()
    case .wait: settle(for: 10_000)
    case .cut, .newActor:
      // Half of the time, the room gets the messages, and only its answers are lost.
      if Bool.random(using: &random) { room.deliverToServer(host) }
      let other = [nil, CloseCode.goingAway.rawValue].randomElement(using: &random)!
      room.disconnect(host, code: deed.kind == .newActor ? CloseCode.actorElsewhere.rawValue : other)
    case .tooLong: closeAsTooLong(host)
    case .refuse: refuse(host, &random)
    case .restore: restore(host, &random)
    case .setClock:
      guard history.hasClockSetBack else { return }
      room.serverError = Int64.random(in: -6_000...0, using: &random)
    default: break
    }
  }

  mutating func settle(for milliseconds: UInt64 = 0) {
    for host in room.hosts.indices where room.hosts[host].replica.state == .offline {
      room.run(host, as: "start") { $0.start(at: $1) }
    }
    room.settle(for: milliseconds)
  }

  /// The messages with operations that are on their way to the room, each with its index among all messages on their
  /// way.
  private func submissions(_ host: Int) -> [(place: Int, submission: Submission)] {
    let encoding = room.hosts[host].encoding
    return room.hosts[host].toServer.enumerated().compactMap { place, bytes in
      let message =
        encoding.isText ? try? JSONEncoding.decodeClientMessage(bytes) : try? BinaryEncoding.decodeClientMessage(bytes)
      guard case .operations(let submission) = message else { return nil }
      return (place, submission)
    }
  }

  /// Refuses the next message that has edits. The refusal's code is random. The later messages still reach the room.
  private mutating func refuse(_ host: Int, _ random: inout SeededGenerator) {
    guard let (place, submission) = submissions(host).first else { return }
    // The room accepts a repeated message again (W8), so a message that it has accepted before isn't refused.
    let stamps = Set(submission.operations.compactMap(\.at))
    guard !room.log.contains(where: { stamps.contains($0.at) }) else { return }
    room.hosts[host].toServer.remove(at: place)
    let code = RejectCode.allCases.randomElement(using: &random)!
    let whole = Int.random(in: 0..<3, using: &random) == 0
    let operation = whole ? nil : submission.operations.indices.randomElement(using: &random)
    let refused = room.hosts[host].rejected.count
    story.append("  refused as \(code), operation \(operation.map(String.init) ?? "all")")
    room.hand(.rejection(Rejection(id: submission.id, operation: operation, code: code, message: "no")), to: host)
    let told = room.hosts[host].rejected[refused...]
    clockRefusals += told.count { $0.code == .clockAhead || $0.code == .tooOld }
  }

  /// Closes the connection as after a message that was too long. Everything that was in transit is lost.
  private mutating func closeAsTooLong(_ host: Int) {
    guard room.hosts[host].isOpen, room.hosts[host].replica.outbox.sentCount == submissions(host).count else { return }
    room.disconnect(host, code: CloseCode.tooLarge.rawValue)
  }

  /// Ends the client, and starts it again from what it has saved.
  private mutating func restore(_ host: Int, _ random: inout SeededGenerator) {
    if host == 0 { model.end(room.hosts[0].writes!) }
    let before = room.hosts[host].replica
    let hasDrawing = Bool.random(using: &random)
    let bytes = before.save(withDrawing: hasDrawing)
    let history = before.saveHistory()
    room.hosts[host].note(.save(bytes, withDrawing: hasDrawing), at: room.time)
    room.disconnect(host)
    do {
      let seed = random.next()
      var replica = try Replica(saved: bytes, configuration: before.configuration, seed: seed)
      let isPage = room.hosts[host].record != nil
      if !isPage {
        try replica.restoreHistory(history)
      } else if host == 0 {
        model.forget()
        mayBeLeft = true
      }
      var new = TestHost(replica)
      new.writes = room.hosts[host].writes
      new.rejected = room.hosts[host].rejected
      new.record = room.hosts[host].record
      new.note(.restore(seed: seed), at: room.time)
      room.hosts[host] = new
      room.run(host, as: "start") { $0.start(at: $1) }
      // Without a saved drawing, waits for the room's state first, because people don't undo on an empty screen.
      if !hasDrawing { settle(for: 10_000) }
    } catch { fail(.rest, "what was saved can't be restored: \(error)") }
  }
}
