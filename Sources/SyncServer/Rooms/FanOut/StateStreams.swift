import CanvasCRDT

/// The streams of state of a room. A stream has the newest values of what changed since some place in the log. It is
/// for readers that have nothing yet or have fallen off the ring.
///
/// What always holds:
/// - There are never more streams than the limit. The oldest is dropped for a new one, and its readers start again with
///   a newer one.
/// - Each stream knows how many readers it has.
struct StateStreams: Sendable {
  private let limits: Limits
  private var streams: [Int: StateStream] = [:]
  private var nextNumber = 0

  init(limits: Limits) { self.limits = limits }

  var count: Int { streams.count }

  /// What a reader lacks.
  struct Want {
    let channel: Channel
    /// `nil` if the reader needs the whole state.
    let since: UInt64?
    /// The beat since which the ring has every beat for the reader's channel. Before it the channel was empty, and no
    /// beats were encoded for it.
    let ringStart: UInt64
  }

  /// A stream to read, and where in the ring its reader goes on afterwards.
  struct Entry {
    let number: Int
    let place: UInt64
    let isNew: Bool
  }

  /// Enters a reader into a stream that exists and can be continued from the ring, or into a new one.
  /// - Parameter pairs: all that overlaps now. Called only if a new stream is made.
  mutating func enter(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: () -> [ShapePair]?
  ) -> Entry {
    let known = number(for: want, position: fold.position)
    let number = known ?? make(want, of: fold, ring: ring, pairs: pairs())
    streams[number]?.enter()
    // The beats since then told only of peers. The newcomer knows the peers from its welcome, or learns them with what
    // it missed.
    let isCurrent = streams[number]?.position == fold.position
    let place = isCurrent ? ring.end : streams[number]?.ordinal ?? ring.end
    return Entry(number: number, place: place, isNew: known == nil)
  }

  private func number(for want: Want, position: UInt64) -> Int? {
    let encoding = want.channel.encoding
    for (number, stream) in streams {
      guard stream.encoding == encoding, stream.since == want.since, !want.channel.hasOverlaps || stream.pairs != nil
      else { continue }
      // For a small room, the state is shorter than an older state and all the beats since.
      guard stream.position == position || stream.count > 4 && stream.ordinal >= want.ringStart else { continue }
      return number
    }
    return nil
  }

  private mutating func make(
    _ want: Want,
    of fold: borrowing Fold,
    ring: borrowing Ring,
    pairs: [ShapePair]?
  ) -> Int {
    dropStale(position: fold.position, ring: ring)
    while UInt64(streams.count) >= limits.stateStreams, let oldest = streams.keys.min() { streams[oldest] = nil }
    let encoding = want.channel.encoding
    let shapesMax = StateStream.shapesMax(encoding, messageBytes: limits.messageBytes)
    let number = nextNumber
    nextNumber += 1
    streams[number] = StateStream(
      encoding: encoding,
      since: want.since,
      position: fold.position,
      ordinal: ring.end,
      pairs: pairs,
      parts: fold.parts(since: want.since, shapesMax: shapesMax)
    )
    return number
  }

  mutating func leave(_ number: Int) { streams[number]?.leave() }

  /// What a reader gets when it asks for a part.
  enum Part {
    case frames([UInt8])
    /// The reader has had all parts. So it has the room up to a position, and these pairs.
    case end(position: UInt64, pairs: [ShapePair])
    /// The stream was dropped for a newer one.
    case gone
  }

  mutating func part(_ index: Int, of number: Int, places: RoomPlaces, encoder: MessageEncoder) -> Part {
    guard let count = streams[number]?.count else { return .gone }
    guard index < count else {
      return .end(position: streams[number]?.position ?? 0, pairs: streams[number]?.pairs ?? [])
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
