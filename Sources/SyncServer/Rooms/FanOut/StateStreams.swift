import CanvasCRDT

/// The streams of state of a room. A stream has the newest values of what changed after some place in the log. It is
/// for readers that have nothing yet or have fallen off the ring.
///
/// What always holds:
/// - There are never more streams than the limit. Short ones don't count with the others: they have a limit of their own.
/// - A stream that somebody reads stays until it has been read, with one exception. If another reader waits and no
///   stream suits it, a stream makes way if its readers have stood still for long, if it is old, or if it belongs to an
///   address with more than its share.
/// - Each stream knows how many readers it has, and from where.
struct StateStreams: Sendable {
  private let limits: Limits
  private var streams: [Int: StateStream] = [:]
  private var nextNumber = 0

  init(limits: Limits) { self.limits = limits }

  var count: Int { streams.count }

  /// The state that a reader lacks.
  struct Want {
    let channel: Channel
    /// `nil` if the reader needs the whole state.
    let since: UInt64?
    /// The reader's address.
    let party: String
    /// The beat since which the ring has every beat for the reader's channel. Before it the channel was empty, and no
    /// beats were encoded for it.
    let ringStart: UInt64

    /// Whether a stream has everything that is to be sent now. If not, beats have come since that the reader needs too.
    fileprivate func isMet(by stream: borrowing StateStream, at position: UInt64, _ pairs: PairsTold) -> Bool {
      stream.position == position && (!channel.hasOverlaps || stream.pairsVersion == pairs.version)
    }
  }

  /// The overlaps that members with notices know after all beats.
  struct PairsTold {
    /// `nil` if they have not been told of all pairs yet, or if the reader doesn't want notices.
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

  /// Puts a reader into an existing stream that can be continued from the ring, or into a new one.
  /// - Parameter pairs: all pairs that overlap now, as members have been told.
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
      new = make(want, of: fold, ring: ring, pairs: pairs, now: now)
      if new == nil { shared = numberOfMore(for: want, position: fold.position, pairs: pairs) }
    }
    guard let number = shared ?? new.map({ add($0) }) else { return nil }
    streams[number]?.enter(want.party, now)
    // The beats since then told only of peers. The newcomer knows the peers from its welcome, or learns them with what
    // it missed.
    let isCurrent = streams[number].map { want.isMet(by: $0, at: fold.position, pairs) } ?? false
    let place = isCurrent ? ring.end : streams[number]?.ordinal ?? ring.end
    return Entry(number: number, place: place, isNew: shared == nil, isWhole: streams[number]?.since == nil)
  }

  /// The stream that has all that the reader lacks, and the least besides.
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

  /// Whether a stream of any length could be made for a reader of that address.
  func hasSpace(for party: String, _ now: Moment) -> Bool {
    mayTakeMore(isShort: false, for: party, now)
  }

  private func mayTakeMore(isShort: Bool, for party: String, _ now: Moment) -> Bool {
    hasSpace(isShort: isShort) || makesWay(isShort: isShort, for: party, now) != nil
  }

  private func hasSpace(isShort: Bool) -> Bool {
    UInt64(streams.values.count { $0.isShort == isShort }) < most(isShort: isShort)
  }

  private func most(isShort: Bool) -> UInt64 {
    isShort ? limits.stateStreams * 4 : limits.stateStreams
  }

  /// Makes space for one more stream, if there is none.
  /// - Returns: whether there is space now.
  private mutating func makeSpace(isShort: Bool, for party: String, _ now: Moment) -> Bool {
    if hasSpace(isShort: isShort) { return true }
    guard let number = makesWay(isShort: isShort, for: party, now) else { return false }
    streams[number] = nil
    return true
  }

  /// The stream that makes way for a reader of an address, if any does: one that nobody reads, or whose readers stand
  /// still. Otherwise the oldest stream of the address that has most of them to itself, if that stream is old or that
  /// address has more than its share. So one address can neither keep others out, nor make them start anew.
  private func makesWay(isShort: Bool, for party: String, _ now: Moment) -> Int? {
    let alike = streams.filter { $0.value.isShort == isShort }
    let unread = alike.filter { $0.value.isUnread }.keys.min()
    if let number = unread ?? alike.filter({ $0.value.standsStill(now) }).keys.min() { return number }
    // A stream that several addresses read belongs to none of them.
    var counts: [String: UInt64] = [:]
    for stream in alike.values { if let owner = stream.onlyParty { counts[owner, default: 0] += 1 } }
    func count(_ number: Int) -> UInt64 { streams[number]?.onlyParty.flatMap { counts[$0] } ?? 1 }
    let greediest = alike.keys.min { first, second in
      let (one, other) = (count(first), count(second))
      return one == other ? first < second : one > other
    }
    guard let number = greediest, let stream = streams[number] else { return nil }
    let hasMoreThanItsShare = stream.onlyParty != party && count(number) > max(1, most(isShort: isShort) / 2)
    return stream.isOld(now) || hasMoreThanItsShare ? number : nil
  }

  private func number(for want: Want, position: UInt64, pairs: PairsTold) -> Int? {
    let arePairsTold = pairs.all != nil
    for (number, stream) in streams {
      guard stream.suits(want.channel), stream.since == want.since else { continue }
      // If the next beat tells all pairs, the stream must not tell them too.
      guard !want.channel.hasOverlaps || arePairsTold == (stream.pairs != nil) else { continue }
      // In a small room, the state is shorter than an older state and all the beats after it.
      guard want.isMet(by: stream, at: position, pairs) || stream.count > 4 && stream.ordinal >= want.ringStart
      else { continue }
      return number
    }
    return nil
  }

  /// - Returns: a stream of what the reader lacks. `nil` if there is no space for it.
  private mutating func make(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: PairsTold,
    now: Moment
  ) -> StateStream? {
    // A stream that may be short is quickly made. Only after that it is known to be short. Any other counts as long, even
    // if it fits into one part: that isn't known before it has been made. So does a short one for which only the long ones
    // have space.
    let mayBeShort = fold.hasLittle(since: want.since) && mayTakeMore(isShort: true, for: want.party, now)
    guard mayBeShort || makeSpace(isShort: false, for: want.party, now) else { return nil }
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
    return !mayBeShort || makeSpace(isShort: stream.isShort, for: want.party, now) ? stream : nil
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

  /// The place that a reader has reached after all parts of a stream.
  struct End {
    let position: UInt64
    /// All pairs that overlapped then, if the reader may be told of them.
    let pairs: [ShapePair]?
  }

  /// The answer to a reader that asks for the next part.
  enum Part {
    case frames([UInt8])
    /// The reader has had all parts.
    case end(End)
    /// The stream was dropped for a newer one.
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
