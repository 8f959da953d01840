/// A live shape, for reading: all its properties, with defaults filled in.
public struct Shape: Hashable, Sendable {
  public let id: Identifier

  /// All values. `assigned` has those that were set explicitly.
  public let properties: Properties

  /// When the shape's name was written, or its kind if it has no name. Of several shapes with the same name, the one
  /// with the least stamp shows the name without a number.
  let nameStamp: Stamp

  init(id: Identifier, properties: Properties, nameStamp: Stamp) {
    self.id = id
    self.properties = properties
    self.nameStamp = nameStamp
  }

  /// The shape's own name. For a shape without a name, a generated one: its kind and its identifier's last group.
  public var baseName: Text {
    properties.assigned.contains(.name) ? properties.name : Shape.madeUpName(properties.kind, id)
  }

  /// Whether this name equals one that would be generated for the shape, with any kind. A shape with such a name counts
  /// as unnamed. Undoing a shape's first name writes such a name, because a register can't be removed.
  static func isMadeUp(_ name: Text, for id: Identifier) -> Bool {
    // This quick check rules out nearly all names that people choose, because their ends differ from the end of a
    // generated name.
    let isLikely = name.withBytes { name in
      id.lastGroup.withBytes { group in name.count > group.count && name.suffix(group.count).elementsEqual(group) }
    }
    return isLikely && ShapeKind.allCases.contains { madeUpName($0, id) == name }
  }

  static func madeUpName(_ kind: ShapeKind, _ id: Identifier) -> Text {
    Text(kind.words).appending(" ").appending(id.lastGroup)
  }
}

// MARK: - Properties that were never set

extension Shape {
  /// The values of `wanted`. A property that was never set has its default. The default of a name is the generated one.
  public func values(of wanted: PropertyMask) -> Properties {
    var values = properties.keeping(wanted)
    for property in wanted.intersection(.registers).subtracting(properties.assigned) {
      values.assignDefault(property, kind: properties.kind, of: id)
    }
    return values
  }

  /// This shape's values for the properties in which it differs from `earlier`.
  public func changes(since earlier: Shape) -> Properties {
    let either = properties.assigned.union(earlier.properties.assigned)
    return values(of: either).differing(from: earlier.values(of: either))
  }
}

extension Properties {
  /// Sets a property to its default. The default of a name is the generated name.
  mutating func assignDefault(_ property: Property, kind: ShapeKind, of shape: Identifier) {
    if property == .name {
      name = Shape.madeUpName(kind, shape)
    } else {
      clear(property)
      assigned.insert(property)
    }
  }
}
