/// Values for some of a shape's properties: what an operation writes, and what a shape holds.
///
/// `assigned` tells which values are there. The other properties keep their defaults, so that a shape reads the same
/// with or without them and two values are equal exactly when they assign the same.
public struct Properties: Hashable, Sendable {
  /// Which properties have been given a value here. Assigning a property enters it.
  public internal(set) var assigned = PropertyMask()

  // Each begins with its default. A kind and a name have none; the values here for these are never shown. The smallest
  // fields come first, so that no gaps are left.
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

  /// The values of the rare properties, elsewhere in memory; `none` if all are as nobody has set them, so that equal values
  /// are stored alike.
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

  /// Whether `deleted: true` is written. It erases whatever the shape holds under stamps that are not greater.
  public var deleted: Bool { assigned.contains(.deleted) }

  public mutating func delete() {
    assigned.insert(.deleted)
  }
}

// MARK: - Rare properties

extension Properties {
  public var text: Text {
    get { rare.values.text }
    set { assign(.text) { $0.text = newValue } }
  }

  public var textSize: Double {
    get { rare.values.textSize }
    set { assign(.textSize) { $0.textSize = newValue } }
  }

  public var textAlign: TextAlign {
    get { rare.values.textAlign }
    set { assign(.textAlign) { $0.textAlign = newValue } }
  }

  public var textPlace: TextPlace {
    get { rare.values.textPlace }
    set { assign(.textPlace) { $0.textPlace = newValue } }
  }

  public var dash: Dash {
    get { rare.values.dash }
    set { assign(.dash) { $0.dash = newValue } }
  }

  public var isFilled: Bool {
    get { rare.values.isFilled }
    set { assign(.filled) { $0.isFilled = newValue } }
  }

  public var isLocked: Bool {
    get { rare.values.isLocked }
    set { assign(.locked) { $0.isLocked = newValue } }
  }

  public var group: Identifier? {
    get { rare.values.group }
    set { assign(.group) { $0.group = newValue } }
  }

  private mutating func assign(_ property: Property, _ change: (inout RareValues) -> Void) {
    var values = rare.values
    change(&values)
    rare = values == .defaults ? .none : .some(values)
    assigned.insert(property)
  }
}

// MARK: - By form

// The fields of each form that several properties may have. A row of the table names its field, and the switches below
// lead there. So a row without a field, or a field that can't be read or written, doesn't compile.
extension Properties {
  public enum NumberField: Sendable {
    case rotation, strokeWidth, cornerRadius, innerRatio, textSize
  }

  public enum IntegerField: Sendable {
    case alpha, points
  }

  public enum ColorField: Sendable {
    case fill, stroke
  }

  public enum FlagField: Sendable {
    case visible, filled, locked
  }

  /// One of a few words.
  public enum ChoiceField: Sendable {
    case textAlign, textPlace, dash

    /// The words, by their numbers.
    public var words: [StaticString] {
      switch self {
      case .textAlign: TextAlign.allCases.map { $0.wireName }
      case .textPlace: TextPlace.allCases.map { $0.wireName }
      case .dash: Dash.allCases.map { $0.wireName }
      }
    }
  }

  public enum IdentifierField: Sendable {
    case group
  }

  public enum PairField: Sendable {
    case position, size

    /// The names of the two numbers.
    public var names: (first: StaticString, second: StaticString) {
      switch self {
      case .position: ("x", "y")
      case .size: ("width", "height")
      }
    }
  }

  public subscript(field: NumberField) -> Double {
    @inline(__always)
    get {
      switch field {
      case .rotation: rotation
      case .strokeWidth: strokeWidth
      case .cornerRadius: cornerRadius
      case .innerRatio: innerRatio
      case .textSize: textSize
      }
    }
    @inline(__always)
    set {
      switch field {
      case .rotation: rotation = newValue
      case .strokeWidth: strokeWidth = newValue
      case .cornerRadius: cornerRadius = newValue
      case .innerRatio: innerRatio = newValue
      case .textSize: textSize = newValue
      }
    }
  }

  public subscript(field: IntegerField) -> Int16 {
    @inline(__always)
    get {
      switch field {
      case .alpha: alpha
      case .points: points
      }
    }
    @inline(__always)
    set {
      switch field {
      case .alpha: alpha = newValue
      case .points: points = newValue
      }
    }
  }

