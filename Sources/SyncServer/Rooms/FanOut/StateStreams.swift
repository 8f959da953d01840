import CanvasCRDT

/// The streams of state of a room. A stream has the newest values of what changed after some place in the log. It is
/// for readers that have nothing yet or have fallen off the ring.
///
/// What always holds:
/// - There are never more streams than the limit. Short streams are counted apart, against a limit of their own.
/// - A stream that somebody reads stays until it has been read, with one exception. If another reader waits and no
///   stream suits that reader, a stream is dropped if its readers have stood still for long, if it is old, or if its
///   address has more than its share of the streams.
/// - Each stream that a reader loses doubles the age at which its next one is old, up to eight minutes. So a reader that
///   goes on gets to the end some day, unless that takes longer.
/// - Each stream knows how many readers it has, and from which addresses.
struct StateStreams: Sendable {
  private let limits: Limits
  private var streams: [Int: StateStream] = [:]
  private var nextNumber = 0

  init(limits: Limits) { self.limits = limits }

  var count: Int { streams.count }

  /// The state that a reader lacks.
  struct Want {
    let channel: Channel
    /// The place in the log up to which the reader has read. `nil` if it needs the whole state.
    let since: UInt64?
    /// The reader's address.
    let party: String
    /// How often the reader has lost a stream since it last had a whole one.
    let losses: Int
    /// The ordinal of the first beat from which on the ring has every beat for the reader's channel. Earlier the
    /// channel had no member, so no beats were encoded for it.
    let ringStart: UInt64

    /// Whether a stream has everything that the reader has to be sent now. If it has not, then there have been beats
    /// since the stream was made, which the reader needs too.
    fileprivate func isMet(by stream: borrowing StateStream, at position: UInt64, _ pairs: PairsTold) -> Bool {
      stream.position == position && (!channel.hasOverlaps || stream.pairsVersion == pairs.version)
    }
  }

  /// The overlapping pairs that members with notices know after all beats.
  struct PairsTold {
    /// `nil` if these members have yet to be sent all pairs, or if the reader doesn't want notices.
    let all: [ShapePair]?
    /// Grows with each beat that has overlaps.
    let version: UInt64
  }

  /// A stream to read, and where in the ring its reader continues afterwards.
  struct Entry {
    let number: Int
    let place: UInt64
    let isNew: Bool
    let isWhole: Bool
  }

  /// Puts a reader into a stream. It is an existing stream, if the reader can continue in the ring after it, otherwise
  /// a new one.
  /// - Parameter pairs: all pairs that overlap now, as far as members have been sent them.
  /// - Returns: `nil` if the reader has to wait until one of the streams ends.
  mutating func enter(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: PairsTold,
    now: Moment
  ) -> Entry? {
    var shared = number(for: want, position: fold.position, pairs: pairs)
    var new: StateStream?
    if shared == nil {
      dropStale(position: fold.position, ring: ring)
      new = make(want, of: fold, ring: ring, pairs: pairs, endsOthers: false, now: now)
      if new == nil { shared = numberOfMore(for: want, position: fold.position, pairs: pairs) }
      if new == nil, shared == nil { new = make(want, of: fold, ring: ring, pairs: pairs, endsOthers: true, now: now) }
    }
    guard let number = shared ?? new.map({ add($0) }) else { return nil }
    streams[number]?.enter(want.party, losses: want.losses, now)
    // Perhaps the beats since the stream was made have only news about peers. The reader knows the peers from its
    // welcome, or gets them with whatever else it missed, so it can skip these beats.
    let isCurrent = streams[number].map { want.isMet(by: $0, at: fold.position, pairs) } ?? false
    let place = isCurrent ? ring.end : streams[number]?.ordinal ?? ring.end
    return Entry(number: number, place: place, isNew: shared == nil, isWhole: streams[number]?.since == nil)
  }

  /// Of the existing streams that have everything that the reader lacks, the one that has the least of what the reader
  /// doesn't need.
  private func numberOfMore(for want: Want, position: UInt64, pairs: PairsTold) -> Int? {
    var best: (number: Int, since: UInt64?)?
    for (number, stream) in streams {
      guard stream.suits(want.channel), stream.isDifference(since: want.since) else { continue }
      guard !want.channel.hasOverlaps || (pairs.all != nil) == (stream.pairs != nil) else { continue }
      guard want.isMet(by: stream, at: position, pairs) || stream.ordinal >= want.ringStart else { continue }
      if let best, (best.since ?? 0, best.number) > (stream.since ?? 0, number) { continue }
      best = (number, stream.since)
    }
    return best?.number
  }

  // MARK: Space

  /// Whether a long stream could be made for a reader from that address.
  func hasSpace(for party: String, _ now: Moment) -> Bool {
    mayTakeMore(isShort: false, for: party, endsOthers: true, now)
  }

  private func mayTakeMore(isShort: Bool, for party: String, endsOthers: Bool, _ now: Moment) -> Bool {
    hasSpace(isShort: isShort) || makesWay(isShort: isShort, for: party, endsOthers: endsOthers, now) != nil
  }

  private func hasSpace(isShort: Bool) -> Bool {
    UInt64(streams.values.count { $0.isShort == isShort }) < most(isShort: isShort)
  }

  private func most(isShort: Bool) -> UInt64 {
    isShort ? limits.stateStreams * 4 : limits.stateStreams
  }

