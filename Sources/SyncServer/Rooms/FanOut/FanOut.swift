import CanvasCRDT

/// Turns what happens in a room into bytes that its connections share: the next broadcast (`Beat`), the ring buffer of
/// the newest ones, and streams of the room's state for readers that the ring buffer can't serve.
///
/// What always holds:
/// - The ring is within its bounds, or has only one broadcast.
/// - Everything that was gathered goes out in the next broadcast.
/// - If the broadcasts of the ring are applied to the people and pairs in `dropped`, the result is the people who are
///   here now and the pairs that overlap now.
struct FanOut: Sendable {
  let encoder: MessageEncoder
  private let limits: Limits
  private var gathering: Gathering
  private(set) var ring = Ring()
  private(set) var dropped = DroppedBeats()
  /// The last result of `told`, and the ordinal for which it was computed.
  private var partly: (before: UInt64, told: DroppedBeats)?
  private(set) var streams: StateStreams
  private var leaps = Leaps()
  /// The result of `standingPairs`, kept until the pairs change.
  private var standing: [ShapePair]?
  private var pairsVersion: UInt64 = 0
  /// The value of `pairsVersion` when `beginPairs` was last called.
  private var pairsBegunAt: UInt64 = 0

  init(limits: Limits, framing: Framing, vocabularies: [Vocabulary]) {
    self.limits = limits
    encoder = MessageEncoder(framing: framing, vocabularies: vocabularies, messageBytesMax: limits.messageBytes)
    gathering = Gathering(beatMilliseconds: limits.beatMilliseconds)
    streams = StateStreams(limits: limits)
  }

  // MARK: Gathering

  /// When a broadcast is to be made, on the monotonic clock.
  var dueAt: UInt64? { gathering.dueAt }
  /// Whether operations wait for the next broadcast.
  var hasRecords: Bool { gathering.hasRecords }
  var isBeatFull: Bool { UInt64(gathering.operations.count) >= limits.beatOperations }
  /// An answer about everything that the room has applied is sent only to readers that have got the broadcasts before
  /// this ordinal.
  var newest: UInt64 { hasRecords ? ring.end &+ 1 : ring.end }

  mutating func sendingTook(microseconds: UInt64, seats: Int, of all: Int) {
    gathering.sendingTook(microseconds: microseconds, seats: seats, of: all)
  }

  mutating func gather(_ now: Moment) { gathering.begin(now) }
  mutating func gather(dueAt time: UInt64) { gathering.begin(dueAt: time) }
  mutating func gather(_ operations: [Operation], after position: UInt64, now: Moment) {
    gathering.add(operations, after: position, now: now)
  }

  /// What the room has to do after a broadcast was made.
  struct Flushed {
    let operations: Int
    let bytes: Int
  }

  /// Makes a broadcast of what has been gathered: encodes it once for each channel that has a member, and puts it into
  /// the ring.
  /// - Parameter next: when there will be more presence or names to send, if that is known.
  /// - Returns: `nil` if there is nothing to send.
  mutating func flush(
    _ fold: borrowing Fold,
    peers: PeerChanges,
    overlaps: Overlaps.Notices?,
    to channels: ForEachChannel<Bool>,
    next: UInt64?,
    now: Moment
  ) -> Flushed? {
    gathering.noteLook(next: next)
    guard hasRecords || !peers.isEmpty || overlaps != nil else { return nil }
    var beat = Beat(position: fold.position, madeAt: now.monotonicMilliseconds)
    beat.peers = peers
    beat.overlaps = overlaps
    for encoding in WireEncoding.allCases { encode(&beat, encoding, fold, to: channels) }
    if overlaps != nil { pairsChanged() }
    let flushed = Flushed(operations: gathering.operations.count, bytes: beat.byteCount)
    gathering.end(now)
    ring.append(beat)
    return flushed
  }

  private func encode(
    _ beat: inout Beat,
    _ encoding: WireEncoding,
    _ fold: borrowing Fold,
    to channels: ForEachChannel<Bool>
  ) {
    let wanted = Channel.all.filter { $0.encoding == encoding && channels[$0.index] }
    guard !wanted.isEmpty else { return }
    var operations: [Int: [UInt8]] = [:]
    for channel in wanted {
      let vocabulary = channel.vocabulary
      var bytes: [UInt8] = []
      if hasRecords {
        bytes = operations[vocabulary] ?? encode(gathering.operations, since: gathering.start, channel, fold)
      }
      operations[vocabulary] = bytes
      if channel.hasOverlaps, let overlaps = beat.overlaps { encoder.append(overlaps.changes, encoding, to: &bytes) }
      beat.peersStart[channel.index] = bytes.count
      encoder.append(beat.peers, for: channel, to: &bytes)
      beat.bytes[channel.index] = bytes
    }
  }

