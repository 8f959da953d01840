import CanvasCRDT

/// The streams of state of a room. A stream has the newest values of what changed after some place in the log. It is
/// for readers that have nothing yet or have fallen off the ring.
///
/// What always holds:
/// - There are never more streams than the limit.
/// - A stream with readers stays until they have read it, unless they have all stood still for long. So a slow reader
///   always arrives. A newcomer reads a stream that has all it lacks or more, or waits until one ends.
/// - Each stream knows how many readers it has.
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
    /// The first beat of an unbroken run in the ring for the reader's channel. Before it the channel was empty, and no
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
    let known = number(for: want, position: fold.position, pairs: pairs)
    if known == nil { makeSpace(position: fold.position, ring: ring, now: now) }
    let isFull = UInt64(streams.count) >= limits.stateStreams
    let shared = known ?? (isFull ? numberOfMore(for: want, position: fold.position, pairs: pairs) : nil)
    guard shared != nil || !isFull else { return nil }
    let number = shared ?? make(want, of: fold, ring: ring, pairs: pairs)
    streams[number]?.enter(now)
    // The beats since then are only about people. The newcomer knows these from its welcome, or is told of them with
    // what it missed.
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

  /// Whether a stream could be made.
  func hasSpace(_ now: Moment) -> Bool {
    UInt64(streams.count) < limits.stateStreams
      || streams.values.contains { $0.readers == 0 || $0.standsStill(now) }
  }

  /// At the limit of streams, drops those without readers.
  private mutating func makeSpace(position: UInt64, ring: borrowing Ring, now: Moment) {
    dropStale(position: position, ring: ring)
    guard UInt64(streams.count) >= limits.stateStreams else { return }
    let unread = streams.filter { $0.value.readers == 0 }.keys.min()
    let still = streams.filter { $0.value.standsStill(now) }.keys.min()
    if let number = unread ?? still { streams[number] = nil }
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

  private mutating func make(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: PairsTold
  ) -> Int {
    let encoding = want.channel.encoding
    let shapesMax = StateStream.shapesMax(encoding, messageBytes: limits.messageBytes)
    let number = nextNumber
    nextNumber += 1
    streams[number] = StateStream(
      encoding: encoding,
      vocabulary: want.channel.vocabulary,
      since: want.since,
      position: fold.position,
      ordinal: ring.end,
      pairs: want.channel.hasOverlaps ? pairs.all : nil,
      pairsVersion: pairs.version,
      parts: fold.parts(since: want.since, shapesMax: shapesMax)
    )
    return number
  }

  mutating func leave(_ number: Int) { streams[number]?.leave() }

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
    for (number, stream) in streams where stream.readers == 0 && stream.position != position {
      if stream.ordinal < ring.start { streams[number] = nil }
    }
  }

  mutating func removeAll() { streams = [:] }
}