  /// Drops a stream if there is no space for one more, and one may be dropped.
  /// - Parameter endsOthers: whether a stream may be dropped although its readers still take parts.
  /// - Returns: whether there is space now.
  private mutating func makeSpace(isShort: Bool, for party: String, endsOthers: Bool, _ now: Moment) -> Bool {
    if hasSpace(isShort: isShort) { return true }
    guard let number = makesWay(isShort: isShort, for: party, endsOthers: endsOthers, now) else { return false }
    streams[number] = nil
    return true
  }

  /// The stream that may be dropped for a reader from this address: a stream that nobody reads, or else one whose
  /// readers stand still. If there is no such stream, it is one of the address that has the most streams to itself: the
  /// first that is old, or the first of all if that address has more than its share. So one address can neither keep
  /// others out nor make them start anew.
  private func makesWay(isShort: Bool, for party: String, endsOthers: Bool, _ now: Moment) -> Int? {
    let alike = streams.filter { $0.value.isShort == isShort }
    let unread = alike.filter { $0.value.isUnread }.keys.min()
    if let number = unread ?? alike.filter({ $0.value.standsStill(now) }).keys.min() { return number }
    guard endsOthers else { return nil }
    // A stream that readers from several addresses share counts for none of them.
    var counts: [String: UInt64] = [:]
    for stream in alike.values { if let owner = stream.onlyParty { counts[owner, default: 0] += 1 } }
    func count(_ stream: StateStream) -> UInt64 { stream.onlyParty.flatMap { counts[$0] } ?? 1 }
    let most = alike.values.map(count).max() ?? 0
    let greediest = alike.filter { count($0.value) == most }
    if let number = greediest.filter({ $0.value.isOld(now) }).keys.min() { return number }
    guard most > max(1, self.most(isShort: isShort) / 2) else { return nil }
    return greediest.filter { $0.value.onlyParty != party }.keys.min()
  }

  private func number(for want: Want, position: UInt64, pairs: PairsTold) -> Int? {
    let arePairsTold = pairs.all != nil
    for (number, stream) in streams {
      guard stream.suits(want.channel), stream.since == want.since else { continue }
      // If the next beat has all pairs, the stream must not have them too. If the next beat doesn't have them, the
      // stream must.
      guard !want.channel.hasOverlaps || arePairsTold == (stream.pairs != nil) else { continue }
      // A stream from before the newest beat is used only if it is long. If the stream is short, a new stream takes
      // fewer bytes than the old stream and the beats since then.
      guard want.isMet(by: stream, at: position, pairs) || stream.count > 4 && stream.ordinal >= want.ringStart
      else { continue }
      return number
    }
    return nil
  }

  /// Makes a stream of what the reader lacks.
  /// - Returns: `nil` if there is no space for the stream.
  private mutating func make(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: PairsTold,
    endsOthers: Bool,
    now: Moment
  ) -> StateStream? {
    // A stream of few changes takes little time to make, so it is made first, and counts as short if it then fits into
    // one part. Any other stream counts as long, because only making it would show whether it fits into one part. A
    // short stream also counts as long if there is space only for a long one.
    let mayBeShort =
      fold.hasLittle(since: want.since)
      && mayTakeMore(isShort: true, for: want.party, endsOthers: endsOthers, now)
    guard mayBeShort || makeSpace(isShort: false, for: want.party, endsOthers: endsOthers, now) else { return nil }
    let encoding = want.channel.encoding
    let shapesMax = StateStream.shapesMax(encoding, messageBytes: limits.messageBytes)
    let stream = StateStream(
      encoding: encoding,
      vocabulary: want.channel.vocabulary,
      since: want.since,
      position: fold.position,
      ordinal: ring.end,
      pairs: want.channel.hasOverlaps ? pairs.all : nil,
      pairsVersion: pairs.version,
      parts: fold.parts(since: want.since, shapesMax: shapesMax),
      isOfLittle: mayBeShort,
      now: now
    )
    guard mayBeShort else { return stream }
    return makeSpace(isShort: stream.isShort, for: want.party, endsOthers: endsOthers, now) ? stream : nil
  }

  private mutating func add(_ stream: StateStream) -> Int {
    defer { nextNumber += 1 }
    streams[nextNumber] = stream
    return nextNumber
  }

  mutating func leave(_ number: Int, _ party: String) { streams[number]?.leave(party) }

  mutating func notices(of number: Int, encoder: MessageEncoder) -> [[UInt8]] {
    streams[number]?.notices(encoder: encoder) ?? []
  }

  /// What a stream leads up to, once a reader has got all its parts.
  struct End {
    let position: UInt64
    /// All pairs that overlapped at the moment of the stream's state, if the reader may be sent them.
    let pairs: [ShapePair]?
  }

  /// The answer to a reader that asks for the next part.
  enum Part {
    case frames([UInt8])
    /// The reader has got all parts.
    case end(End)
    /// The stream was dropped to make space for another one.
    case gone
  }

  mutating func part(
    _ index: Int,
    of number: Int,
    places: RoomPlaces,
    encoder: MessageEncoder,
    now: Moment
  ) -> Part {
    guard let count = streams[number]?.count else { return .gone }
    streams[number]?.noteTaken(now)
    guard index < count else {
      return .end(End(position: streams[number]?.position ?? 0, pairs: streams[number]?.pairs))
    }
    return .frames(streams[number]?.frames(ofPart: index, places: places, encoder: encoder) ?? [])
  }

  /// Drops streams that nobody reads and that no new reader could use.
  mutating func dropStale(position: UInt64, ring: borrowing Ring) {
    for (number, stream) in streams where stream.isUnread && stream.position != position {
      if stream.ordinal < ring.start { streams[number] = nil }
    }
  }

  mutating func removeAll() { streams = [:] }
}
