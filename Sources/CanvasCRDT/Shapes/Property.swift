/// One of a shape's properties. Each is a register of its own, and has a row in `PropertyTable.swift`.
///
/// A case's position is its bit in a `PropertyMask` and a part of the binary encoding, so new cases must come last. The
/// properties that change most often have the lowest seven bits, so that the mask of most edits is one byte on the
/// wire.
public enum Property: UInt8, CaseIterable, Hashable, Sendable {
  case position
  case size
  case rotation
  case fill
  case alpha
  case visible
  /// The erasure, which is not a register. Its stamp decides which registers are erased.
  case deleted
  case kind
  case name
  case z
  case stroke
  case strokeWidth
  case cornerRadius
  case points
  case innerRatio
  case text
  case textSize
  case textAlign
  case textPlace
  case dash
  case filled
  case locked
  case group
  case path
  case from
  case to
  case fromEnd
  case toEnd
  case route

  @inlinable public static var count: Int { ForEachProperty<Property>.count }

  /// The properties in the order of their bits. Loops over masks use this list, because `init(rawValue:)` of such a
  /// large enum is a function call.
  @usableFromInline static let byBit: ForEachProperty<Property> = [
    .position, .size, .rotation, .fill, .alpha, .visible, .deleted, .kind, .name, .z,
    .stroke, .strokeWidth, .cornerRadius, .points, .innerRatio, .text, .textSize, .textAlign, .textPlace, .dash,
    .filled, .locked, .group, .path, .from, .to, .fromEnd, .toEnd, .route,
  ]
}

/// One value for each property, in the order of the bits. The number of properties is written only here:
/// `Property.inOrder` and `Property.byBit` don't compile with another number, and a test counts the cases.
public typealias ForEachProperty<Value> = InlineArray<29, Value>

/// One value for each common property. The bits of all rare properties come after these.
typealias ForEachCommonProperty<Value> = InlineArray<15, Value>

/// A set of properties, with one bit for each. Other bits must not be set.
public struct PropertyMask: Hashable, Sendable {
  public var rawValue: UInt32

  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The empty set. A literal `[]` would first create an array wherever it is not inlined.
  @inlinable
  public init() { rawValue = 0 }

  /// The properties whose row in `PropertyTable.swift` meets `isWanted`.
  public init(where isWanted: (PropertyRow) -> Bool) {
    rawValue = 0
    for property in Property.allCases where isWanted(property.row) { insert(property) }
  }

  /// Every property, including the erasure.
  @inlinable public static var all: PropertyMask { PropertyMask(rawValue: 1 << UInt32(Property.count) - 1) }

  /// Every property except the erasure, because all others are registers.
  public static var registers: PropertyMask { all.subtracting(PropertyMask().inserting(.deleted)) }

  /// The properties that few shapes have. A shape without them stores no values or stamps for them: see `RareValues`.
  @inlinable
  public static var rare: PropertyMask { PropertyMask(rawValue: all.rawValue & ~common.rawValue) }

  @inlinable
  public static var common: PropertyMask { PropertyMask(rawValue: 1 << 15 - 1) }

  /// The properties with values that may be long. `longBytes` counts their bytes.
  static var long: PropertyMask { PropertyMask().inserting(.text).inserting(.path) }

  /// The properties that affect a shape's outline, or whether it is visible.
  public static let outline = PropertyMask { $0.decidesOutline }

  /// The properties that decide where a line is drawn, beside those of its outline.
  public static let leading: PropertyMask = [.from, .to, .route, .strokeWidth]

  // The functions below are inlined because each is only one or two instructions, and merging calls them several times
  // for every register.

  // The masking shift `&<<` is used because `<<` would check the shift count each time.
  @inlinable
  @inline(__always)
  static func bit(of property: Property) -> UInt32 { 1 &<< UInt32(property.rawValue) }

  @inlinable
  @inline(__always)
  public func contains(_ property: Property) -> Bool {
    rawValue & PropertyMask.bit(of: property) != 0
  }

  @inlinable
  @inline(__always)
  public mutating func insert(_ property: Property) {
    rawValue |= PropertyMask.bit(of: property)
  }

  @inlinable
  @inline(__always)
  public mutating func remove(_ property: Property) {
    rawValue &= ~PropertyMask.bit(of: property)
  }

  @inlinable
  @inline(__always)
  public func inserting(_ property: Property) -> PropertyMask {
    PropertyMask(rawValue: rawValue | PropertyMask.bit(of: property))
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

  @inlinable public var count: Int { rawValue.nonzeroBitCount }
  @inlinable public var isEmpty: Bool { rawValue == 0 }

  /// The property with the lowest bit. `nil` if the set is empty.
  @inlinable public var first: Property? {
    rawValue == 0 ? nil : Property.byBit[rawValue.trailingZeroBitCount]
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
  /// The properties in the set, in the order of their bits.
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