  public subscript(field: ColorField) -> Color {
    @inline(__always)
    get {
      switch field {
      case .fill: fill
      case .stroke: stroke
      }
    }
    @inline(__always)
    set {
      switch field {
      case .fill: fill = newValue
      case .stroke: stroke = newValue
      }
    }
  }

  public subscript(field: FlagField) -> Bool {
    @inline(__always)
    get {
      switch field {
      case .visible: visible
      case .filled: isFilled
      case .locked: isLocked
      }
    }
    @inline(__always)
    set {
      switch field {
      case .visible: visible = newValue
      case .filled: isFilled = newValue
      case .locked: isLocked = newValue
      }
    }
  }

  /// The number of the word. A number that has no word changes nothing.
  public subscript(field: ChoiceField) -> UInt8 {
    get {
      switch field {
      case .textAlign: textAlign.rawValue
      case .textPlace: textPlace.rawValue
      case .dash: dash.rawValue
      }
    }
    set {
      switch field {
      case .textAlign: textAlign = TextAlign(rawValue: newValue) ?? textAlign
      case .textPlace: textPlace = TextPlace(rawValue: newValue) ?? textPlace
      case .dash: dash = Dash(rawValue: newValue) ?? dash
      }
    }
  }

  public subscript(field: IdentifierField) -> Identifier? {
    get {
      switch field {
      case .group: group
      }
    }
    set {
      switch field {
      case .group: group = newValue
      }
    }
  }

  public subscript(field: PairField) -> (first: Double, second: Double) {
    @inline(__always)
    get {
      switch field {
      case .position: (position.x, position.y)
      case .size: (size.width, size.height)
      }
    }
    @inline(__always)
    set {
      switch field {
      case .position: position = Point(x: newValue.first, y: newValue.second)
      case .size: size = Size(width: newValue.first, height: newValue.second)
      }
    }
  }
}

// MARK: - Moving values about

extension Properties {
  /// Takes one property's value from `other`, which must have it assigned.
  public mutating func take(_ property: Property, from other: borrowing Properties) {
    switch property.form {
    case .erasure: delete()
    case .kind: kind = other.kind
    case .name: name = other.name
    case .orderKey: z = other.z
    case .text: text = other.text
    case .choice(let field): self[field] = other[field]
    case .identifier(let field): self[field] = other[field]
    case .flag(let field): self[field] = other[field]
    case .color(let field): self[field] = other[field]
    case .integer(let field, _, _): self[field] = other[field]
    case .number(let field, _, _): self[field] = other[field]
    case .pair(let field, _): self[field] = other[field]
    }
  }

  /// Takes the values of all `properties` from `other`.
  mutating func take(_ properties: PropertyMask, from other: borrowing Properties) {
    for property in properties { take(property, from: other) }
  }

  /// Gives a property back its default, unassigned.
  mutating func clear(_ property: Property) {
    take(property, from: Properties())
    assigned.remove(property)
  }

  /// Gives all `properties` back their defaults.
  mutating func clear(_ properties: PropertyMask) {
    for property in properties.intersection(assigned) { clear(property) }
  }

  /// Forgets everything assigned. Cheaper than a new value if little was assigned.
  mutating func clear() {
    clear(assigned)
  }

  /// These values with only `properties` kept.
  public func keeping(_ properties: PropertyMask) -> Properties {
    var kept = self
    kept.clear(assigned.subtracting(properties))
    return kept
  }

  /// These values without those that `other` has as well. What `other` doesn't assign counts as its default.
  public func differing(from other: borrowing Properties) -> Properties {
    var differing = self
    for property in assigned where agrees(on: property, with: other) { differing.clear(property) }
    return differing
  }

  /// Whether both assign `property` the same value.
  func agrees(on property: Property, with other: borrowing Properties) -> Bool {
    switch property.form {
    case .erasure: true
    case .kind: kind == other.kind
    case .name: name == other.name
    case .orderKey: z == other.z
    case .text: text == other.text
    case .choice(let field): self[field] == other[field]
    case .identifier(let field): self[field] == other[field]
    case .flag(let field): self[field] == other[field]
    case .color(let field): self[field] == other[field]
    case .integer(let field, _, _): self[field] == other[field]
    case .number(let field, _, _): self[field] == other[field]
    case .pair(let field, _): self[field] == other[field]
    }
  }
}
