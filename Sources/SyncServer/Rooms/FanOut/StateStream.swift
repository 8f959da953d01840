import CanvasCRDT

/// A room's state, or what of it changed since a place, on its way to readers that join or fell behind.
///
/// It is taken at one time and shared by all readers that come to need the same. Its parts are encoded when they are
/// first sent, so that a large room's state delays nobody. A reader that has had all of it goes on in the ring, at
/// `ordinal`.
struct StateStream: Sendable {
  let encoding: WireEncoding
  /// If it is `nil`, this is the whole state.
  let since: UInt64?
  let position: UInt64
  let ordinal: UInt64
  /// All pairs that overlapped then, if somebody wanted to know.
  let pairs: [ShapePair]?
  private let parts: [StatePart]
  private var frames: [[UInt8]]
  /// How many connections are reading it.
  private(set) var readers = 0

  init(
    encoding: WireEncoding,
    since: UInt64?,
    position: UInt64,
    ordinal: UInt64,
    pairs: [ShapePair]?,
    parts: [StatePart]
  ) {
    self.encoding = encoding
    self.since = since
    self.position = position
    self.ordinal = ordinal
    self.pairs = pairs
    self.parts = parts
    frames = Array(repeating: [], count: parts.count)
  }

  var count: Int { parts.count }

  mutating func enter() { readers += 1 }
  mutating func leave() { readers -= 1 }

  /// The frames of one part. A reader that has only some of the parts has come no further than it was before. If this
  /// is the whole state, that is the beginning of the log.
  mutating func frames(ofPart index: Int, places: RoomPlaces, encoder: MessageEncoder) -> [UInt8] {
    if frames[index].isEmpty {
      let isLast = index + 1 == parts.count
      let delivery = Delivery(
        cursor: places.cursor(at: isLast ? position : since ?? 0),
        content: .state(parts[index]),
        more: !isLast,
        reset: since == nil && index == 0
      )
      encoder.append(.operations(delivery), encoding, to: &frames[index])
    }
    return frames[index]
  }

  /// How many shapes go into a part. Even the longest possible shapes must not make a message too long.
  static func shapesMax(_ encoding: WireEncoding, messageBytes: UInt64) -> Int {
    // A shape has at most fifteen registers under as many stamps, the longest name and key, and an erasure.
    let shapeBytesMax: UInt64 = encoding == .json ? 3_072 : 768
    return min(StatePart.shapesMax, max(1, Int(clamping: messageBytes / shapeBytesMax)))
  }
}
