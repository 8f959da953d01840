/// The pairs of live, visible shapes that began or stopped overlapping.
public struct OverlapNotice: Hashable, Sendable {
  public var began: [ShapePair]
  public var ended: [ShapePair]
  public var more: Bool

  public init(began: [ShapePair], ended: [ShapePair], more: Bool = false) {
    self.began = began
    self.ended = ended
    self.more = more
  }
}

// MARK: - JSON

extension JSONEncoding {
  static func write(_ notice: OverlapNotice, to writer: inout JSONWriter) {
    writer.key("began")
    write(notice.began, to: &writer)
    writer.key("ended")
    write(notice.ended, to: &writer)
    if notice.more { writeTrue("more", to: &writer) }
  }

  static func readOverlaps(from reader: inout JSONReader) throws(MessageError) -> OverlapNotice {
    var began: [ShapePair]?
    var ended: [ShapePair]?
    var more = false
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "began": began = try readPairs(from: &reader)
      case "ended": ended = try readPairs(from: &reader)
      case "more": more = try reader.boolean().orField("more must be true or false")
      default: reader.passOver()
      }
    }
    return OverlapNotice(
      began: try began.orField("overlaps must have a list of pairs, began"),
      ended: try ended.orField("overlaps must have a list of pairs, ended"),
      more: more
    )
  }

  /// Writes a list of pairs, as in messages and in HTTP answers.
  public static func write(_ pairs: [ShapePair], to writer: inout JSONWriter) {
    writer.beginArray()
    for pair in pairs {
      writer.beginArray()
      writer.value(pair.first)
      writer.value(pair.second)
      writer.endArray()
    }
    writer.endArray()
  }

  private static func readPairs(from reader: inout JSONReader) throws(MessageError) -> [ShapePair] {
    var pairs: [ShapePair] = []
    try forEachElement(of: &reader) { (reader) throws(MessageError) in
      guard reader.entersArray(), reader.hasElement(), let first = reader.identifier(), reader.hasElement(),
        let second = reader.identifier(), !reader.hasElement(), first < second
      else { throw .badField("a pair must be two shapes, the smaller identifier first") }
      pairs.append(ShapePair(first, second))
    }
    return pairs
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func write(_ notice: OverlapNotice, to writer: inout ByteWriter) {
    writer.append(notice.more ? 1 : 0)
    for pairs in [notice.began, notice.ended] {
      writer.appendVarint(UInt64(pairs.count))
      for pair in pairs {
        writer.append(pair.first)
        writer.append(pair.second)
      }
    }
  }

  static func readOverlaps(from reader: inout ByteReader) throws(BinaryFailure) -> OverlapNotice {
    let more = try reader.byte()
    guard more < 2 else { throw .field("a flag of overlaps that there is not") }
    return OverlapNotice(began: try readPairs(from: &reader), ended: try readPairs(from: &reader), more: more == 1)
  }

  private static func readPairs(from reader: inout ByteReader) throws(BinaryFailure) -> [ShapePair] {
    let count = try reader.count(bytesEach: 12)
    var pairs: [ShapePair] = []
    pairs.reserveCapacity(count)
    for _ in 0..<count {
      let first = try reader.identifier()
      let second = try reader.identifier()
      guard first < second else { throw .field("a pair of shapes out of order") }
      pairs.append(ShapePair(first, second))
    }
    return pairs
  }
}
