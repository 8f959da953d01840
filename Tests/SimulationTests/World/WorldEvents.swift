@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer
@testable import sync_client

// What happens at each event of a history.

extension World {
  mutating func perform(_ event: Event) {
    if nodes.count > 1 { here = nodes.indices.randomElement(using: &random)! }
    switch event {
    case .draw, .change, .rename, .paste, .remove, .clear, .undo, .redo, .gesture, .undoAndRedo, .editAndUndo,
      .crossing, .replaceAll, .show, .askDigest:
      if let tab = someTab() { performByPerson(event, tab) }
    case .tabDies: if let tab = someTab() { tabDies(tab) }
    case .tabStops: stopParty()
    case .tabStarts: if let index = parties.indices.randomElement(using: &random) { startAgain(index) }
    case .tabOpens: if let tab = someTab() { tabOpens(tab) }
    case .tabDoubles: if let tab = someTab() { tabDoubles(tab) }
    case .write: write()
    case .request: request()
    case .read: readOverHTTP()
    case .hostile: beHostile()
    case .cut: if let line = lines.indices.randomElement(using: &random) { drop(line) }
    case .hush:
      guard let line = lines.indices.randomElement(using: &random), lines[line].isOpen else { return }
      count(.hushed)
      lines[line].hushedUntil = time + UInt64.random(in: 1...40_000, using: &random)
    case .stall:
      guard let index = parties.indices.randomElement(using: &random) else { return }
      count(.stalled)
      parties[index].stalledUntil = time + UInt64.random(in: 50...5_000, using: &random)
    case .partition:
      tell("The network is gone for a while.")
      partitionedUntil = time + UInt64.random(in: 100...10_000, using: &random)
      for line in lines.indices.reversed() where line < lines.count && lines[line].isOpen { drop(line) }
    case .crash: crash()
    case .stop: stopServer()
    case .snapshot: takeSnapshot()
    case .trim: trim(at: now.wallMilliseconds)
    case .forget: forgetErasures()
    case .logFails:
      guard node.isUp, !disk.isDown else { return }
      tell("The disk takes nothing.")
      disk.isDown = true
      disk.downUntil = time + UInt64.random(in: 10...2_000, using: &random)
    case .cutOff: cutOff()
    case .failOver: failOver()
    case .standStill: standStill()
    case .restore: restore()
    case .deleteRoom: requestDeletion()
    case .writeFromElsewhere: writeFromElsewhere()
    case .tabClock: changeTabClock()
    case .serverClock: changeServerClock()
    case .wait: wait()
    }
  }

  private mutating func someTab() -> Int? {
    parties.indices.filter { parties[$0].replica != nil }.randomElement(using: &random)
  }

  // MARK: People

  private mutating func performByPerson(_ event: Event, _ tab: Int) {
    guard let replica = parties[tab].replica else { return }
    let shapes = replica.canvas.shapes.map(\.id)
    let pick = shapes.randomElement(using: &random)
    switch event {
    case .draw: draw(tab)
    case .change: if let pick { move(pick, tab) } else { draw(tab) }
    case .rename: if let pick { rename(pick, tab) }
    case .paste:
      let count = Int.random(in: 2...min(Int(limits.shapes) + 2, history.dice.pasteMax), using: &random)
      tell("\(parties[tab].name) pastes \(count) shapes.")
      paste(count, tab)
    case .remove: if let pick { remove([pick], tab) }
    case .clear: remove(shapes, tab)
    case .undo: undo(tab)
    case .redo: redo(tab)
    case .gesture: makeGesture(tab)
    case .undoAndRedo: undoAndRedo(tab)
    case .editAndUndo: if let pick { editAndUndo(pick, tab) }
    case .crossing: if let pick { cross(pick, tab) }
    case .replaceAll:
      tell("\(parties[tab].name) clears the room and pastes as many anew.")
      let count = shapes.count
      remove(shapes, tab)
      paste(max(1, count), tab)
    case .show: show(tab, Int.random(in: 0..<1_000, using: &random))
    case .askDigest: run(tab) { $0.askDigest(at: $1) }
    default: break
    }
  }

  /// A point where no other shape is.
  mutating func newPoint() -> Point {
    let value = ledger.newValue()
    return Point(x: Double(value % 500), y: Double(value / 500 * 7 + Int.random(in: 0..<7, using: &random)))
  }

