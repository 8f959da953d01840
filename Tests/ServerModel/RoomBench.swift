import CanvasCRDT
import TestSupport
import Testing

@testable import SyncServer

/// A simulated client: what it was sent, and the drawing that it made of the messages.
struct TestClient {
  var talk: Talk
  var id: MemberID?
  /// The client's address.
  var party: String
  var arrived: [UInt8] = []
  var messages: [ServerMessage] = []
  /// The messages as bytes. A test may pass them to a replica.
  var mail: [[UInt8]] = []
  /// How many bytes the socket accepts each time it is offered some. `nil` means all.
  var takes: Int?
  /// The memory address of the bytes last offered to the socket, to see whether readers share a buffer.
  var offeredFrom: UInt = 0
  var closed: CloseCode?

  var canvas = Canvas()
  var cursor: Cursor?
  /// The cursor in the last message. A client must not resume from it if the message had `more`, because then its state
  /// is incomplete.
  var newestCursor: Cursor?
  var pairs: Set<ShapePair> = []
  var peers: [Identifier: Peer] = [:]
  var isReadingPaused = false
  var digests = 0
  /// How many digests differed from the client's own, in the cursor or in the hash.
  var digestsThatDiffer = 0

  /// The length of the longest message in bytes.
  var messageBytesMax = 0

  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, takes ?? bytes.count)
    offeredFrom = UInt(bitPattern: bytes.baseAddress)
    arrived.append(contentsOf: bytes.prefix(count))
    for message in LengthFraming.takeMessages(&arrived) {
      mail.append(message)
      messageBytesMax = max(messageBytesMax, message.count)
      do {
        let decoded =
          talk.encoding == .json
          ? try JSONEncoding.decodeServerMessage(message) : try BinaryEncoding.decodeServerMessage(message)
        follow(decoded)
        messages.append(decoded)
      } catch {
        Issue.record("a client can't read what it was sent: \(error)")
      }
    }
    return count
  }

  private mutating func follow(_ message: ServerMessage) {
    switch message {
    case .welcome(let welcome): for peer in welcome.peers { peers[peer.actor] = peer }
    case .operations(let delivery):
      if delivery.reset { canvas = Canvas() }
      switch delivery.content {
      case .operations(let operations): for operation in operations { canvas.apply(operation) }
      case .state(let part): canvas.merge(part)
      }
      newestCursor = delivery.cursor
      if !delivery.more { cursor = delivery.cursor }
    case .join(let peer): peers[peer.actor] = peer
    case .leave(let actor): peers[actor] = nil
    case .presence(let states): for state in states { peers[state.actor]?.state = state.state }
    case .overlaps(let notice):
      pairs.formUnion(notice.began)
      pairs.subtract(notice.ended)
    case .digest(let cursor, let hash):
      digests += 1
      if cursor != self.cursor || hash != canvas.digest { digestsThatDiffer += 1 }
    // Other messages don't change the drawing. Tests look for them in `messages`.
    default: break
    }
  }
}