  /// Encodes the newest operations for a channel. If the client's vocabulary has none of the written properties, a
  /// message without operations is sent, because the client's cursor has to advance.
  private func encode(
    _ operations: [Operation],
    since start: UInt64,
    _ channel: Channel,
    _ fold: borrowing Fold
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    let told = operations.told(to: encoder.vocabulary(of: channel))
    encoder.append(told[...], of: fold.places, from: start, to: fold.position, channel.encoding, to: &bytes)
    if told.isEmpty {
      encoder.append(.operations(Delivery(cursor: fold.cursor, operations: [])), channel.encoding, to: &bytes)
    }
    return bytes
  }

  /// To be called when a member wants overlap notices, and no other member does.
  mutating func beginPairs() {
    dropped.beginPairs(ordinal: ring.end)
    partly = nil
    pairsChanged()
    pairsBegunAt = pairsVersion
  }

  private mutating func pairsChanged() {
    standing = nil
    pairsVersion += 1
  }

  /// All pairs that clients with overlap notices know after all broadcasts. `nil` if these clients have not been sent
  /// all pairs yet. The result is kept until the pairs change, so that many newcomers cost one sort.
  private mutating func standingPairs() -> [ShapePair]? {
    if standing == nil { standing = dropped.pairs(with: ring)?.sorted() }
    return standing
  }

  // MARK: The ring

  /// Whether the oldest broadcast has to be dropped. Some readers might still need that broadcast. Before calling
  /// `dropOldest`, the caller must record what these readers know.
  var isRingOverfull: Bool {
    ring.count > 1 && (UInt64(ring.byteCount) > limits.ringBytes || UInt64(ring.count) > limits.ringBeats)
  }

  /// Whether the ring is worth the look whether anybody needs it.
  var isRingLong: Bool { ring.byteCount > 65_536 || ring.count > 64 }

  /// Drops all broadcasts. To be called when every reader has got all of them.
  mutating func dropAll() { while !ring.isEmpty { dropOldest() } }

  mutating func dropOldest() {
    let ordinal = ring.start
    dropped.add(ring.dropFirst(), ordinal: ordinal)
  }

  /// What a reader knows if it has got exactly the broadcasts before this ordinal. The result is stored, so that the
  /// next call with this or a later ordinal takes less time.
  mutating func told(before ordinal: UInt64) -> DroppedBeats {
    var (place, told) = (ring.start, dropped)
    if let partly, partly.before >= place, partly.before <= ordinal { (place, told) = partly }
    partly = nil
    for next in place..<ordinal { told.add(ring[next], ordinal: next) }
    partly = (ordinal, told)
    return told
  }

  /// The bytes of a broadcast for one recipient, in the encoding of its channel. The recipient's own joins and leaves,
  /// and those that it knows already, are left out.
  func bytes(ofBeat ordinal: UInt64, for channel: Channel, to listener: BeatRecipient) -> [UInt8] {
    let beat = ring[ordinal]
    guard !beat.peers.isEmpty, listener.knowsPeople || beat.peers.concern(listener.actor) else {
      return beat.bytes[channel.index]
    }
    var bytes = Array(beat.bytes[channel.index][..<beat.peersStart[channel.index]])
    if !listener.knowsPeople { encoder.append(beat.peers.without(listener.actor), for: channel, to: &bytes) }
    return bytes
  }

  // MARK: The newest values in place of broadcasts

  /// Whether a connection should get the newest values in place of the broadcasts that it lacks.
  func isBehind(_ place: UInt64, now: Moment) -> Bool { ring.isBehind(place, by: FanOut.behindMilliseconds, now: now) }

  /// How long a connection lacks a broadcast before it counts as behind. A fast connection gets each broadcast in the
  /// same iteration of the event loop in which the broadcast is made.
  private static let behindMilliseconds: UInt64 = 30

