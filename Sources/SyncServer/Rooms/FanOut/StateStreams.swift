import CanvasCRDT

/// The state streams of a room. A stream has the newest values of what changed after some log position. It is for
/// readers that have nothing yet or have fallen too far behind.
///
/// What always holds:
/// - There are never more streams than the limit. Short streams have a limit of their own.
/// - A stream that somebody reads stays until it has been read, unless another reader waits and none of the streams
///   suits it. Then a stream may be dropped if its readers have taken nothing for long, if it is old, or if its
///   readers' address has at least two more streams than the waiting reader's.
/// - If a reader loses a stream, the reader's next stream may get twice as old before it counts as old, up to eight
///   minutes. So a reader that needs at most eight minutes gets to the end of a stream some day. Only one stream of
///   each address may get so old, so that a few addresses can't keep all streams.
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
    /// The log position up to which the reader has read. `nil` if it has nothing.
    let position: UInt64?
    /// The log position after which the reader needs all changes. `nil` if it needs the whole state.
    let since: UInt64?
    /// The reader's address.
    let party: String
    /// How many streams the reader has lost since it last had a whole stream.
    let losses: Int
    /// The first broadcast that was encoded for the reader's channel. All later ones were encoded for it too.
    let ringStart: UInt64

    /// Whether a stream has everything that the reader has to be sent now. If not, there have been broadcasts since the
    /// stream was made, and the reader needs these too.
    fileprivate func isMet(by stream: borrowing StateStream, at position: UInt64, _ pairs: PairsTold) -> Bool {
      stream.position == position && (!channel.hasOverlaps || stream.pairsVersion == pairs.version)
    }

    /// Whether the reader comes further with a stream, and the ring buffer has all broadcasts since. A reader that has
    /// read as far already needs a state because it can't be sent the newest values in place of those broadcasts, for
    /// example if a deletion was forgotten. It would be sent the same stream again and again.
    ///
    /// Nor does it come further if deletions were forgotten since the stream was made: it would need the whole state
    /// again after the stream.
    fileprivate func comesFurther(with stream: borrowing StateStream, of fold: borrowing Fold) -> Bool {
      stream.ordinal >= ringStart && position ?? 0 < stream.position && fold.differenceStart(stream.position) != nil
    }
  }

  /// The overlapping pairs, as all broadcasts so far have announced them.
  struct PairsTold {
    /// All pairs. `nil` if members with overlap notices have not been sent all pairs yet, or if the reader doesn't want
    /// notices.
    let all: [ShapePair]?
    /// Grows with each broadcast that has overlaps.
    let version: UInt64
    /// The version since which some member has always wanted overlap notices. The pairs of an older stream are out of
    /// date: nobody was told what changed after them.
    let begunAt: UInt64

    /// Whether a reader gets all pairs exactly once: from the next broadcast if that broadcast has them, otherwise from
    /// the stream.
    fileprivate func suit(_ stream: borrowing StateStream) -> Bool {
      stream.pairsVersion >= begunAt && (all != nil) == (stream.pairs != nil)
    }
  }

  /// A stream to read, and the broadcast with which its reader continues afterwards.
  struct Entry {
    let number: Int
    let place: UInt64
    let isNew: Bool
    let isWhole: Bool
  }

  /// Puts a reader into a stream: an existing one if it suits, otherwise a new one.
  /// - Parameter pairs: the overlapping pairs that other members have been sent by now.
  /// - Returns: `nil` if the reader has to wait until one of the streams ends.
  mutating func enter(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: PairsTold,
    now: Moment
  ) -> Entry? {
    var shared = number(for: want, of: fold, pairs: pairs)
    var new: StateStream?
    if shared == nil {
      dropStale(position: fold.position, ring: ring)
      new = make(want, of: fold, ring: ring, pairs: pairs, endsOthers: false, now: now)
      if new == nil { shared = numberOfMore(for: want, of: fold, pairs: pairs) }
      if new == nil, shared == nil { new = make(want, of: fold, ring: ring, pairs: pairs, endsOthers: true, now: now) }
    }
    guard let number = shared ?? new.map({ add($0) }) else { return nil }
    streams[number]?.enter(want.party, losses: want.losses, now)
    // If the broadcasts since the stream was made have only news about peers, the reader skips these broadcasts. The
    // reader learns about the peers from its welcome, or after the stream.
    let isCurrent = streams[number].map { want.isMet(by: $0, at: fold.position, pairs) } ?? false
    let place = isCurrent ? ring.end : streams[number]?.ordinal ?? ring.end
    return Entry(number: number, place: place, isNew: shared == nil, isWhole: streams[number]?.since == nil)
  }

  /// Among the streams with everything that the reader lacks, returns the one that begins latest. It has the least that
  /// the reader doesn't need.
  private func numberOfMore(for want: Want, of fold: borrowing Fold, pairs: PairsTold) -> Int? {
    var best: (number: Int, since: UInt64?)?
    for (number, stream) in streams {
      guard stream.suits(want.channel), stream.isDifference(since: want.since) else { continue }
      guard !want.channel.hasOverlaps || pairs.suit(stream) else { continue }
      guard want.isMet(by: stream, at: fold.position, pairs) || want.comesFurther(with: stream, of: fold) else {
        continue
      }
      if let best, (best.since ?? 0, best.number) > (stream.since ?? 0, number) { continue }
      best = (number, stream.since)
    }
    return best?.number
  }

  /// Whether one of the streams has all that the reader lacks.
  func has(_ want: Want, of fold: borrowing Fold, pairs: PairsTold) -> Bool {
    if number(for: want, of: fold, pairs: pairs) != nil { return true }
    return numberOfMore(for: want, of: fold, pairs: pairs) != nil
  }

  // MARK: Space

  /// Whether a stream could be made for a reader with the address `party`.
  /// - Parameter lacksLittle: whether a short stream is enough for the reader.
  func hasSpace(for party: String, lacksLittle: Bool, _ now: Moment) -> Bool {
    mayTakeMore(isShort: false, for: party, endsOthers: true, now)
      || lacksLittle && mayTakeMore(isShort: true, for: party, endsOthers: true, now)
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

  /// Makes space for one more stream: if there are too many, it drops one of those that may be dropped.
  /// - Parameter endsOthers: whether a stream may be dropped although its readers still take parts.
  /// - Returns: whether there is space now.
  private mutating func makeSpace(isShort: Bool, for party: String, endsOthers: Bool, _ now: Moment) -> Bool {
    if hasSpace(isShort: isShort) { return true }
    guard let number = makesWay(isShort: isShort, for: party, endsOthers: endsOthers, now) else { return false }
    streams[number] = nil
    return true
  }

  /// The stream that may be dropped to make space for a reader from the address `party`. In this order:
  /// - a stream that nobody reads
  /// - a stream whose readers take nothing
  /// - an old stream of the address that has the most streams
  /// - the newest stream of that address, if it has at least two more than `party`
  ///
  /// So a few addresses can't keep others out, and those who come and go take no address's oldest stream.
  private func makesWay(isShort: Bool, for party: String, endsOthers: Bool, _ now: Moment) -> Int? {
    let alike = streams.filter { $0.value.isShort == isShort }
    let unread = alike.filter { $0.value.isUnread }.keys.min()
    if let number = unread ?? alike.filter({ $0.value.standsStill(now) }).keys.min() { return number }
    guard endsOthers else { return nil }
    let counts = StateStreams.counts(alike)
    // Nobody takes a stream from an address that has no other, though it shares that with one that has.
    func count(_ stream: StateStream) -> Int { stream.owners.compactMap { counts[$0] }.min() ?? 1 }
    let most = alike.values.map(count).max() ?? 0
    let greediest = alike.filter { count($0.value) == most }
    let lasting = StateStreams.lasting(of: greediest)
    let old = greediest.filter { $0.value.isOld(now, lasts: lasting.contains($0.key)) }
    if let number = old.keys.min() { return number }
    guard most > counts[party, default: 0] + 1 else { return nil }
    return greediest.keys.max()
  }

  /// How many streams each address has.
  private static func counts(_ streams: [Int: StateStream]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for owner in streams.values.lazy.flatMap(\.owners) { counts[owner, default: 0] += 1 }
    return counts
  }

  /// The readers that wait for a stream, in the order in which they get one: the addresses in turn, and first those that
  /// have the fewest streams.
  func inTurn(_ waiting: [Int], party: (Int) -> String) -> [Int] {
    var counts = StateStreams.counts(streams)
    let turns = waiting.enumerated().map { place, seat in
      let party = party(seat)
      defer { counts[party, default: 0] += 1 }
      return (turn: counts[party, default: 0], place: place, seat: seat)
    }
    return turns.sorted { ($0.turn, $0.place) < ($1.turn, $1.place) }.map(\.seat)
  }

  /// The streams that get a longer time limit: one for each address, and all streams with readers of many addresses. Of
  /// an address's streams it is the one whose readers were dropped from the most streams before.
  private static func lasting(of streams: [Int: StateStream]) -> Set<Int> {
    var lasting: Set<Int> = []
    var ofParty: [String: Int] = [:]
    for (number, stream) in streams {
      if stream.owners.isEmpty { lasting.insert(number) }
      for owner in stream.owners {
        guard let other = ofParty[owner], let losses = streams[other]?.losses else {
          ofParty[owner] = number
          continue
        }
        if (stream.losses, other) > (losses, number) { ofParty[owner] = number }
      }
    }
    return lasting.union(ofParty.values)
  }

  private func number(for want: Want, of fold: borrowing Fold, pairs: PairsTold) -> Int? {
    for (number, stream) in streams {
      guard stream.suits(want.channel), stream.since == want.since else { continue }
      guard !want.channel.hasOverlaps || pairs.suit(stream) else { continue }
      // A stream from before the newest broadcast is used only if it is long (more than four parts). A short stream is
      // made anew, because the new one takes fewer bytes than the old one and the broadcasts since then.
      let isEnough = want.isMet(by: stream, at: fold.position, pairs)
      guard isEnough || stream.count > 4 && want.comesFurther(with: stream, of: fold) else { continue }
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
    // A stream is short if it has few changes and fits into one part. Whether it fits is known only when the stream has
    // been made. All other streams are long. If there is space only for a long stream, a short stream counts as long.
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

  /// What a reader has got after all parts of a stream.
  struct End {
    let position: UInt64
    /// All pairs that overlapped at the moment of the stream's state. `nil` if the stream has no pairs for its readers.
    let pairs: [ShapePair]?
  }

  /// The next part of a stream, if there is one.
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
