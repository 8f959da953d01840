import TestSupport

@testable import CanvasCRDT

/// Records a history: other people are busy in a room, while one replica joins, edits, gets refusals, and loses its
/// connection and returns.
struct HistoryRecorder {
  private(set) var history: RecordedHistory
  private var player: HistoryPlayer
  private var random: RandomHistory
  private var room = Canvas()
  private var place = 0
  private var time: UInt64 = 1_000
  private let own: Identifier

  init?(seed: UInt64, encoding: WireEncoding) {
    random = RandomHistory(seed: seed, shapes: 36, actors: 4)
    random.milliseconds = RecordedHistory.epoch...RecordedHistory.epoch + 40
    own = Identifier.random(using: &random.generator)
    let beginning = RecordedHistory.Beginning(actor: own, seed: seed, encoding: encoding)
    guard let player = HistoryPlayer(beginning) else { return nil }
    self.player = player
    history = RecordedHistory(beginning: beginning)
  }

  mutating func record() throws -> RecordedHistory {
    try play("start")
    for shape in random.shapes.prefix(20) { room.apply(birth(of: shape)) }
    for _ in 0..<30 { room.apply(operation()) }
    try join(reset: true)
    for turn in 0..<45 {
      switch Int.random(in: 0..<10, using: &random.generator) {
      case 0..<4: try deliver(operations())
      case 4..<7: try edit()
      case 7:
        let shape = random.shapes.randomElement(using: &random.generator)!
        try play("delete") { $0.shapes = [shape.text] }
      case 8: try play("undo")
      default: try play(Bool.random(using: &random.generator) ? "redo" : "undo")
      }
      if turn == 25 { try loseConnection() }
      if turn == 40 { try play("clear") }
      if turn == 41 { try play("undo") }
    }
    try play("wake") { $0.picture = RecordedHistory.Picture(Canvas()) }
    return history
  }

  // MARK: - One event

  /// Passes an event to the replica and records it. The room then answers the replica's messages.
  private mutating func play(_ name: String, _ fill: (inout RecordedHistory.Event) -> Void = { _ in }) throws {
    time += UInt64.random(in: 1...900, using: &random.generator)
    var event = RecordedHistory.Event(name, time: time)
    fill(&event)
    if history.events.count % 12 == 11 { event.picture = RecordedHistory.Picture(Canvas()) }
    let (played, sent) = try player.play(event)
    history.events.append(played)
    guard player.replica.state.isJoined else { return }
    for bytes in sent { try answer(bytes) }
  }

  private mutating func receive(_ message: ServerMessage) throws {
    let bytes =
      player.encoding == .json ? JSONEncoding.encode(message) : BinaryEncoding.encode(message)
    try play("received") { [player] in $0.frame = player.text(of: bytes) }
  }

  // MARK: - The room

  private mutating func join(reset: Bool) throws {
    try play("connected")
    let peers = [Peer(actor: random.actors[0], name: "Größe", color: Color(packed: 0xE4572E))]
    let now = RecordedHistory.epoch + time
    try receive(
      .welcome(Welcome(room: "demo", actor: own, role: .editor, milliseconds: now, limits: RoomLimits(), peers: peers))
    )
    if reset, player.encoding == .binary {
      let parts = room.stateParts(shapesMax: 16)
      for (index, part) in parts.enumerated() {
        let more = index < parts.count - 1
        try receive(.operations(Delivery(cursor: cursor, content: .state(part), more: more, reset: index == 0)))
      }
    } else {
      try receive(.operations(Delivery(cursor: cursor, operations: room.operations(), reset: reset)))
    }
  }

  private mutating func loseConnection() throws {
    try play("disconnected") { $0.code = 1_001 }
    try edit()
    for _ in 0..<8 { room.apply(operation()) }
    time += 20_000
    try play("wake")
    try join(reset: false)
  }

  private mutating func deliver(_ operations: [CanvasCRDT.Operation]) throws {
    for operation in operations { room.apply(operation) }
    place += operations.count
    try receive(.operations(Delivery(cursor: cursor, operations: operations)))
  }

  /// Answers a message of the replica as a room does: broadcasts operations or refuses them, and answers digests.
  /// Sometimes an acknowledgement comes before the broadcast.
  private mutating func answer(_ bytes: [UInt8]) throws {
    let message =
      player.encoding == .json
      ? try JSONEncoding.decodeClientMessage(bytes) : try BinaryEncoding.decodeClientMessage(bytes)
    if case .digest = message { return try receive(.digest(cursor: cursor, hash: room.digest)) }
    guard case .operations(let submission) = message else { return }
    if Int.random(in: 0..<8, using: &random.generator) == 0 {
      let refusal = Rejection(id: submission.id, operation: 0, code: .badValue, message: "not today")
      return try receive(.rejection(refusal))
    }
    let operations = submission.operations.map { CanvasCRDT.Operation(shape: $0.shape, at: $0.at!, set: $0.set) }
    let acknowledgement = ServerMessage.acknowledgement(Acknowledgement(id: submission.id, cursor: cursor))
    if Bool.random(using: &random.generator) {
      try deliver(operations)
      try receive(acknowledgement)
    } else {
      for operation in operations { room.apply(operation) }
      try receive(acknowledgement)
      try deliver(operations)
    }
  }

  private var cursor: Cursor { Cursor(Text("k3-\(place)")) }

  // MARK: - Random edits

  private mutating func edit() throws {
    var edits: [ShapeEdit] = []
    for _ in 0..<Int.random(in: 1...4, using: &random.generator) {
      let shape = random.shapes.randomElement(using: &random.generator)!
      edits.append(ShapeEdit(shape: shape, set: properties()))
    }
    let text = RecordedHistory.Event.edit(edits).edits
    let isGrouped = Bool.random(using: &random.generator)
    if isGrouped { try play("beginGroup") }
    try play("edit") { $0.edits = text }
    if isGrouped { try play("endGroup") }
  }

  private mutating func operation() -> CanvasCRDT.Operation {
    random.milliseconds = (RecordedHistory.epoch + time - 500)...(RecordedHistory.epoch + time)
    var operation = random.operation()
    operation.set = properties()
    return operation
  }

  private mutating func birth(of shape: Identifier) -> CanvasCRDT.Operation {
    var set = Properties()
    set.kind = ShapeKind.allCases.randomElement(using: &random.generator)!
    random.assignRandom(.name, in: &set)
    set.position = Point(x: coordinate() / 2, y: coordinate() / 2)
    var operation = operation()
    operation.shape = shape
    operation.set = set
    return operation
  }

  private mutating func operations() -> [CanvasCRDT.Operation] {
    var operations: [CanvasCRDT.Operation] = []
    for _ in 0..<Int.random(in: 1...6, using: &random.generator) { operations.append(operation()) }
    return operations
  }

  /// Random properties. The shapes are close together, so they overlap, and part of each stays visible.
  private mutating func properties() -> Properties {
    var set = random.properties()
    if set.assigned.contains(.position) || set.assigned.contains(.kind) {
      set.position = Point(x: coordinate() / 2, y: coordinate() / 2)
    }
    if set.assigned.contains(.size) || set.assigned.contains(.kind) {
      set.size = Size(width: coordinate() / 4 + 1, height: coordinate() / 4 + 1)
    }
    if set.assigned.contains(.kind), !set.assigned.contains(.z) {
      var key = Properties()
      random.assignRandom(.z, in: &key)
      set.z = key.z
    }
    return set
  }

  private mutating func coordinate() -> Double { Double(Int.random(in: 0...9_999, using: &random.generator)) / 10 }
}