  /// The newest values of what the missed broadcasts changed, without people, in as few messages as possible. `nil` if
  /// there are too many values. The connection then needs a state stream.
  mutating func newest(over gap: BeatGap, of fold: borrowing Fold) -> [UInt8]? {
    if !leaps.knows(gap, to: ring.end) { leaps.note(encodeNewest(over: gap, of: fold), over: gap) }
    return leaps[gap]
  }

  /// The upper bound on the bytes of presence that a slow reader gets together with `bytes` bytes of operations. It is
  /// equal to `bytes`, but at least a 64th of the presence that is sent in a second.
  func statesBytesMax(beside bytes: Int) -> Int { max(bytes, Int(clamping: limits.presenceBytesPerSecond / 64)) }

  private func encodeNewest(over gap: BeatGap, of fold: borrowing Fold) -> [UInt8]? {
    guard let operations = fold.newest(since: gap.since) else { return nil }
    // If newer values have replaced all operations, the message contains none. It is made all the same, because the
    // client's cursor has to advance.
    var bytes = fold.position > gap.since ? encode(operations, since: gap.since, gap.channel, fold) : []
    if gap.channel.hasOverlaps, let overlaps = ring.overlaps(from: gap.place) {
      encoder.append(overlaps, gap.channel.encoding, to: &bytes)
    }
    // The bytes must not be many, because a reader holds them in memory until its socket has taken all of them. A state
    // stream comes in parts instead.
    return UInt64(bytes.count) <= limits.messageBytes ? bytes : nil
  }

  // MARK: Streams of state

  /// Puts a reader into a state stream.
  /// - Returns: `nil` if the reader has to wait until a stream ends.
  mutating func enterStream(
    _ want: StateStreams.Want,
    of fold: borrowing Fold,
    now: Moment
  ) -> StateStreams.Entry? {
    let pairs = pairsTold(to: want.channel)
    return streams.enter(want, of: fold, ring: ring, pairs: pairs, now: now)
  }

  /// Whether one of the streams that there are has all that a reader lacks.
  mutating func hasStream(for want: StateStreams.Want, of fold: borrowing Fold) -> Bool {
    let pairs = pairsTold(to: want.channel)
    return streams.has(want, of: fold, pairs: pairs)
  }

  private mutating func pairsTold(to channel: Channel) -> StateStreams.PairsTold {
    StateStreams.PairsTold(
      all: channel.hasOverlaps ? standingPairs() : nil,
      version: pairsVersion,
      begunAt: pairsBegunAt
    )
  }

  /// Whether a state stream could be made now for a reader with the address `party`.
  /// - Parameter lacksLittle: whether the reader lacks so little that a short stream is enough.
  func hasSpaceForState(of party: String, lacksLittle: Bool, _ now: Moment) -> Bool {
    streams.hasSpace(for: party, lacksLittle: lacksLittle, now)
  }

  mutating func leaveStream(_ number: Int, _ party: String) { streams.leave(number, party) }

  /// The notices of all pairs that overlapped when a stream was made, encoded once for all its readers.
  mutating func notices(ofStream number: Int) -> [[UInt8]] { streams.notices(of: number, encoder: encoder) }

  mutating func part(
    _ index: Int,
    ofStream number: Int,
    places: RoomPlaces,
    now: Moment
  ) -> StateStreams.Part {
    streams.part(index, of: number, places: places, encoder: encoder, now: now)
  }

  mutating func dropStaleStreams(position: UInt64) { streams.dropStale(position: position, ring: ring) }

  // MARK: Freeing memory

  /// Whether nothing was broadcast for ten seconds, and no broadcast is due. The memory of the newest broadcasts can
  /// then be freed.
  func isQuiet(_ now: Moment) -> Bool { gathering.isQuiet(for: FanOut.restMilliseconds, now: now) }

  private static let restMilliseconds: UInt64 = 10_000

  /// Frees the memory of the newest broadcasts. To be called when all readers have got them.
  mutating func rest() {
    dropAll()
    partly = nil
    leaps.forget()
    streams.removeAll()
    gathering.forget()
  }

  /// Drops all broadcasts. To be called when no reader is left. The ordinals continue, so that no two broadcasts ever
  /// have the same one. The room's state in parts stays, because making it takes long, and somebody may come back.
  mutating func clear(position: UInt64) {
    while !ring.isEmpty { _ = ring.dropFirst() }
    pairsChanged()
    dropped.forget()
    partly = nil
    leaps.forget()
    dropStaleStreams(position: position)
    gathering.forget()
  }
}