  /// Every client makes one more edit after all activity has ended. These edits have to arrive too.
  mutating func editOnceMore() {
    for tab in parties.indices where parties[tab].replica != nil {
      if let shape = parties[tab].replica?.canvas.shapes.randomElement(using: &random)?.id { move(shape, tab) }
    }
  }

  private mutating func draw(_ tab: Int) {
    var set = Properties()
    set.kind = ShapeKind.allCases.randomElement(using: &random)!
    set.position = newPoint()
    if happens(0.5) { set.name = Text("Box \(ledger.newValue())") }
    var added: Identifier?
    run(tab) { replica, now in
      let (shape, effects) = replica.add(set, at: now)
      added = shape
      return effects
    }
    guard let added else { return }
    tell("\(parties[tab].name) draws \(added).")
    ledger.owe(added, set, by: tab, at: time)
  }

  private mutating func edit(_ edits: [ShapeEdit], _ tab: Int) {
    for edit in edits {
      ledger.settle(edit.shape, edit.set.assigned, of: tab)
      if !edit.set.deleted { ledger.owe(edit.shape, edit.set, by: tab, at: time) }
    }
    run(tab) { $0.edit(edits, at: $1) }
    if parties[tab].replica?.canRedo == true { fail(.newEdit, "\(parties[tab].name) can redo after an edit") }
  }

  private mutating func makeGesture(_ tab: Int) {
    run(tab) { replica, _ in
      replica.beginGroup()
      return []
    }
    // With slow links, some people drag for so long that a backlog becomes visible.
    let isLong = history.dice.link != nil && happens(0.3)
    for _ in 0..<(isLong ? 200 : Int.random(in: 2...4, using: &random)) {
      guard let shape = parties[tab].replica?.canvas.shapes.randomElement(using: &random)?.id else { break }
      if happens(0.2) { rename(shape, tab) } else { move(shape, tab) }
      time += isLong ? 16 : 5
      turn()
    }
    run(tab) { replica, _ in
      replica.endGroup()
      return []
    }
  }

  private mutating func move(_ shape: Identifier, _ tab: Int) {
    var set = Properties()
    set.position = newPoint()
    if happens(0.2) { set.rotation = Double(Int.random(in: 0..<360, using: &random)) }
    tell("\(parties[tab].name) moves \(shape).")
    edit([ShapeEdit(shape: shape, set: set)], tab)
  }

  private mutating func rename(_ shape: Identifier, _ tab: Int) {
    var set = Properties()
    set.name = Text("Name \(ledger.newValue())")
    tell("\(parties[tab].name) renames \(shape).")
    edit([ShapeEdit(shape: shape, set: set)], tab)
  }

  private mutating func remove(_ shapes: [Identifier], _ tab: Int) {
    guard !shapes.isEmpty else { return }
    tell("\(parties[tab].name) deletes \(shapes.count > 1 ? "\(shapes.count) shapes" : "\(shapes[0])").")
    for shape in shapes { ledger.settle(shape, of: tab) }
    run(tab) { $0.delete(shapes, at: $1) }
  }

  private mutating func paste(_ count: Int, _ tab: Int) {
    var edits: [ShapeEdit] = []
    for _ in 0..<count {
      var set = Properties()
      set.kind = .ellipse
      set.position = newPoint()
      edits.append(ShapeEdit(shape: Identifier.random(using: &random), set: set))
    }
    edit(edits, tab)
  }

  /// One person deletes a shape, and another person moves the shape before the deletion has reached them.
  private mutating func cross(_ shape: Identifier, _ tab: Int) {
    let others = parties.indices.filter { parties[$0].replica != nil && $0 != tab }
    guard let other = others.randomElement(using: &random) else { return }
    remove([shape], tab)
    if parties[other].replica?.canvas.contains(shape) == true { move(shape, other) }
  }

  // MARK: Undo

  private mutating func undo(_ tab: Int) {
    guard parties[tab].replica?.canUndo == true else { return }
    tell("\(parties[tab].name) undoes.")
    count(.undone)
    parties[tab].undoStamps.formUnion(step(tab) { $0.undo(at: $1) })
  }

  private mutating func redo(_ tab: Int) {
    guard parties[tab].replica?.canRedo == true else { return }
    tell("\(parties[tab].name) redoes.")
    count(.redone)
    step(tab) { $0.redo(at: $1) }
  }

