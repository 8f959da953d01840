/// Values for some of a shape's properties: what an operation writes, and what a shape holds.
///
/// `assigned` says which values exist. The other properties have their defaults, so a shape can be read without
/// checking `assigned`. Two sets of values are equal exactly if they assign equal values to the same properties.
public struct Properties: Hashable, Sendable {
  /// The properties that have a value. Setting a property adds it to this set.
  public internal(set) var assigned = PropertyMask()

  // Each field is initialised with its property's default. A kind and a name have no default, so their initial values
  // are never shown. The smallest fields come first, so that there is no padding between fields.
  public var kind = ShapeKind.rectangle { didSet { assigned.insert(.kind) } }
  public var visible = true { didSet { assigned.insert(.visible) } }
  public var alpha: Int16 = 10 { didSet { assigned.insert(.alpha) } }
  public var points: Int16 = 5 { didSet { assigned.insert(.points) } }
  public var fill = Color(red: 0xC0, green: 0xC0, blue: 0xC0) { didSet { assigned.insert(.fill) } }
  public var stroke = Color(red: 0, green: 0, blue: 0) { didSet { assigned.insert(.stroke) } }
  public var position = Point(x: 0, y: 0) { didSet { assigned.insert(.position) } }
  public var size = Size(width: 150, height: 120) { didSet { assigned.insert(.size) } }
  public var rotation = 0.0 { didSet { assigned.insert(.rotation) } }
  public var strokeWidth = 0.0 { didSet { assigned.insert(.strokeWidth) } }
  public var cornerRadius = 24.0 { didSet { assigned.insert(.cornerRadius) } }
  public var innerRatio = 0.5 { didSet { assigned.insert(.innerRatio) } }
  public var name = Text.empty { didSet { assigned.insert(.name) } }
  public var z = OrderKey.middle { didSet { assigned.insert(.z) } }

  private var rare = Rare.none

  /// The values of the rare properties, stored outside of this struct. `none` if all have their defaults, so that equal
  /// values are always stored in the same way.
  private enum Rare: Hashable, Sendable {
    case none
    indirect case some(RareValues)

    var values: RareValues {
      switch self {
      case .none: .defaults
      case .some(let values): values
      }
    }
  }

  public init() {}

  /// Whether `deleted: true` is written. This erases all registers of the shape that are not newer than the erasure.
  public var deleted: Bool { assigned.contains(.deleted) }

  public mutating func delete() {
    assigned.insert(.deleted)
  }
}

// MARK: - Rare properties

// Their getters are calls, because all code that reads any property would contain them.

extension Properties {
  public var text: Text {
    @inline(never) get { rare.values.text }
    set { assign(.text) { $0.text = newValue } }
  }

  public var textSize: Double {
    @inline(never) get { rare.values.textSize }
    set { assign(.textSize) { $0.textSize = newValue } }
  }

  public var textAlign: TextAlign {
    @inline(never) get { rare.values.textAlign }
    set { assign(.textAlign) { $0.textAlign = newValue } }
  }

  public var textPlace: TextPlace {
    @inline(never) get { rare.values.textPlace }
    set { assign(.textPlace) { $0.textPlace = newValue } }
  }

  public var dash: Dash {
    @inline(never) get { rare.values.dash }
    set { assign(.dash) { $0.dash = newValue } }
  }

  public var isFilled: Bool {
    @inline(never) get { rare.values.isFilled }
    set { assign(.filled) { $0.isFilled = newValue } }
  }

  public var isLocked: Bool {
    @inline(never) get { rare.values.isLocked }
    set { assign(.locked) { $0.isLocked = newValue } }
  }

  public var group: Identifier? {
    @inline(never) get { rare.values.group }
    set { assign(.group) { $0.group = newValue } }
  }

  public var path: Path {
    @inline(never) get { rare.values.path }
    set { assign(.path) { $0.path = newValue } }
  }

  public var from: Tie? {
    @inline(never) get { rare.values.from }
    set { assign(.from) { $0.from = newValue } }
  }

  public var to: Tie? {
    @inline(never) get { rare.values.to }
    set { assign(.to) { $0.to = newValue } }
  }

  public var fromEnd: LineEnd {
    @inline(never) get { rare.values.fromEnd }
    set { assign(.fromEnd) { $0.fromEnd = newValue } }
  }