/// A room with a simulated log and simulated connections, all under the control of the test.
struct RoomBench {
  var room: Room
  var clients: [TestClient] = []
  var log: [RoomRecord] = []
  /// Batches that the room has sent to the log, and that are not stored yet.
  var waiting: [Batch] = []
  var answers: [(request: UInt64, outcome: Result<Cursor, Rejection>)] = []
  /// The room's requests to compute overlaps. They are carried out at once, unless `holdsOrders` is set.
  var orders: [Handover<OverlapWork>] = []
  var holdsOrders = false
  /// What the server as a whole takes from clients.
  var allowance = Allowance.all
  /// The actor that everybody's token names, if it names one (C10).
  var tokenActor: Identifier?
  /// How often the room found that another node has a different record at the same position of the log.
  var differences = 0
  var overlapAnswers: [(request: UInt64, index: OverlapIndex, cursor: Cursor)] = []
  var now = Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_000)
  var random = SeededGenerator(seed: 7)
  /// Identifies the server's process in the records that it writes.
  var run: UInt64 = 0x5EED
  let limits: Limits
  /// How many writes to sockets there have been.
  var writes = 0
  var pauses = 0
  var resumes = 0

  static let epoch: UInt64 = 1_763_650_000_000

  /// - Parameters:
  ///   - company: the number of this node, if other nodes may open the room too. `nil` for a single server.
  ///   - vocabularies: those that clients can name in `hello`.
  init(
    company: UInt64? = nil,
    vocabularies: [Vocabulary] = Vocabulary.all,
    _ change: (inout Limits) -> Void = { _ in }
  ) {
    var limits = Limits()
    change(&limits)
    self.limits = limits
    room = RoomBench.room(limits, company: company, vocabularies: vocabularies)
  }

  static func room(
    _ limits: Limits,
    epoch: UInt64 = 77,
    image: RoomImage? = nil,
    company: UInt64? = nil,
    vocabularies: [Vocabulary] = Vocabulary.all
  ) -> Room {
    Room(
      name: "demo",
      epoch: epoch,
      limits: limits,
      framing: .byLength,
      seed: 3,
      image: image,
      company: company.map { Company(number: $0) },
      vocabularies: vocabularies
    )
  }

  // MARK: Time

  mutating func pass(_ milliseconds: UInt64) {
    now.wallMilliseconds += milliseconds
    now.monotonicMilliseconds += milliseconds
  }

  // MARK: Connections

  mutating func connect(_ encoding: WireEncoding = .binary, roleMax: Role = .editor) -> Int {
    clients.append(
      TestClient(
        talk: Talk(encoding, roleMax: roleMax, limits: limits, now: now),
        party: "client \(clients.count)"
      )
    )
    return clients.count - 1
  }

  /// - Parameters:
  ///   - takes: how many bytes the client's socket accepts each time. `nil` means all.
  ///   - canvas: what the client has, if it comes back.
  @discardableResult
  mutating func join(
    _ encoding: WireEncoding = .binary,
    takes: Int? = nil,
    from address: String? = nil,
    with canvas: Canvas = Canvas(),
    _ change: (inout Hello) -> Void = { _ in }
  ) -> Int {
    let client = connect(encoding)
    clients[client].takes = takes
    if let address { clients[client].party = address }
    clients[client].canvas = canvas
    var hello = Hello()
    change(&hello)
    say(.hello(hello), client)
    settle()
    return client
  }

  /// Joins with the actor of an earlier client.
  mutating func again(_ client: Int, _ change: (inout Hello) -> Void = { _ in }) -> Int {
    let (actor, key) = (actor(client), key(client))
    return join(clients[client].talk.encoding) { hello in
      hello.actor = actor
      hello.key = key
      change(&hello)
    }
  }

  func actor(_ client: Int) -> Identifier { welcome(client)?.actor ?? shape(0) }
  func key(_ client: Int) -> Text? { welcome(client)?.key }

  private func welcome(_ client: Int) -> Welcome? {
    for message in clients[client].messages { if case .welcome(let welcome) = message { return welcome } }
    Issue.record("client \(client) has not been welcomed")
    return nil
  }

  @discardableResult
  mutating func say(_ message: ClientMessage, _ client: Int) -> Heard {
    let encoding = clients[client].talk.encoding
    return say(encoding == .json ? JSONEncoding.encode(message) : BinaryEncoding.encode(message), client)
  }

  @discardableResult
  mutating func say(_ bytes: [UInt8], _ client: Int, isText: Bool? = nil) -> Heard {
    let isText = isText ?? clients[client].talk.encoding.isText
    let now = now
    let heard = bytes.withUnsafeBytes { clients[client].talk.received($0, isText: isText, now: now) }
    act(heard, client)
    return heard
  }

  /// Makes a newcomer the actor that the token names, as the server's hub does.
  private func granted(_ heard: Heard) -> Heard {
    guard case .join(var hello, let role) = heard, let tokenActor else { return heard }
    hello.actor = tokenActor
    hello.key = ActorKeys.inTests.key(of: tokenActor, in: "demo")
    return .join(hello, role)
  }

  mutating func act(_ heard: Heard, _ client: Int) {
    let encoding = clients[client].talk.encoding
    let party = clients[client].party
    let heard = granted(heard)
    let code = room.take(
      heard,
      from: &clients[client].id,
      at: party,
      encoding: encoding,
      allowance: allowance,
      now: now,
      using: &random
    )
    if let code {
      clients[client].closed = code
      leave(client)
    }
    takeEffects()
  }

  mutating func leave(_ client: Int) {
    if let id = clients[client].id { room.leave(id, now: now) }
    clients[client].id = nil
    takeEffects()
  }

  /// Replaces the server's process by one that has opened the room and has no connections.
  mutating func restart(with room: Room) {
    self.room = room
    run = random.next()
    waiting = []
    orders = []
    for client in clients.indices { clients[client].id = nil }
  }

  mutating func takeEffects() {
    takeRoomEffects()
    while !holdsOrders, !orders.isEmpty { carryOutOrder() }
  }

  /// Carries out the oldest request to compute overlaps.
  mutating func carryOutOrder() {
    if let work = orders.removeFirst().take() { room.overlapsDone(work.done(), now: now) }
    takeRoomEffects()
  }

  /// Asks which shapes overlap now, as an HTTP request does.
  mutating func askOverlaps() -> (index: OverlapIndex, cursor: Cursor)? {
    overlapAnswers = []
    room.askOverlaps(request: 4_711, now: now)
    takeEffects()
    return overlapAnswers.first.map { ($0.index, $0.cursor) }
  }

  private mutating func takeRoomEffects() {
    for effect in room.takeEffects() {
      switch effect {
      case .append(let batch): waiting.append(batch)
      case .prepare(let layout): waiting.append(layout.stamped())
      case .answered(let request, let outcome): answers.append((request, outcome))
      case .overlaps(let order): orders.append(order)
      case .overlapsAnswered(let request, let index, let cursor): overlapAnswers.append((request, index, cursor))
      case .close(let id, let code, _, _):
        guard let client = clients.firstIndex(where: { $0.id == id }) else { continue }
        clients[client].closed = code
        clients[client].id = nil
      case .pauseReading(let id):
        pauses += 1
        clients.firstIndex { $0.id == id }.map { clients[$0].isReadingPaused = true }
      case .resumeReading(let id):
        resumes += 1
        clients.firstIndex { $0.id == id }.map { clients[$0].isReadingPaused = false }
      case .differs: differences += 1
      }
    }
  }

  // MARK: The log

  /// Stores the oldest batch, and delivers its record to the room.
  mutating func commit() {
    guard let batch = takeBatch() else { return }
    let record = RoomRecord(
      position: (log.last?.position ?? 0) + 1,
      milliseconds: now.wallMilliseconds,
      batch: batch.number,
      run: room.knows(run: run) ? nil : run,
      forgottenBefore: batch.forgottenBefore,
      operations: batch.operations
    )
    deliver(record)
    takeEffects()
  }

  /// Delivers a record to the room, for the first time or again.
  mutating func deliver(_ record: RoomRecord) {
    if record.position > log.last?.position ?? 0 { log.append(record) }
    do throws(MissingRecord) {
      try room.delivered(record, now: now)
    } catch {
      Issue.record("record \(error.position) is missing")
    }
  }

  /// Makes the log fail to store the oldest batch.
  /// - Returns: the batch.
  @discardableResult
  mutating func fail() -> Batch? {
    guard let batch = takeBatch() else { return nil }
    room.failed(batch: batch.number)
    takeEffects()
    return batch
  }

  /// Removes the oldest batch. The test has to answer it in place of the log.
  mutating func takeBatch() -> Batch? {
    guard !waiting.isEmpty else {
      Issue.record("the log has not been asked to store anything")
      return nil
    }
    return waiting.removeFirst()
  }

  mutating func send(seatsMax: Int = .max) {
    var clients = clients
    var writes = 0
    room.send(now: now, seatsMax: seatsMax) { id, bytes in
      writes += 1
      guard let client = clients.firstIndex(where: { $0.id == id }) else { return 0 }
      return clients[client].take(bytes)
    }
    self.clients = clients
    self.writes += writes
    takeEffects()
  }

  /// Makes the room's next broadcast if it is due, and sends it.
  mutating func beatIfDue() {
    if room.isFlushDue(now: now) { room.flush(now: now) }
    send()
  }

  /// Stores, broadcasts and delivers everything that is pending. Time passes only as far as the broadcast interval
  /// requires.
  mutating func settle() {
    repeat {
      while !waiting.isEmpty { commit() }
      if let due = room.flushDueAt {
        if due > now.monotonicMilliseconds { pass(due - now.monotonicMilliseconds) }
        room.flush(now: now)
      }
      takeEffects()
      send()
    } while !waiting.isEmpty || room.flushDueAt != nil
  }

  /// Tells the room that a stalled reader's socket accepts bytes again.
  mutating func wake(_ client: Int) {
    guard let id = clients[client].id else { return }
    var clients = clients
    // The room might have held back a broadcast for this reader. Then it sends the broadcast now, to other clients too.
    room.writable(id, now: now) { id, bytes in
      guard let client = clients.firstIndex(where: { $0.id == id }) else { return 0 }
      return clients[client].take(bytes)
    }
    self.clients = clients
    takeEffects()
  }

  // MARK: Writing

  /// Writes to a shape as this client. Without `stamp`, the current time is the stamp.
  @discardableResult
  mutating func write(
    _ client: Int,
    _ shape: Identifier,
    id: UInt64 = 1,
    at stamp: Stamp? = nil,
    _ assign: (inout Properties) -> Void
  ) -> Stamp {
    pass(1)
    let at = stamp ?? Stamp(milliseconds: now.wallMilliseconds, counter: 0, actor: actor(client))!
    let operation = ProposedOperation(shape: shape, at: at, set: Properties(assign))
    say(.operations(Submission(id: MessageIdentifier(id), operations: [operation])), client)
    return at
  }

  func shape(_ number: UInt64) -> Identifier { Identifier(packed: number)! }

  func rejections(_ client: Int) -> [RejectCode] {
    clients[client].messages.compactMap { $0.rejection?.code }
  }

  /// The messages with operations in order, including those of a state.
  func deliveries(_ client: Int) -> [Delivery] { clients[client].messages.compactMap(\.delivery) }

  /// The presence of others in each message that the client received.
  func presences(_ client: Int) -> [[PeerState]] {
    clients[client].messages.compactMap { if case .presence(let states) = $0 { states } else { nil } }
  }

  func acknowledgements(_ client: Int) -> [Acknowledgement] {
    clients[client].messages.compactMap { if case .acknowledgement(let answer) = $0 { answer } else { nil } }
  }

  /// Checks that the client has what the room has, and that nothing is pending.
  func expectCaughtUp(_ client: Int, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
    #expect(clients[client].canvas == room.canvas, comment, sourceLocation: location)
    #expect(clients[client].cursor == room.cursor, comment, sourceLocation: location)
    #expect(clients[client].arrived.isEmpty, comment, sourceLocation: location)
  }
}
