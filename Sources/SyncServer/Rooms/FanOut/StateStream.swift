import Basics
import CanvasCRDT

/// A room's state, or the part of it that changed after a log position, for readers that join or have fallen behind.
///
/// The state is as of one moment. While the stream exists, all readers that need the same state share it. Its parts are
/// encoded when they are first sent, so that a large room's state delays nobody. A reader that has got all parts
/// continues with the broadcast (`Beat`) that has the number `ordinal`.
struct StateStream: Sendable {
  let encoding: WireEncoding
  /// The place of the vocabulary in the list of the room's vocabularies.
  let vocabulary: Int
  /// The log position after which changes are in the stream. `nil` if the stream has the whole state.
  let since: UInt64?
  let position: UInt64
  let ordinal: UInt64
  /// All pairs that overlapped at the moment of the state. `nil` if the readers want no notices, or if the next
  /// broadcast sends all pairs anyway.
  let pairs: [ShapePair]?
  /// The version number of `pairs`. It grows with each broadcast that has overlaps.
  let pairsVersion: UInt64
  private let parts: [StatePart]
  private var frames: [[UInt8]]
  /// The notices of all pairs, encoded when they are first needed.
  private var notices: [[UInt8]] = []
  /// How many connections read the stream, by their address.
  private var readers: [String: Int] = [:]
  /// When a reader last joined the stream or was given a part of it, on the monotonic clock.
  private var takenAt: UInt64 = 0
  private let madeAt: UInt64
  /// The greatest number of streams that any of this stream's readers has lost in a row.
  private(set) var losses = 0
  /// Whether it was known in advance that making the stream takes little time.
  private let isOfLittle: Bool

  init(
    encoding: WireEncoding,
    vocabulary: Int,
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

  /// Whether the stream took little time to make, and takes no more memory than one message.
  var isShort: Bool { isOfLittle && parts.count <= 1 }

  /// - Parameter losses: how often the reader has lost a stream since it last had a whole one.
  mutating func enter(_ party: String, losses: Int, _ now: Moment) {
    readers[party, default: 0] += 1
    self.losses = max(self.losses, losses)
    noteTaken(now)
  }

  mutating func leave(_ party: String) { readers.countDown(party) }

  var isUnread: Bool { readers.isEmpty }
  /// The addresses of the stream's readers, for which the stream counts. None if there are many.
  var owners: [String] { readers.count <= StateStream.ownersMax ? Array(readers.keys) : [] }
  private static let ownersMax = 8

  mutating func noteTaken(_ now: Moment) { takenAt = now.monotonicMilliseconds }

  /// Whether the stream is stuck: no reader has taken a part of it (about 60 KB) for a long time. Other readers don't
  /// have to wait for a stuck stream.
  func standsStill(_ now: Moment) -> Bool { now.monotonicMilliseconds >= takenAt &+ StateStream.stillMilliseconds }

  private static let stillMilliseconds: UInt64 = 20_000

  /// Whether the stream is so old that it may be dropped to make space for another one, even if its readers still take
  /// parts.
  /// - Parameter lasts: whether this stream may grow older than usual. Each stream that one of its readers has lost
  ///   before doubles the age, so that this reader gets the whole state some day.
  func isOld(_ now: Moment, lasts: Bool) -> Bool {
    let age = StateStream.oldMilliseconds << UInt64(lasts ? min(losses, StateStream.doublingsMax) : 0)
    return now.monotonicMilliseconds >= madeAt &+ age
  }

  /// The age from which a stream counts as old, if the age is not doubled (`doublingsMax`).
  private static let oldMilliseconds: UInt64 = 30_000
  /// The age at which a stream counts as old is doubled at most this many times. After four doublings the age is eight
  /// minutes, enough for a large room on a slow connection. With more, readers who are slow on purpose would keep
  /// others waiting for longer.
  private static let doublingsMax = 4

  /// Whether the stream has only changes, and all changes since a log position. A reader at that position can't use a
  /// stream of the whole state: the reader would have to start over, and might never get to the end on a slow
  /// connection.
  func isDifference(since place: UInt64?) -> Bool {
    guard let since, let place else { return false }
    return since <= place
  }

  /// The frames of one part of the state. A reader's cursor changes only with the last part.
  mutating func frames(ofPart index: Int, places: RoomPlaces, encoder: MessageEncoder) -> [UInt8] {
    if frames[index].isEmpty {
      let isLast = index + 1 == parts.count
      let delivery = Delivery(
        cursor: places.cursor(at: isLast ? position : since ?? 0),
        content: .state(parts[index].told(to: encoder.vocabularies[vocabulary])),
        more: !isLast,
        reset: since == nil && index == 0
      )
      encoder.append(.operations(delivery), encoding, to: &frames[index])
    }
    return frames[index]
  }

  /// The overlap notices that list all pairs, as frames: one buffer for each message. If there are no pairs, one notice
  /// says so.
  mutating func notices(encoder: MessageEncoder) -> [[UInt8]] {
    if notices.isEmpty, let pairs {
      notices = encoder.notices(began: pairs, ended: []).map { encoder.encode(.overlaps($0), encoding) }
    }
    return notices
  }

  /// The upper bound on the shapes in a part, so that even a message with the longest shapes is not too long.
  static func shapesMax(_ encoding: WireEncoding, messageBytes: UInt64) -> Int {
    // The largest possible size of a shape: every property has a stamp of its own, the name is as long as allowed, and
    // there is an erasure. Texts and paths are counted separately, when the parts are made.
    let shapeBytesMax: UInt64 = encoding == .json ? 3_584 : 896
    return min(StatePart.shapesMax, max(1, Int(clamping: messageBytes / shapeBytesMax)))
  }
}
