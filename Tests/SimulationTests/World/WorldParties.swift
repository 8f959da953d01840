@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import sync_client

// The clients: how the requests of replicas and writers are carried out, and what tabs store.

extension World {
  func moment(of index: Int) -> Moment {
    Moment(
      wallMilliseconds: UInt64(Int64(World.wallStart + time) + parties[index].wallError),
      monotonicMilliseconds: time
    )
  }

  // MARK: Opening

  mutating func openTab(_ make: (ReplicaConfiguration, UInt64) -> Replica? = { _, _ in nil }) {
    let number = parties.count
    var configuration = ReplicaConfiguration()
    configuration.name = Text("tab \(number)")
    configuration.encoding = number % 2 == 0 ? .binary : .json
    configuration.overlaps = number % 3 != 1
    let seed = random.next()
    let error = history.dice.clockErrorMax
    parties.append(
      Party(
        number: number,
        name: "tab \(number)",
        replica: make(configuration, seed) ?? Replica(configuration: configuration, seed: seed),
        wallError: Int64.random(in: -error...error, using: &random),
        drain: number == 0 ? 1_000_000 : [60, 300, 2_000, 1_000_000].randomElement(using: &random)!,
        // A client behind a slow link doesn't ask for overlaps, because they can take too many bytes.
        link: number % 3 == 1 ? history.dice.link : nil
      )
    )
    _ = parties[number].replica?.reserveStamps()
    repaint(number)
    tell("tab \(number) is opened.")
    run(number) { $0.start(at: $1) }
  }

  mutating func openWriter() {
    let number = parties.count
    let seed = random.next()
    parties.append(
      Party(
        number: number,
        name: "writer \(number)",
        writer: Submitter(name: Text("writer \(number)"), color: nil, seed: seed),
        wallError: 0,
        drain: 1_000_000
      )
    )
    run(number, nil) { $0.start(at: $1) }
  }

  func isClosed(_ index: Int) -> Bool {
    if case .closed = parties[index].replica?.state { return true }
    if case .closed = parties[index].writer?.state { return true }
    return false
  }

  mutating func startAgain(_ index: Int) {
    run(index, { $0.start(at: $1) }, { $0.start(at: $1) })
  }

  /// The time between an edit and the start of the save by the tab.
  static let keepingMilliseconds: UInt64 = 60
  /// The longest time that a save in a tab's storage takes.
  private static let storageMillisecondsMax: UInt64 = 30

  // MARK: Events

  /// Passes an event to the party's replica or writer.
  mutating func run(
    _ index: Int,
    _ page: ((inout Replica, Moment) -> [ReplicaEffect])?,
    _ writer: ((inout Submitter, Moment) -> [Submitter.Effect])? = nil
  ) {
    let now = moment(of: index)
    let actor = parties[index].replica?.actor
    if let page, let effects = parties[index].replica.changed({ page(&$0, now) }) {
      if let actor, actor != parties[index].replica?.actor { parties[index].formerActors.insert(actor) }
      for effect in effects { carryOut(effect, of: index) }
      parties[index].events += 1
      if parties[index].events % 16 == 0, let broken = parties[index].replica?.brokenPromise {
        fail(.replica, "\(parties[index].name): \(broken)")
      }
    }
    if let writer, let effects = parties[index].writer.changed({ writer(&$0, now) }) {
      for effect in effects { carryOut(effect, of: index) }
    }
  }