  /// Undoes or redoes, and checks that only values of the tab's own actor change.
  /// - Returns: the stamps of the operations that it wrote.
  @discardableResult
  private mutating func step(_ tab: Int, _ event: @escaping (inout Replica, Moment) -> [ReplicaEffect]) -> Set<Stamp> {
    guard let before = parties[tab].replica else { return [] }
    run(tab, event)
    guard let after = parties[tab].replica else { return [] }
    var written: Set<Stamp> = []
    var waiting: [Operation] = []
    after.outbox.forEach { pending in waiting.append(pending.operation) }
    var known: Set<Stamp> = []
    before.outbox.forEach { known.insert($0.operation.at) }
    for operation in waiting where !known.contains(operation.at) {
      written.insert(operation.at)
      ledger.settle(operation.shape, operation.set.assigned, of: tab)
      for property in operation.set.assigned {
        // A deletion that later values have overruled changes nothing visible. Nor does a register without a value lose
        // one, even if somebody deleted the shape and brought it back without that register.
        let isLive = before.canvas.contains(operation.shape)
        if isLive, property == .deleted || before.canvas.stamp(of: property, in: operation.shape) == nil { continue }
        guard let winner = before.canvas.winner(of: property, in: operation.shape) else { continue }
        if winner.actor != before.actor, !parties[tab].formerActors.contains(winner.actor), !ledger.hasDoubles {
          fail(.undoOfOthers, "\(parties[tab].name) overwrites \(property) of \(operation.shape) by \(winner.actor)")
        }
      }
    }
    return written
  }

  private mutating func undoAndRedo(_ tab: Int) {
    guard let before = parties[tab].replica, before.canUndo, before.state != .closed(code: 4404) else { return }
    tell("\(parties[tab].name) undoes, and at once redoes.")
    step(tab) { $0.undo(at: $1) }
    // If the undo changed nothing, a redo might repeat something that was undone earlier, so there is nothing to
    // compare.
    guard let between = parties[tab].replica?.canvas,
      Drawing(before.canvas).difference(from: Drawing(between)) != nil
    else { return }
    step(tab) { $0.redo(at: $1) }
    guard let after = parties[tab].replica else { return }
    if let difference = Drawing(before.canvas).difference(from: Drawing(after.canvas)) {
      fail(.undoRedo, "\(parties[tab].name): \(difference)")
    }
  }

