/// A place in a shape's box, before rotation: fractions of its width and height, measured from the top left corner.
public struct BoxPlace: Hashable, Sendable {
  public var x: UInt16
  public var y: UInt16

  public init(x: UInt16, y: UInt16) {
    self.x = x
    self.y = y
  }

  /// The value at the right or the lower side of the box.
  public static var end: UInt16 { .max }

  /// The fractions as numbers from 0 to 1.
  public var share: Point { Point(x: Double(x) / Double(BoxPlace.end), y: Double(y) / Double(BoxPlace.end)) }
}

/// The points of a line or of a stroke of ink, relative to the shape's box.
///
/// A path is stored in its binary encoding: a byte that says whether the points have widths, then for each point its
/// difference from the previous one, and its width. So a long stroke takes little memory. It is decoded only to be
/// drawn.
public struct Path: Hashable, Sendable {
  public struct Point: Hashable, Sendable {
    public var place: BoxPlace
    /// The line's width at this point, in percent of the stroke's width.
    public var width: UInt8

    public init(_ place: BoxPlace, width: UInt8 = Path.evenWidth) {
      self.place = place
      self.width = width
    }
  }

  /// The encoded points. Empty if there is no path.
  public let bytes: [UInt8]

  public static let none = Path(bytes: [])

  public static var evenWidth: UInt8 { 100 }
  public static var widths: ClosedRange<UInt8> { 1...200 }
  public static var counts: ClosedRange<Int> { 2...1_024 }
  /// An upper bound on the bytes of a path: a flag, and for each point at most three bytes for each coordinate and one
  /// for the width.
  static var bytesMax: Int { 1 + counts.upperBound * 7 }

  public var isEmpty: Bool { bytes.isEmpty }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// `nil` if there are too few or too many points, or if a width is not allowed.
  public init?(_ points: [Point]) {
    guard Path.counts.contains(points.count), points.allSatisfy({ Path.widths.contains($0.width) }) else { return nil }
    let hasWidths = points.contains { $0.width != Path.evenWidth }
    var writer = ByteWriter()
    writer.append(hasWidths ? 1 : 0)
    var before = BoxPlace(x: 0, y: 0)
    for point in points {
      writer.appendSignedVarint(Int64(point.place.x) - Int64(before.x))
      writer.appendSignedVarint(Int64(point.place.y) - Int64(before.y))
      if hasWidths { writer.append(point.width) }
      before = point.place
    }
    bytes = writer.finish()
  }

  /// Reads the bytes of a stored path. No bytes mean an empty path. `nil` if the bytes are invalid.
  init?(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty {
      self = .none
      return
    }
    guard bytes.count <= Path.bytesMax, let points = Path.points(in: bytes), let path = Path(points) else { return nil }
    guard path.bytes.elementsEqual(bytes) else { return nil }
    self = path
  }

  public var points: [Point] { bytes.withUnsafeBytes { Path.points(in: $0) ?? [] } }

  private static func points(in bytes: UnsafeRawBufferPointer) -> [Point]? {
    guard bytes.count > 1, bytes[0] <= 1 else { return nil }
    let hasWidths = bytes[0] == 1
    var points: [Point] = []
    points.reserveCapacity(bytes.count / 4)
    var at = 1
    var x: Int64 = 0
    var y: Int64 = 0
    while at < bytes.count {
      guard let across = step(in: bytes, &at), let down = step(in: bytes, &at) else { return nil }
      x += across
      y += down
      guard let left = UInt16(exactly: x), let top = UInt16(exactly: y) else { return nil }
      var point = Point(BoxPlace(x: left, y: top))
      if hasWidths {
        guard at < bytes.count else { return nil }
        point.width = bytes[at]
        at += 1
      }
      points.append(point)
    }
    return points
  }

  /// Reads a difference between two coordinates: a varint of at most three bytes. The number's lowest bit is the sign.
  private static func step(in bytes: UnsafeRawBufferPointer, _ at: inout Int) -> Int64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 14, by: 7) {
      guard at < bytes.count else { return nil }
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
    }
    return nil
  }
}

/// Ties the end of a line to a place in another shape's box. When that shape moves, the end moves with it.
public struct Tie: Hashable, Sendable {
  public var shape: Identifier
  public var place: BoxPlace

  public init(shape: Identifier, place: BoxPlace) {
    self.shape = shape
    self.place = place
  }
}

/// How the end of a line is drawn.
public enum LineEnd: UInt8, CaseIterable, Hashable, Sendable {
  case plain
  case arrow
  case dot

  public var wireName: StaticString {
    switch self {
    case .plain: "plain"
    case .arrow: "arrow"
    case .dot: "dot"
    }
  }
}

/// How a line leads from point to point (S17).
public enum LineRoute: UInt8, CaseIterable, Hashable, Sendable {
  case straight
  /// As a smooth curve through all points.
  case curved
  /// In horizontal and vertical pieces from the first point to the last.
  case elbow

  public var wireName: StaticString {
    switch self {
    case .straight: "straight"
    case .curved: "curved"
    case .elbow: "elbow"
    }
  }
}