  private mutating func carryOut(_ effect: ReplicaEffect, of index: Int) {
    switch effect {
    case .changed(let changes, _):
      for change in changes { parties[index].screen[change.shape] = parties[index].replica?.canvas[change.shape] }
    case .reset: repaint(index)
    default: break
    }
    switch effect {
    case .connect: wantConnection(index)
    case .send(let bytes): send(bytes, from: index)
    case .disconnect: disconnect(index)
    case .wake(let at): parties[index].wakeAt = at
    case .rejected(let edit): rejected(edit, of: index)
    case .superseded: count(.superseded)
    case .digest(let verdict):
      parties[index].verdicts.append(verdict)
      if verdict == .agrees { count(.digestAgreed) }
      if verdict == .disagrees, !mayBeMisled(parties[index]) {
        fail(.digests, "\(parties[index].name) has another drawing than the server")
      }
    case .failure(let error): fail(.protocolWords, "\(parties[index].name) can't read the server: \(error)")
    case .overlaps(let notice):
      parties[index].pairs.formUnion(notice.began)
      parties[index].pairs.subtract(notice.ended)
      parties[index].hasPairs = true
    case .presence: count(.presenceShown)
    case .keep: parties[index].keepsEditsAt = time
    case .unsent: keepEditsSoon(index)
    case .changed(_, .own):
      keepEditsSoon(index)
      if parties[index].keepsDrawingAt == nil { parties[index].keepsDrawingAt = time + 1_500 }
    case .changed, .reset:
      if parties[index].keepsDrawingAt == nil { parties[index].keepsDrawingAt = time + 1_500 }
    case .departed, .state, .peers, .joined, .left, .crowd, .presenceTooLong, .pong, .tokenTaken, .error: break
    }
  }

  private mutating func keepEditsSoon(_ index: Int) {
    if parties[index].unsavedSince == nil { parties[index].unsavedSince = time }
    if parties[index].keepsEditsAt == nil { parties[index].keepsEditsAt = time + World.keepingMilliseconds }
  }

  /// Draws the screen again from the whole canvas.
  private mutating func repaint(_ index: Int) {
    parties[index].screen = [:]
    for shape in parties[index].replica?.canvas.shapes ?? [] { parties[index].screen[shape.id] = shape }
  }

  private mutating func rejected(_ edit: RejectedEdit, of index: Int) {
    count(.rejected)
    tell("  \(parties[index].name) is told that an edit of \(edit.operation.shape) was refused: \(edit.code.wireName)")
    ledger.settle(edit.operation.shape, edit.operation.set.assigned, of: index)
    if edit.code == .clockAhead {
      fail(.clockAhead, "\(parties[index].name) has lost an edit of \(edit.operation.shape)")
    }
    guard let at = edit.operation.at else { return }
    // The room can seem full to this node only because it has not read what the client sent to another node. So the
    // refusal isn't checked.
    if nodes.count > 1, edit.code == .roomFull { return }
    ledger.refused.append((index, at, edit.operation))
    // If an undo of the client's own deletion is refused, the client must be able to try the undo again. This holds
    // only if the deletion itself was not refused.
    let erasure = open?.room.canvas.stamp(of: .deleted, in: edit.operation.shape)
    let isStillDeleted = !ledger.refused.contains {
      $0.0 == index && $0.2.shape == edit.operation.shape && $0.2.set.deleted
    }
    if isStillDeleted, parties[index].undoStamps.contains(at), edit.operation.set.assigned.contains(.kind),
      let erasure, erasure.actor == parties[index].replica?.actor
    {
      count(.undoRefused)
      if let replica = parties[index].replica, !replica.canUndo, !replica.canRedo {
        fail(
          .undoRefused,
          "\(parties[index].name) has no step left after its undo was refused as \(edit.code.wireName)"
        )
      }
    }
  }

  private mutating func carryOut(_ effect: Submitter.Effect, of index: Int) {
    switch effect {
    case .connect: wantConnection(index)
    case .send(let bytes): send(bytes, from: index)
    case .disconnect: disconnect(index)
    case .wake(let at): parties[index].wakeAt = at
    case .answered(let answer):
      let operations = parties[index].groups.removeValue(forKey: answer.number) ?? []
      switch answer.outcome {
      case .acknowledged: count(.writerAnswered)
      case .refused(_, let code, _):
        count(.writerRefused)
        for operation in operations { ledger.settle(operation.shape, operation.set.assigned, of: index) }
        if code == .clockAhead { fail(.clockAhead, "\(parties[index].name) has lost a group") }
      }
    case .postponed, .state, .error: break
    }
  }

  private mutating func wantConnection(_ index: Int) {
    parties[index].wantsConnection = true
    parties[index].connectsAt = time + 1 + delay()
  }

  private mutating func send(_ bytes: [UInt8], from index: Int) {
    guard let line = parties[index].line else { return }
    // Messages on a connection arrive in order.
    let earliest = max(lines[line].toServer.last?.at ?? 0, time)
    lines[line].toServer.append((earliest + delay(), bytes))
  }

