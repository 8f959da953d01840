import CanvasCRDT

/// How far a connection has read, and the bytes that it is being sent: a buffer that its socket has taken in part, and
/// a few answers. There is no queue of broadcasts.
///
/// What always holds:
/// - A chunk that a socket has begun to take is sent whole before anything else. A chunk counts as sent only when it
///   has been sent whole.
/// - If the socket takes no byte of what it is offered, the offer is withdrawn: when the socket takes bytes again,
///   there may be something newer.
/// - `told` is set when the reader joins or falls behind. It is cleared when the reader has been sent what it lacks.
/// - Reading from the connection pauses when the backlog passes a bound. It goes on only when the backlog is below half
///   of that bound, so that it doesn't stop and start all the time.
struct Reader: Sendable {
  let id: MemberID
  let channel: Channel
  let actor: Identifier
  /// The client's address. Readers of different addresses get equal shares of the state streams.
  let party: String

  /// Where the reader's next bytes come from.
  enum Stage: Sendable {
    /// The reader can't enter a stream of the room's state yet. It tries again after the next broadcast. If it was
    /// turned away because there were too many streams, it tries again when a new stream can begin.
    case waiting(wasTurnedAway: Bool)
    /// From a stream of the room's state. `next` is the index of its next part.
    case state(stream: Int, next: Int)
    /// From messages about people and overlaps, which the reader missed. The buffers are sent one after the other.
    case notices([[UInt8]], next: Int)
    /// From the ring.
    case live
  }

  private(set) var stage = Stage.live
  /// The log position up to which the reader had all operations when it fell behind. The reader has got no broadcast
  /// since. `nil` if it has to be sent everything.
  private(set) var position: UInt64?
  private(set) var told: Told?
  /// How many of the reader's state streams in a row were ended before the reader had got them whole.
  private(set) var statesLost = 0
  /// The reader has been told who joined or left in the broadcasts before this ordinal.
  private(set) var peopleToldBefore: UInt64

  /// The content of the bytes that are being sent.
  enum Cargo: Sendable {
    case answers, part, notice, states, beat
    /// The newest values, sent in place of all broadcasts before this ordinal.
    case leap(to: UInt64)
  }

  /// The bytes being sent, in a buffer that readers may share.
  private var chunk: [UInt8] = []
  /// Bytes for this reader alone, sent after `chunk`.
  private var own: [UInt8] = []
  /// How many bytes of `chunk` and `own` together the socket has taken.
  private var offset = 0
  private var cargo = Cargo.answers
  /// How many answers are among the loaded bytes. These answers are dropped when the first byte has been sent.
  private var answersLoaded = 0

  /// The members whose newest presence still has to be sent, because the connection was too slow. Members who have
  /// waited longest come first.
  private(set) var owed: [Identifier] = []
  /// The value that `owed` gets when the first loaded byte has been sent. `nil` if `owed` stays as it is.
  private var owedAfterwards: [Identifier]?

  // MARK: Backlog

  private var answers = Answers()
  private var operationsUnderWay: UInt64 = 0
  private(set) var isReadingPaused = false

  init(id: MemberID, channel: Channel, actor: Identifier, party: String, told: Told, position: UInt64?) {
    self.id = id
    self.channel = channel
    self.actor = actor
    self.party = party
    self.told = told
    self.position = position
    peopleToldBefore = told.ordinal
  }

  // MARK: - Sending

  /// Whether the reader needs only broadcasts, which are the same bytes for everyone in its channel.
  var isPlain: Bool {
    guard case .live = stage else { return false }
    return chunk.isEmpty && answers.isEmpty && owed.isEmpty
  }

  var isSending: Bool { !chunk.isEmpty }
  var isSendingBeat: Bool { if case .beat = cargo { !chunk.isEmpty } else { false } }

  mutating func load(_ bytes: [UInt8], _ cargo: Cargo, own: [UInt8] = [], taken: Int = 0) {
    chunk = bytes
    self.own = own
    self.cargo = cargo
    offset = taken
  }

  /// Loads the answers that may be sent to a reader that has got the broadcasts before `ordinal`.
  /// - Returns: whether there were such answers.
  mutating func loadAnswers(upTo ordinal: UInt64) -> Bool {
    guard !answers.isEmpty else { return false }
    var bytes: [UInt8] = []
    let count = answers.append(upTo: ordinal, to: &bytes)
    guard count > 0 else { return false }
    load(bytes, .answers)
    answersLoaded = count
    return true
  }

