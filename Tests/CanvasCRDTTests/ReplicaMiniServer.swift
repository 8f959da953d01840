import Testing

@testable import CanvasCRDT

/// A room that follows the contract, and is as unkind as the contract allows. It is a value, for testing replicas.
struct MiniServer {
  struct Session {
    var actor: Identifier?
    var place = 0
    var mail: [[UInt8]] = []
  }

  /// What may go wrong, each with its probability.
  struct Faults {
    var rejects = 0.0
    var passingRejects = 0.0
    var newActors = 0.0
    var resets = 0.0
  }

  /// The encoding of all connections.
  var encoding = WireEncoding.binary
  var limits = RoomLimits()
  var role = Role.editor
  var faults = Faults()
  var canvas = Canvas()
  var log: [Operation] = []
  var accepted: Set<Stamp> = []
  var sessions: [Int: Session] = [:]
  /// Cursors from an earlier epoch are not honoured.
  var epoch = 0
  /// How many shapes go into one part of the state.
  var partShapes = 3
  /// How often a cursor was refused for no reason.
  var resets = 0
  /// Operations that were refused for their content. They are refused whenever they come.
  var refused: [Stamp: RejectCode] = [:]
  /// How often each code was given.
  var refusals: [RejectCode: Int] = [:]
  var submissions: [[ProposedOperation]] = []
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func happens(_ probability: Double) -> Bool {
    probability > 0 && Double.random(in: 0..<1, using: &random) < probability
  }

  func cursor(_ place: Int) -> Cursor { Cursor(Text("e\(epoch)-\(place)")) }

  private func place(of cursor: Cursor?) -> Int? {
    guard let cursor else { return nil }
    return (0...log.count).first { self.cursor($0) == cursor }
  }

  mutating func open(_ session: Int) { sessions[session] = Session() }
  mutating func close(_ session: Int) { sessions[session] = nil }

  mutating func receive(_ bytes: [UInt8], from session: Int, wall: UInt64) throws {
    switch try decode(bytes) {
    case .hello(let hello): welcome(hello, session, wall: wall)
    case .operations(let submission): answer(submission, session, wall: wall)
    case .presence(let state):
      guard let actor = sessions[session]?.actor else { return }
      for other in sessions.keys.sorted() where other != session {
        mail(.presence([PeerState(actor: actor, state: state)]), to: other)
      }
    case .ping(let id): mail(.pong(id: id, milliseconds: wall), to: session)
    case .digest: mail(.digest(cursor: cursor(log.count), hash: canvas.digest), to: session)
    }
  }

  mutating func mail(_ message: ServerMessage, to session: Int) {
    let bytes =
      switch encoding {
      case .json: JSONEncoding.encode(message)
      case .binary: BinaryEncoding.encode(message)
      }
    sessions[session]?.mail.append(bytes)
  }

  func decode(_ bytes: [UInt8]) throws(MessageError) -> ClientMessage {
    switch encoding {
    case .json: try JSONEncoding.decodeClientMessage(bytes)
    case .binary: try BinaryEncoding.decodeClientMessage(bytes)
    }
  }

  func isSubmission(_ bytes: [UInt8]) -> Bool {
    if case .operations? = try? decode(bytes) { return true }
    return false
  }

  /// Whether an answer to one of its messages is still on its way to a session.
  func owesAnswer(to session: Int) -> Bool {
    sessions[session]?.mail.contains { bytes in
      if case .acknowledgement? = try? encoding.decode(bytes) { return true }
      return false
    } ?? false
  }

  private mutating func welcome(_ hello: Hello, _ session: Int, wall: UInt64) {
    var actor = hello.actor ?? Identifier.random(using: &random)
    if happens(faults.newActors) { actor = Identifier.random(using: &random) }
    sessions[session]?.actor = actor
    mail(
      .welcome(
        Welcome(room: "demo", actor: actor, role: role, milliseconds: wall, limits: limits, peers: [])
      ),
      to: session
    )
    var since = place(of: hello.since)
    if since != nil, happens(faults.resets) {
      since = nil
      resets += 1
    }
    deliver(since: since, to: session)
  }