  public var toEnd: LineEnd {
    @inline(never) get { rare.values.toEnd }
    set { assign(.toEnd) { $0.toEnd = newValue } }
  }

  public var route: LineRoute {
    @inline(never) get { rare.values.route }
    set { assign(.route) { $0.route = newValue } }
  }

  private mutating func assign(_ property: Property, _ change: (inout RareValues) -> Void) {
    var values = rare.values
    change(&values)
    rare = values == .defaults ? .none : .some(values)
    assigned.insert(property)
  }
}

// MARK: - Long values

extension Properties {
  var longerSide: Double { max(size.width, size.height) }

  /// The bytes of the texts and paths among the given properties. Only the check for a text or a path is inlined,
  /// because nearly all shapes have neither.
  @inline(__always)
  public func longBytes(of properties: PropertyMask) -> Int {
    assigned.intersection(properties).intersection(.long).isEmpty ? 0 : addedLongBytes(of: properties)
  }

  @inline(never)
  private func addedLongBytes(of properties: PropertyMask) -> Int {
    (properties.contains(.text) ? text.utf8Count : 0) + (properties.contains(.path) ? path.bytes.count : 0)
  }

  /// An upper bound on the bytes that the texts and paths take on the wire. In JSON, escapes make a text at most twice
  /// as long. A point takes at least two bytes in memory, and in JSON at most seven characters for each of these bytes.
  var longBytesSaid: Int {
    guard assigned.rawValue & PropertyMask.long.rawValue != 0 else { return 0 }
    return 2 * text.utf8Count + 7 * path.bytes.count
  }
}

// MARK: - Copying and clearing values

extension Properties {
  /// Copies one property's value from `other`, which must assign the property.
  public mutating func take(_ property: Property, from other: borrowing Properties) {
    switch property.form {
    case .erasure: delete()
    case .kind: kind = other.kind
    case .name: name = other.name
    case .orderKey: z = other.z
    case .text: text = other.text
    case .choice(let field): self[field] = other[field]
    case .identifier(let field): self[field] = other[field]
    case .path: path = other.path
    case .tie(let field): self[field] = other[field]
    case .flag(let field): self[field] = other[field]
    case .color(let field): self[field] = other[field]
    case .integer(let field, _, _): self[field] = other[field]
    case .number(let field, _, _): self[field] = other[field]
    case .pair(let field, _): self[field] = other[field]
    }
  }

  /// Copies the values of several properties from `other`, which must assign them.
  public mutating func take(_ properties: PropertyMask, from other: borrowing Properties) {
    for property in properties { take(property, from: other) }
  }

  /// Resets a property to its default and removes it from `assigned`.
  mutating func clear(_ property: Property) {
    take(property, from: Properties())
    assigned.remove(property)
  }

  mutating func clear(_ properties: PropertyMask) {
    for property in properties.intersection(assigned) { clear(property) }
  }

  /// Resets all properties. If few are assigned, this is cheaper than making a new value.
  mutating func clear() {
    clear(assigned)
  }

  /// Only the values of `properties`.
  public func keeping(_ properties: PropertyMask) -> Properties {
    var kept = self
    kept.clear(assigned.subtracting(properties))
    return kept
  }

  /// The values of this set that differ from those of `other`. A property that `other` doesn't assign is compared with
  /// its default.
  public func differing(from other: borrowing Properties) -> Properties {
    var differing = self
    for property in assigned where agrees(on: property, with: other) { differing.clear(property) }
    return differing
  }

  func agrees(on property: Property, with other: borrowing Properties) -> Bool {
    switch property.form {
    case .erasure: true
    case .kind: kind == other.kind
    case .name: name == other.name
    case .orderKey: z == other.z
    case .text: text == other.text
    case .choice(let field): self[field] == other[field]
    case .identifier(let field): self[field] == other[field]
    case .path: path == other.path
    case .tie(let field): self[field] == other[field]
    case .flag(let field): self[field] == other[field]
    case .color(let field): self[field] == other[field]
    case .integer(let field, _, _): self[field] == other[field]
    case .number(let field, _, _): self[field] == other[field]
    case .pair(let field, _): self[field] == other[field]
    }
  }
}