  private mutating func editAndUndo(_ shape: Identifier, _ tab: Int) {
    guard let before = parties[tab].replica else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: rename(shape, tab)
    case 1: remove([shape], tab)
    case 2: draw(tab)
    default: move(shape, tab)
    }
    // If the shape was already gone, nothing was edited. An undo would then undo an earlier edit.
    guard let edited = parties[tab].replica, Drawing(before.canvas).difference(from: Drawing(edited.canvas)) != nil
    else { return }
    undo(tab)
    guard let after = parties[tab].replica else { return }
    if let difference = Drawing(before.canvas).difference(from: Drawing(after.canvas)) {
      fail(.undoEdit, "\(parties[tab].name): \(difference)")
    }
  }

  /// Sends the position of the client's mouse pointer.
  private mutating func show(_ tab: Int, _ place: Int) {
    // In a crowd, what all show together is longer than a message may be.
    let words = String(repeating: "x", count: history.dice.crowd == nil ? 0 : 1_000)
    let text = Array("{\"cursor\":[\(place),0],\"words\":\"\(words)\"}".utf8)
    guard let state = text.withUnsafeBytes({ try? JSONText(validating: $0, maximumBytes: 1_100) }) else { return }
    parties[tab].shown = state
    run(tab) { $0.setPresence(state, at: $1) }
  }

  private mutating func stopParty() {
    guard let index = parties.indices.randomElement(using: &random) else { return }
    run(index, { $0.stop(at: $1) }, { $0.stop(at: $1) })
  }

  // MARK: Clients without a canvas

  private mutating func write() {
    let writers = parties.indices.filter { parties[$0].writer != nil }
    guard let index = writers.randomElement(using: &random) else { return }
    var operations: [ProposedOperation] = []
    for _ in 0..<Int.random(in: 1...Int(min(3, limits.operationsPerMessage)), using: &random) {
      var set = Properties()
      set.position = newPoint()
      var shape = open?.room.canvas.shapes.randomElement(using: &random)?.id
      if shape == nil || happens(0.4) {
        shape = Identifier.random(using: &random)
        set.kind = .polygon
      }
      guard let shape else { continue }
      ledger.settle(shape, set.assigned, of: index)
      ledger.owe(shape, set, by: index, at: time)
      operations.append(ProposedOperation(shape: shape, at: nil, set: set))
    }
    tell("\(parties[index].name) writes \(operations.count) operations.")
    var number: UInt64?
    run(index, nil) { writer, now in
      let (made, effects) = writer.submit(operations, at: now)
      number = made
      return effects
    }
    if let number { parties[index].groups[number] = operations }
  }

  /// Sends something that breaks the protocol.
  private mutating func beHostile() {
    guard let connection = dial(.binary, from: "10.3.0.1") else { return }
    // This client never reads what the server sends.
    connection.room = 1_000_000
    var hostile = line(connection, of: 0, .binary, link: nil)
    hostile.isOpen = false
    tell("A hostile program speaks.")
    let number = hostile.number
    lines.append(hostile)
    var hello = Hello()
    if happens(0.3) { hello.actor = parties.compactMap { $0.replica?.actor }.randomElement(using: &random) }
    var messages = happens(0.9) ? [BinaryEncoding.encode(.hello(hello))] : []
    for _ in 0..<Int.random(in: 1...6, using: &random) { messages.append([]) }
    for message in messages {
      guard let place = lines.firstIndex(where: { $0.number == number }), connection.closure == nil else { break }
      receive(message.isEmpty ? hostileBytes(place) : message, on: place)
      count(.hostileAnswered)
    }
    if connection.closure != nil { count(.hostileClosed) }
    if let place = lines.firstIndex(where: { $0.number == number }) { forget(place) }
  }

  private mutating func hostileBytes(_ line: Int) -> [UInt8] {
    let actor = lines[line].member.flatMap { open?.room.actor(of: $0) } ?? Identifier(packed: 5)!
    func operation(_ set: Properties, _ at: Stamp?) -> [UInt8] {
      let shape = open?.room.canvas.shapes.randomElement(using: &random)?.id ?? Identifier.random(using: &random)
      let unknown = Identifier.random(using: &random)
      let operations = [ProposedOperation(shape: Bool.random(using: &random) ? shape : unknown, at: at, set: set)]
      return BinaryEncoding.encode(.operations(Submission(id: MessageIdentifier(1), operations: operations)))
    }
    var set = Properties()
    switch Int.random(in: 0..<7, using: &random) {
    case 6: return BinaryEncoding.encode(.hello(Hello()))
    case 0: return (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
    case 1:
      set.delete()
      return operation(set, nil)
    case 2:
      set.alpha = 3
      return operation(set, Stamp(milliseconds: Stamp.millisecondsMax, counter: 0, actor: actor))
    case 3:
      // The stamp is just as far in the future as the server allows, so the operation is accepted.
      set.alpha = 4
      let ahead = now.wallMilliseconds + limits.clockAheadMilliseconds
      return operation(set, Stamp(milliseconds: ahead, counter: 65_535, actor: actor))
    case 4:
      set.alpha = 5
      return operation(set, Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: Identifier(packed: 77)!))
    default:
      set.rotation = 5
      return operation(set, Stamp(milliseconds: 1, counter: 0, actor: actor))
    }
  }

  // MARK: Time

  private mutating func changeTabClock() {
    guard let tab = someTab() else { return }
    count(.tabClockJumped)
    let error = history.dice.clockErrorMax
    parties[tab].wallError = Int64.random(in: -error...error, using: &random)
    tell("\(parties[tab].name)'s clock is now wrong by \(parties[tab].wallError) ms.")
  }

  private mutating func changeServerClock() {
    let error = history.dice.serverClockErrorMax
    let new = Int64.random(in: -error...error, using: &random)
    if new < node.clockError { count(.serverClockBack) }
    node.clockError = new
    tell("\(server)'s clock is now wrong by \(new) ms.")
  }

  /// The length of an iteration in which clients only read and the room settles.
  static let waitingTurnMilliseconds: UInt64 = 100

  private mutating func wait() {
    tell("A while passes.")
    for _ in 0..<150 {
      time += World.waitingTurnMilliseconds
      turn()
    }
  }
}