  /// Sends everything after `since`, in parts that all have the last cursor. A client that believed a part's cursor
  /// would lose the rest.
  private mutating func deliver(since: Int?, to session: Int) {
    let end = cursor(log.count)
    let asLog = since != nil && happens(0.5)
    var contents: [Delivery.Content] = []
    if asLog, let since {
      // Some of it is sent a second time, which changes nothing.
      var rest = log[max(0, since - Int.random(in: 0...2, using: &random))...]
      while !rest.isEmpty {
        contents.append(.operations(Array(rest.prefix(2))))
        rest = rest.dropFirst(2)
      }
    } else {
      for part in canvas.stateParts(since: since.map { UInt64($0) }, shapesMax: partShapes) {
        contents.append(happens(0.5) ? .state(part) : .operations(part.operations))
      }
    }
    if contents.isEmpty { contents = [.operations([])] }
    for (index, content) in contents.enumerated() {
      mail(
        .operations(
          Delivery(
            cursor: end,
            content: content,
            more: index < contents.count - 1,
            reset: since == nil && index == 0
          )
        ),
        to: session
      )
    }
    sessions[session]?.place = log.count
  }

  private mutating func answer(_ submission: Submission, _ session: Int, wall: UInt64) {
    guard let actor = sessions[session]?.actor else { return }
    submissions.append(submission.operations)
    if let rejection = refusal(of: submission, actor: actor, wall: wall) {
      refusals[rejection.code, default: 0] += 1
      mail(.rejection(rejection), to: session)
      return
    }
    var acknowledgement = Acknowledgement(id: submission.id, cursor: cursor(0))
    for (index, proposed) in submission.operations.enumerated() {
      guard let at = proposed.at else { continue }
      let operation = Operation(shape: proposed.shape, at: at, set: proposed.set)
      log.append(operation)
      accepted.insert(at)
      let change = canvas.apply(operation, place: UInt64(log.count))
      for property in change.superseded {
        guard let by = canvas.winner(of: property, in: proposed.shape) else { continue }
        acknowledgement.superseded.append(Superseded(operation: index, property: property, by: by))
      }
    }
    acknowledgement.cursor = cursor(log.count)
    // The answer may come before or after the writer's own operations.
    if happens(0.5) { flush(session) }
    mail(.acknowledgement(acknowledgement), to: session)
  }

  private mutating func refusal(of submission: Submission, actor: Identifier, wall: UInt64) -> Rejection? {
    func rejection(_ code: RejectCode, _ operation: Int? = nil) -> Rejection {
      Rejection(id: submission.id, operation: operation, code: code, message: "for the sake of the test")
    }
    if role == .viewer { return rejection(.readOnly) }
    if submission.operations.count > Int(limits.operationsPerMessage) { return rejection(.tooManyOperations) }
    for (index, operation) in submission.operations.enumerated() {
      guard let at = operation.at, at.actor == actor else { return rejection(.badStamp, index) }
      if case .ahead = Clock.standing(
        of: at,
        wallMilliseconds: wall,
        aheadMillisecondsMax: limits.clockAheadMilliseconds,
        horizonMilliseconds: limits.horizonMilliseconds
      ) {
        return rejection(.clockAhead, index)
      }
    }
    if happens(faults.passingRejects) { return rejection(Bool.random(using: &random) ? .rateLimited : .unavailable) }
    for (index, operation) in submission.operations.enumerated() {
      // An operation that was accepted once is not refused when it comes again.
      guard let at = operation.at, !accepted.contains(at) else { continue }
      if refused[at] == nil, happens(faults.rejects) {
        refused[at] = [.badValue, .roomFull, .tooOld][Int.random(in: 0..<3, using: &random)]
      }
      if let code = refused[at] { return rejection(code, index) }
    }
    return nil
  }

  /// Sends a session everything that it has not been sent yet.
  mutating func flush(_ session: Int) {
    guard let place = sessions[session]?.place, sessions[session]?.actor != nil, place < log.count else { return }
    if happens(0.2) { return deliver(since: place, to: session) }
    mail(.operations(Delivery(cursor: cursor(log.count), operations: Array(log[place...]))), to: session)
    sessions[session]?.place = log.count
  }
}
