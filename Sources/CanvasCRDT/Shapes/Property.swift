/// One of a shape's properties, each of which is a register of its own.
///
/// The raw values are the bits of a `PropertyMask` and part of the binary encoding. What moves most is in the lower
/// seven, so that a mask of an edit in progress is one byte on the wire.
public enum Property: UInt8, CaseIterable, Hashable, Sendable {
  case position
  case size
  case rotation
  case fill
  case alpha
  case visible
  /// The erasure. Its stamp stands beside the registers and decides which of them are gone.
  case deleted
  case kind
  case name
  case z
  case stroke
  case strokeWidth
  case cornerRadius
  case points
  case innerRatio

  public static let count = 15

  /// As the wire names it.
  public var wireName: StaticString {
    switch self {
    case .position: "position"
    case .size: "size"
    case .rotation: "rotation"
    case .fill: "fill"
    case .alpha: "alpha"
    case .visible: "visible"
    case .deleted: "deleted"
    case .kind: "kind"
    case .name: "name"
    case .z: "z"
    case .stroke: "stroke"
    case .strokeWidth: "strokeWidth"
    case .cornerRadius: "cornerRadius"
    case .points: "points"
    case .innerRatio: "innerRatio"
    }
  }
}

/// A set of properties, one bit each.
public struct PropertyMask: Hashable, Sendable {
  public var rawValue: UInt16

  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// None. A literal would be an array first, where nothing is opened in place.
  @inlinable
  public init() { rawValue = 0 }

  /// Every property, the erasure among them.
  @inlinable public static var all: PropertyMask { PropertyMask(rawValue: 0x7FFF) }

  /// Every property that is a register: all but the erasure.
  @inlinable public static var registers: PropertyMask { PropertyMask(rawValue: 0x7FBF) }

  /// What a value can be out of range for, where its type has all of them. A constant, as `registers` is.
  static var bounded: PropertyMask { PropertyMask(rawValue: 0x7917) }

  /// What decides where a shape's outline runs and whether it is seen.
  public static let outline: PropertyMask = [
    .kind, .position, .size, .rotation, .cornerRadius, .points, .innerRatio, .visible,
  ]

  // Each of these is one instruction or two, and merging asks them several times for every register.

  @inlinable
  @inline(__always)
  public func contains(_ property: Property) -> Bool {
    rawValue & (1 << UInt16(property.rawValue)) != 0
  }

  @inlinable
  @inline(__always)
  public mutating func insert(_ property: Property) {
    rawValue |= 1 << UInt16(property.rawValue)
  }

  @inlinable
  @inline(__always)
  public mutating func remove(_ property: Property) {
    rawValue &= ~(1 << UInt16(property.rawValue))
  }

  @inlinable
  @inline(__always)
  public func inserting(_ property: Property) -> PropertyMask {
    PropertyMask(rawValue: rawValue | 1 << UInt16(property.rawValue))
  }

  @inlinable
  @inline(__always)
  public func union(_ other: PropertyMask) -> PropertyMask {
    PropertyMask(rawValue: rawValue | other.rawValue)
  }

  @inlinable
  @inline(__always)
  public func intersection(_ other: PropertyMask) -> PropertyMask {
    PropertyMask(rawValue: rawValue & other.rawValue)
  }

  @inlinable
  @inline(__always)
  public func subtracting(_ other: PropertyMask) -> PropertyMask {
    PropertyMask(rawValue: rawValue & ~other.rawValue)
  }

  /// How many properties are in it.
  @inlinable public var count: Int { rawValue.nonzeroBitCount }
  @inlinable public var isEmpty: Bool { rawValue == 0 }

  /// The property of the lowest bit.
  @inlinable public var first: Property? {
    rawValue == 0 ? nil : Property(rawValue: UInt8(truncatingIfNeeded: rawValue.trailingZeroBitCount))
  }
}

extension PropertyMask: ExpressibleByArrayLiteral {
  @inlinable
  public init(arrayLiteral elements: Property...) {
    self.init(rawValue: 0)
    for property in elements { insert(property) }
  }
}

extension PropertyMask: Sequence {
  /// The properties in it, in the order of their bits.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(rest: self) }

  public struct Iterator: IteratorProtocol {
    @usableFromInline var rest: PropertyMask

    @inlinable
    init(rest: PropertyMask) { self.rest = rest }

    @inlinable
    public mutating func next() -> Property? {
      guard let property = rest.first else { return nil }
      rest.rawValue &= rest.rawValue &- 1
      return property
    }
  }
}