  /// Loads a broadcast. With a short broadcast, the answers before and after it are loaded too. So a writer gets its
  /// operation and the answer in one call to the socket, which costs half as much as two calls.
  /// - Returns: whether anything was loaded. Nothing is loaded if the broadcast has nothing for the reader's channel
  ///   and there are no answers.
  mutating func load(beat bytes: [UInt8], ordinal: UInt64) -> Bool {
    let isShort = bytes.count <= Reader.joinedBytesMax
    if bytes.isEmpty || !isShort, loadAnswers(upTo: ordinal) { return true }
    guard !bytes.isEmpty else { return false }
    guard isShort, !answers.isEmpty else {
      load(bytes, .beat)
      return true
    }
    join(bytes, [], .beat, from: ordinal, to: ordinal &+ 1)
    return true
  }

  /// Loads presence of other members.
  /// - Parameter owed: the members whose newest presence the reader lacks after that.
  mutating func load(states bytes: [UInt8], owed: [Identifier]) {
    load(bytes, .states)
    owe(owed)
  }

  /// Sets the members whose presence still has to be sent. If bytes are loaded, the change takes effect when the first
  /// byte has been sent.
  private mutating func owe(_ actors: [Identifier]) {
    if chunk.isEmpty { owed = actors } else { owedAfterwards = actors }
  }

  /// Loads the newest values in place of some broadcasts. Short values are loaded together with the answers before and
  /// after those broadcasts. Long values are sent from a shared buffer. If answers have to be sent before long values,
  /// this call loads only the answers.
  /// - Parameters:
  ///   - own: bytes for this reader alone, which follow the values.
  ///   - owed: the members whose newest presence the reader still lacks after the values.
  ///   - digest: makes the answer as of the end of these broadcasts, if the reader asked for a digest.
  mutating func load(
    newest bytes: [UInt8],
    _ own: [UInt8],
    from ordinal: UInt64,
    to end: UInt64,
    owed: [Identifier],
    digest: () -> [UInt8]
  ) {
    // Each waiting digest is for a log position that the reader skips now. A digest of the reader's new position
    // replaces it.
    if answers.hasDigest {
      for _ in 0..<answers.dropDigests() { answers.add(digest(), after: end, isDigest: true) }
    }
    if bytes.count <= Reader.joinedBytesMax {
      join(bytes, own, .leap(to: end), from: ordinal, to: end)
    } else {
      if loadAnswers(upTo: ordinal) { return }
      load(bytes, .leap(to: end), own: own)
    }
    owe(owed)
  }

  private mutating func join(
    _ bytes: [UInt8],
    _ own: [UInt8],
    _ cargo: Cargo,
    from ordinal: UInt64,
    to end: UInt64
  ) {
    var joined: [UInt8] = []
    let before = answers.append(upTo: ordinal, to: &joined)
    joined += bytes
    joined += own
    let count = answers.append(upTo: end, passingOver: before, to: &joined)
    load(joined, cargo)
    answersLoaded = count
  }

  /// The most bytes of a broadcast that are copied together with the reader's answers. A longer broadcast is sent from
  /// the buffer that all readers share.
  private static let joinedBytesMax = 16_384