  private mutating func disconnect(_ index: Int) {
    parties[index].wantsConnection = false
    if let line = parties[index].line { hangUp(line) }
  }

  // MARK: An iteration

  mutating func turnParty(_ index: Int) {
    if parties[index].wantsConnection, time >= parties[index].connectsAt { connect(index) }
    if let at = parties[index].wakeAt, at <= time {
      parties[index].wakeAt = nil
      run(index, { $0.wake(at: $1) }, { $0.wake(at: $1) })
    }
    keepEdits(index)
    if let at = parties[index].keepsDrawingAt, at <= time {
      parties[index].keepsDrawingAt = nil
      parties[index].keptDrawing = parties[index].replica?.save(withDrawing: true)
    }
  }

  /// Saves a tab's edits, and tells the tab which saves are complete.
  private mutating func keepEdits(_ index: Int) {
    if let at = parties[index].keepsEditsAt, at <= time, let until = parties[index].replica?.reserveStamps(),
      let bytes = parties[index].replica?.save(withDrawing: false)
    {
      parties[index].keepsEditsAt = nil
      let arrivesAt = time + UInt64.random(in: 0...World.storageMillisecondsMax, using: &random)
      let since = parties[index].unsavedSince
      parties[index].unsavedSince = nil
      parties[index].keeping.append(Keeping(bytes: bytes, until: until, arrivesAt: arrivesAt, since: since))
    }
    while let first = parties[index].keeping.first, first.arrivesAt <= time {
      parties[index].keeping.removeFirst()
      parties[index].keptEdits = first.bytes
      run(index) { $0.kept(untilMilliseconds: first.until, at: $1) }
    }
  }

  // MARK: Tabs

  /// Kills a tab, and opens it again with the edits in its storage.
  mutating func tabDies(_ index: Int) {
    guard let before = parties[index].replica else { return }
    tell("\(parties[index].name) dies and comes back.")
    count(.tabDied)
    if let line = parties[index].line { hangUp(line) }
    parties[index].wantsConnection = false
    parties[index].wakeAt = nil
    // Edits that the tab had not saved are lost, unless they were sent.
    let unkept = parties[index].keeping.compactMap(\.since) + [parties[index].unsavedSince].compactMap { $0 }
    if let since = unkept.min() { ledger.settle(since: since, of: index) }
    parties[index].keeping = []
    parties[index].unsavedSince = nil
    parties[index].keepsEditsAt = nil
    parties[index].shown = .emptyObject
    // The tab may send refused edits again, because they may still be in its storage. So they no longer count as
    // refused.
    ledger.refused.removeAll { $0.party == index }
    let seed = random.next()
    let kept = parties[index].keptEdits
    let drawing = happens(0.5) ? parties[index].keptDrawing : nil
    var replica: Replica?
    if let kept {
      replica = try? Replica(saved: kept, drawing: drawing, configuration: before.configuration, seed: seed)
      if replica == nil { fail(.survival, "what \(parties[index].name) kept can't be read") }
      count(.tabRestored)
    } else {
      ledger.settleAll(of: index)
    }
    parties[index].replica = replica ?? Replica(configuration: before.configuration, seed: seed)
    _ = parties[index].replica?.reserveStamps()
    parties[index].undoStamps = []
    repaint(index)
    run(index) { $0.start(at: $1) }
  }

  /// Opens another tab in the same browser. It starts with the first tab's stored drawing.
  mutating func tabOpens(_ index: Int) {
    guard parties.count < 8, let drawing = parties[index].keptDrawing else { return }
    openTab { configuration, seed in try? Replica(drawing: drawing, configuration: configuration, seed: seed) }
  }

  /// Starts two tabs with the same stored actor and edits, as after copying a browser profile.
  mutating func tabDoubles(_ index: Int) {
    guard parties.count < 8, let kept = parties[index].keptEdits else { return }
    count(.tabDoubled)
    ledger.double(index, as: parties.count)
    tell("What \(parties[index].name) has kept is opened a second time.")
    openTab { configuration, seed in try? Replica(saved: kept, configuration: configuration, seed: seed) }
  }
}

extension Optional {
  /// Changes the wrapped value in place, without a copy.
  fileprivate mutating func changed<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
    guard var value = take() else { return nil }
    defer { self = value }
    return body(&value)
  }
}
