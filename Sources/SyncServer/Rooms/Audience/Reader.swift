import CanvasCRDT

/// How far a connection has come, and what is on its way to it: bytes that it has taken in part, a few answers of its own, and
/// no queue.
///
/// What always holds:
/// - What is being sent is sent whole before anything else is, and then what it brought is counted as sent.
/// - `told` is there from when it falls behind, or comes, until it has been told the difference.
/// - Reading is paused from when its backlog passes a bound until it is below half of it, so that it does not go to and fro.
struct Reader: Sendable {
  let id: MemberID
  let channel: Channel
  let actor: Identifier

  /// Where its next bytes come from.
  enum Stage: Sendable {
    /// The parts of a stream of state, from `next` on.
    case state(stream: Int, next: Int)
    /// What it missed beside operations: one buffer after the other.
    case notices([[UInt8]], next: Int)
    /// The ring.
    case live
  }

  private(set) var stage = Stage.live
  /// How far in the log it has come, not counting the beats since it was last live; nothing where it has to be sent
  /// everything.
  private(set) var position: UInt64?
  private(set) var told: Told?
  /// It may have heard of those whom earlier beats brought otherwise than by them: from its welcome, or when it was caught
  /// up.
  private(set) var peersToldBefore: UInt64

  /// What bytes are a part of.
  enum Cargo: Sendable { case answers, part, notice, beat }

  /// What is being sent now, and how much of it has been taken.
  private var chunk: [UInt8] = []
  private var offset = 0
  private var cargo = Cargo.answers

  // MARK: Its backlog

  private var answers = Answers()
  private var operationsUnderWay: UInt64 = 0
  private var isReadingPaused = false

  init(id: MemberID, channel: Channel, actor: Identifier, told: Told, position: UInt64?) {
    self.id = id
    self.channel = channel
    self.actor = actor
    self.told = told
    self.position = position
    peersToldBefore = told.ordinal
  }

  // MARK: - Sending

  /// All that it can be sent is a beat, as everyone in its channel gets it.
  var isPlain: Bool {
    guard case .live = stage else { return false }
    return chunk.isEmpty && answers.isEmpty
  }

  var isSending: Bool { !chunk.isEmpty }
  var isSendingBeat: Bool { !chunk.isEmpty && cargo == .beat }

  mutating func load(_ bytes: [UInt8], _ cargo: Cargo, taken: Int = 0) {
    chunk = bytes
    self.cargo = cargo
    offset = taken
  }

  /// Loads the answers that may be sent at a place in the ring.
  /// - Returns: whether there were any.
  mutating func loadAnswers(upTo ordinal: UInt64) -> Bool {
    guard !answers.isEmpty else { return false }
    let bytes = answers.take(upTo: ordinal)
    guard !bytes.isEmpty else { return false }
    load(bytes, .answers)
    return true
  }

  /// Loads a beat, between the answers before it and those behind it where it is short: a writer is sent its operation and
  /// the answer to it at one time, and two calls would cost twice as much as one.
  /// - Returns: whether anything was loaded: not where nothing of the beat was for its channel, and there are no answers.
  mutating func load(beat bytes: [UInt8], ordinal: UInt64) -> Bool {
    let isShort = bytes.count <= Reader.joinedBytesMax
    if bytes.isEmpty || !isShort, loadAnswers(upTo: ordinal) { return true }
    guard !bytes.isEmpty else { return false }
    guard isShort, !answers.isEmpty else {
      load(bytes, .beat)
      return true
    }
    var joined = answers.take(upTo: ordinal)
    joined += bytes
    joined += answers.take(upTo: ordinal &+ 1)
    load(joined, .beat)
    return true
  }

  /// Longer beats go out of the buffer that all share.
  private static let joinedBytesMax = 16_384

  /// Offers what is loaded.
  /// - Returns: what it was, where all of it was taken.
  mutating func offer(_ write: (MemberID, UnsafeRawBufferPointer) -> Int) -> Cargo? {
    let count = chunk.count - offset
    let taken = chunk.withUnsafeBytes { bytes in write(id, UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
    guard taken >= count else {
      offset += max(0, taken)
      return nil
    }
    chunk = []
    offset = 0
    switch (cargo, stage) {
    case (.part, .state(let stream, let next)): stage = .state(stream: stream, next: next + 1)
    case (.notice, .notices(let buffers, let next)):
      stage = next + 1 < buffers.count ? .notices(buffers, next: next + 1) : .live
    case (.part, _), (.notice, _), (.answers, _), (.beat, _): break
    }
    return cargo
  }

  // MARK: - Catching up

  mutating func enter(stream: Int) { stage = .state(stream: stream, next: 0) }

  /// - Returns: the stream that it was in.
  mutating func leaveStream() -> Int? {
    guard case .state(let stream, _) = stage else { return nil }
    stage = .live
    return stream
  }

  /// It has had a state as of a position.
  mutating func reach(_ position: UInt64) { self.position = position }

  /// It is told the difference, and is back on the ring after it.
  mutating func catchUp(_ notices: [[UInt8]], peersToldBefore ordinal: UInt64) {
    told = nil
    peersToldBefore = ordinal
    stage = notices.isEmpty ? .live : .notices(notices, next: 0)
  }

  /// The beat that it would have got next is dropped. It has had all those before it.
  mutating func fallOff(at ordinal: UInt64, dropped: borrowing DroppedBeats, peers: [Identifier]) {
    let wantsDigest = answers.hasDigest
    answers.dropDigests()
    if let position { self.position = max(position, dropped.position) }
    let pairs = channel.hasOverlaps ? dropped.pairs : []
    told = Told(ordinal: ordinal, peers: peers, pairs: pairs, wantsDigest: wantsDigest)
  }

  /// A digest is asked for while it is behind: it is made when it has caught up.
  /// - Returns: false where it is not behind, and can be answered at once.
  mutating func deferDigest() -> Bool {
    guard told != nil else { return false }
    told?.wantsDigest = true
    return true
  }

  // MARK: - Backlog

  mutating func answer(_ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool) {
    answers.add(bytes, after: ordinal, isDigest: isDigest)
  }

  mutating func entered(operations: UInt64) { operationsUnderWay += operations }
  mutating func landed(operations: UInt64) { operationsUnderWay -= operations }

  /// - Returns: whether reading is to be paused now: its answers pile up, or its operations do.
  mutating func pausesReading(_ limits: Limits) -> Bool {
    guard !isReadingPaused,
      UInt64(answers.byteCount) > limits.letterBytes || operationsUnderWay > limits.inFlightOperations
    else { return false }
    isReadingPaused = true
    return true
  }

  /// - Returns: whether reading is to go on now.
  mutating func resumesReading(_ limits: Limits) -> Bool {
    guard isReadingPaused, UInt64(answers.byteCount) <= limits.letterBytes / 2,
      operationsUnderWay <= limits.inFlightOperations / 2
    else { return false }
    isReadingPaused = false
    return true
  }

  /// What it costs beside the ring.
  var bytesHeld: Int { chunk.count + answers.byteCount }
}