  /// Offers the loaded bytes to the socket.
  /// - Returns: what the bytes were, if the socket took all of them.
  mutating func offer(_ write: (MemberID, UnsafeRawBufferPointer) -> Int) -> Cargo? {
    let count = chunk.count + own.count - offset
    var taken = 0
    if offset < chunk.count {
      taken = chunk.withUnsafeBytes { bytes in write(id, UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
    }
    if taken < count, offset + taken >= chunk.count {
      let start = offset + taken - chunk.count
      taken += own.withUnsafeBytes { bytes in write(id, UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }
    if taken > 0 {
      answers.drop(answersLoaded)
      owed = owedAfterwards ?? owed
    }
    answersLoaded = 0
    owedAfterwards = nil
    guard taken >= count else {
      offset += max(0, taken)
      if offset == 0 { unload() }
      return nil
    }
    unload()
    switch (cargo, stage) {
    case (.part, .state(let stream, let next)): stage = .state(stream: stream, next: next + 1)
    case (.notice, .notices(let buffers, let next)):
      stage = next + 1 < buffers.count ? .notices(buffers, next: next + 1) : .live
    case (.part, _), (.notice, _), (.answers, _), (.states, _), (.beat, _), (.leap, _): break
    }
    return cargo
  }

  private mutating func unload() {
    chunk = []
    own = []
    offset = 0
  }

  /// If newest values are being sent, they count from now on as the last of the broadcasts that they replace.
  /// - Returns: the ordinal of that broadcast. `nil` if no newest values are being sent.
  mutating func beginsLeap() -> UInt64? {
    guard !chunk.isEmpty, case .leap(let end) = cargo else { return nil }
    cargo = .beat
    return end &- 1
  }

  // MARK: - Catching up

  mutating func waitForState(wasTurnedAway: Bool) { stage = .waiting(wasTurnedAway: wasTurnedAway) }
  mutating func enter(stream: Int) { stage = .state(stream: stream, next: 0) }

  /// The reader's state stream was ended to make space for others. This counts as a loss if the reader had taken
  /// anything of the stream.
  mutating func loseStream() {
    if case .state(_, next: 1...) = stage { statesLost += 1 }
  }

  /// Takes the reader out of its state stream.
  /// - Returns: the number of the stream that the reader was in.
  mutating func leaveStream() -> Int? {
    guard case .state(let stream, _) = stage else { return nil }
    stage = .live
    return stream
  }

  /// The reader has been sent the room's state as of this log position.
  mutating func reach(_ position: UInt64) {
    self.position = position
    statesLost = 0
  }

  /// The reader is sent what it missed, and then gets broadcasts again.
  mutating func catchUp(_ notices: [[UInt8]], peopleToldBefore ordinal: UInt64) {
    told = nil
    peopleToldBefore = ordinal
    stage = notices.isEmpty ? .live : .notices(notices, next: 0)
  }

  /// Called when the reader has got all broadcasts before `ordinal`, but won't get this one. Either the ring buffer
  /// drops the broadcast, or the reader is to skip it.
  mutating func fallOff(at ordinal: UInt64, dropped: borrowing DroppedBeats, people: Set<Identifier>) {
    let digestsWanted = answers.dropDigests()
    if let position { self.position = max(position, dropped.position) }
    let pairs = channel.hasOverlaps ? dropped.pairs : []
    told = Told(
      ordinal: ordinal,
      peopleOrdinal: max(ordinal, peopleToldBefore),
      peers: Array(people),
      pairs: pairs,
      arePairsTold: dropped.arePairsTold,
      digestsWanted: digestsWanted
    )
  }

  /// Postpones a digest that the client asks for while the reader is behind, until the reader has caught up.
  /// - Returns: false if the reader is not behind, so that the digest can be sent at once.
  mutating func deferDigest() -> Bool {
    guard told != nil else { return false }
    told?.digestsWanted += 1
    return true
  }

  // MARK: - Backlog

  mutating func answer(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.add(bytes, after: ordinal, isDigest: isDigest)
  }

  mutating func entered(operations: UInt64) { operationsUnderWay += operations }
  mutating func landed(operations: UInt64) { operationsUnderWay -= operations }

  /// The bytes of the answers that wait, and of the postponed digests.
  private var answerBytes: UInt64 { UInt64(answers.byteCount + (told?.digestsWanted ?? 0) * Reader.digestBytes) }

  /// The approximate length of a message with a digest.
  private static let digestBytes = 64

  /// - Returns: whether reading from the connection has to pause now, because too many of its answers or operations
  ///   wait.
  mutating func pausesReading(_ limits: Limits) -> Bool {
    guard !isReadingPaused, answerBytes > limits.waitingAnswerBytes || operationsUnderWay > limits.inFlightOperations
    else {
      return false
    }
    isReadingPaused = true
    return true
  }

  /// - Returns: whether reading from the connection has to go on now.
  mutating func resumesReading(_ limits: Limits) -> Bool {
    guard isReadingPaused, answerBytes <= limits.waitingAnswerBytes / 2,
      operationsUnderWay <= limits.inFlightOperations / 2
    else { return false }
    isReadingPaused = false
    return true
  }

  /// The memory that this reader alone takes. Bytes that readers share don't count.
  var bytesHeld: Int { chunk.count + own.count + answers.byteCount }
}
