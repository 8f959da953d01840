/// Values for some of a shape's properties: what an operation writes, and what a shape holds.
///
/// `assigned` tells which. The others keep the contract's defaults, so that a shape reads the same with or without
/// them and two values are equal exactly when they assign the same.
public struct Properties: Hashable, Sendable {
  /// Which properties have been given a value here. Assigning one puts it in.
  public internal(set) var assigned = PropertyMask()

  public var kind: ShapeKind = Defaults.kind { didSet { assigned.insert(.kind) } }
  public var visible: Bool = Defaults.visible { didSet { assigned.insert(.visible) } }
  /// 1…10; 10 is opaque.
  public var alpha: Int16 = Defaults.alpha { didSet { assigned.insert(.alpha) } }
  /// 3…64: the corners of a polygon, the tips of a star.
  public var points: Int16 = Defaults.points { didSet { assigned.insert(.points) } }
  public var fill: Color = Defaults.fill { didSet { assigned.insert(.fill) } }
  public var stroke: Color = Defaults.stroke { didSet { assigned.insert(.stroke) } }
  /// The top left corner of the unrotated box.
  public var position: Point = Defaults.position { didSet { assigned.insert(.position) } }
  public var size: Size = Defaults.size { didSet { assigned.insert(.size) } }
  /// Degrees clockwise around the box's centre.
  public var rotation: Double = Defaults.rotation { didSet { assigned.insert(.rotation) } }
  public var strokeWidth: Double = Defaults.strokeWidth { didSet { assigned.insert(.strokeWidth) } }
  public var cornerRadius: Double = Defaults.cornerRadius { didSet { assigned.insert(.cornerRadius) } }
  /// A star's inner radius over its outer.
  public var innerRatio: Double = Defaults.innerRatio { didSet { assigned.insert(.innerRatio) } }
  /// The shape's own name; where it is not assigned, one is made up.
  public var name: Text = Defaults.name { didSet { assigned.insert(.name) } }
  public var z: OrderKey = Defaults.z { didSet { assigned.insert(.z) } }

  public init() {}

  /// Writing `deleted: true`, which erases whatever the shape holds under stamps not greater.
  public var deleted: Bool { assigned.contains(.deleted) }

  public mutating func delete() {
    assigned.insert(.deleted)
  }

  /// What a property has that nobody has set. A kind and a name have no default; what stands here is never shown.
  public enum Defaults {
    public static let kind = ShapeKind.rectangle
    public static let visible = true
    public static let alpha: Int16 = 10
    public static let points: Int16 = 5
    public static let fill = Color(red: 0xC0, green: 0xC0, blue: 0xC0)
    public static let stroke = Color(red: 0, green: 0, blue: 0)
    public static let position = Point(x: 0, y: 0)
    public static let size = Size(width: 150, height: 120)
    public static let rotation = 0.0
    public static let strokeWidth = 0.0
    public static let cornerRadius = 24.0
    public static let innerRatio = 0.5
    public static let name: Text = ""
    public static let z = OrderKey.middle
  }
}

// MARK: - Moving values about

extension Properties {
  /// Takes one property's value from `other`, which has it assigned.
  mutating func take(_ property: Property, from other: borrowing Properties) {
    switch property {
    case .position: position = other.position
    case .size: size = other.size
    case .rotation: rotation = other.rotation
    case .fill: fill = other.fill
    case .alpha: alpha = other.alpha
    case .visible: visible = other.visible
    case .deleted: delete()
    case .kind: kind = other.kind
    case .name: name = other.name
    case .z: z = other.z
    case .stroke: stroke = other.stroke
    case .strokeWidth: strokeWidth = other.strokeWidth
    case .cornerRadius: cornerRadius = other.cornerRadius
    case .points: points = other.points
    case .innerRatio: innerRatio = other.innerRatio
    }
  }

  /// Takes the values of all `properties` from `other`.
  mutating func take(_ properties: PropertyMask, from other: borrowing Properties) {
    for property in properties { take(property, from: other) }
  }

  /// Gives a property back its default, unassigned.
  mutating func clear(_ property: Property) {
    switch property {
    case .position: position = Defaults.position
    case .size: size = Defaults.size
    case .rotation: rotation = Defaults.rotation
    case .fill: fill = Defaults.fill
    case .alpha: alpha = Defaults.alpha
    case .visible: visible = Defaults.visible
    case .deleted: break
    case .kind: kind = Defaults.kind
    case .name: name = Defaults.name
    case .z: z = Defaults.z
    case .stroke: stroke = Defaults.stroke
    case .strokeWidth: strokeWidth = Defaults.strokeWidth
    case .cornerRadius: cornerRadius = Defaults.cornerRadius
    case .points: points = Defaults.points
    case .innerRatio: innerRatio = Defaults.innerRatio
    }
    assigned.remove(property)
  }

  /// Gives all `properties` back their defaults.
  mutating func clear(_ properties: PropertyMask) {
    for property in properties.intersection(assigned) { clear(property) }
  }

  /// Forgets everything assigned. Cheaper than a new value where little was.
  mutating func clear() {
    clear(assigned)
  }

  /// These values with only `properties` kept.
  public func keeping(_ properties: PropertyMask) -> Properties {
    var kept = self
    kept.clear(assigned.subtracting(properties))
    return kept
  }

  /// Whether both assign `property` the same value.
  func agrees(on property: Property, with other: borrowing Properties) -> Bool {
    switch property {
    case .position: position == other.position
    case .size: size == other.size
    case .rotation: rotation == other.rotation
    case .fill: fill == other.fill
    case .alpha: alpha == other.alpha
    case .visible: visible == other.visible
    case .deleted: true
    case .kind: kind == other.kind
    case .name: name == other.name
    case .z: z == other.z
    case .stroke: stroke == other.stroke
    case .strokeWidth: strokeWidth == other.strokeWidth
    case .cornerRadius: cornerRadius == other.cornerRadius
    case .points: points == other.points
    case .innerRatio: innerRatio == other.innerRatio
    }
  }
}
