import CanvasCRDT

/// A room's state, or the part of it that changed after a place, on its way to readers that join or fell behind.
///
/// The state is taken at one moment and shared by all readers that come to need the same. Its parts are encoded when
/// they are first sent, so that a large room's state delays nobody. A reader that has got all parts continues in the
/// ring, at `ordinal`.
struct StateStream: Sendable {
  let encoding: WireEncoding
  let vocabulary: Vocabulary
  /// `nil` if this is the whole state.
  let since: UInt64?
  let position: UInt64
  let ordinal: UInt64
  /// All pairs that overlapped at that moment, if a reader wants to know. `nil` also if no reader has been told of them
  /// yet: then a beat tells them.
  let pairs: [ShapePair]?
  /// The version of those pairs.
  let pairsVersion: UInt64
  private let parts: [StatePart]
  private var frames: [[UInt8]]
  /// The notices of all pairs, made when they are first needed.
  private var notices: [[UInt8]] = []
  /// How many connections are reading it, by their address.
  private var readers: [String: Int] = [:]
  /// When a reader last came or took a part, on the monotonic clock.
  private var takenAt: UInt64 = 0
  private let madeAt: UInt64
  /// Whether it was known to be quickly made.
  private let isOfLittle: Bool

  init(
    encoding: WireEncoding,
    vocabulary: Vocabulary,
    since: UInt64?,
    position: UInt64,
    ordinal: UInt64,
    pairs: [ShapePair]?,
    pairsVersion: UInt64,
    parts: [StatePart],
    isOfLittle: Bool,
    now: Moment
  ) {
    self.encoding = encoding
    self.vocabulary = vocabulary
    self.since = since
    self.position = position
    self.ordinal = ordinal
    self.pairs = pairs
    self.pairsVersion = pairsVersion
    self.parts = parts
    self.isOfLittle = isOfLittle
    madeAt = now.monotonicMilliseconds
    frames = Array(repeating: [], count: parts.count)
  }

  var count: Int { parts.count }

  func suits(_ channel: Channel) -> Bool { encoding == channel.encoding && vocabulary == channel.vocabulary }

  /// Whether it was quickly made, and takes no more memory than one message to its reader does.
  var isShort: Bool { isOfLittle && parts.count <= 1 }

  mutating func enter(_ party: String, _ now: Moment) {
    readers[party, default: 0] += 1
    noteTaken(now)
  }

  mutating func leave(_ party: String) {
    let left = readers[party, default: 0] - 1
    readers[party] = left > 0 ? left : nil
  }

  var isUnread: Bool { readers.isEmpty }
  /// The address that all its readers come from, if they come from one.
  var onlyParty: String? { readers.count == 1 ? readers.first?.key : nil }

  mutating func noteTaken(_ now: Moment) { takenAt = now.monotonicMilliseconds }

  /// Whether its readers have all stood still for so long that others need not wait for them. A part is about 60 KB.
  func standsStill(_ now: Moment) -> Bool { now.monotonicMilliseconds >= takenAt &+ StateStream.stillMilliseconds }

  private static let stillMilliseconds: UInt64 = 20_000

  /// Whether it has existed for so long that it may make way for others, even if its readers still go on.
  func isOld(_ now: Moment) -> Bool { now.monotonicMilliseconds >= madeAt &+ StateStream.oldMilliseconds }

  /// After this long a stream may make way for others.
  static let oldMilliseconds: UInt64 = 30_000

  /// Whether it has everything since a place, as a difference. To a reader that has a place, the whole state would be a step
  /// back: on a slow line it would never be done.
  func isDifference(since place: UInt64?) -> Bool {
    guard let since, let place else { return false }
    return since <= place
  }

  /// The frames of one part. A reader that has only some of the parts keeps its old place: if this is the whole state,
  /// the beginning of the log.
  mutating func frames(ofPart index: Int, places: RoomPlaces, encoder: MessageEncoder) -> [UInt8] {
    if frames[index].isEmpty {
      let isLast = index + 1 == parts.count
      let delivery = Delivery(
        cursor: places.cursor(at: isLast ? position : since ?? 0),
        content: .state(parts[index].told(to: vocabulary)),
        more: !isLast,
        reset: since == nil && index == 0
      )
      encoder.append(.operations(delivery), encoding, to: &frames[index])
    }
    return frames[index]
  }

  /// The frames of the notices of all pairs, one buffer for each message. There is one even if there are no pairs.
  mutating func notices(encoder: MessageEncoder) -> [[UInt8]] {
    if notices.isEmpty, let pairs {
      notices = encoder.notices(began: pairs, ended: []).map { encoder.encode(.overlaps($0), encoding) }
    }
    return notices
  }

  /// How many shapes go into a part. Even the longest shapes must not make a message too long.
  static func shapesMax(_ encoding: WireEncoding, messageBytes: UInt64) -> Int {
    // Space for a shape with every property under a stamp of its own, the longest name and an erasure. Text and paths
    // are counted where the parts are cut.
    let shapeBytesMax: UInt64 = encoding == .json ? 3_584 : 896
    return min(StatePart.shapesMax, max(1, Int(clamping: messageBytes / shapeBytesMax)))
  }
}
