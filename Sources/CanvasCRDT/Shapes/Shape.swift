/// A live shape for reading: every property, with defaults filled in.
public struct Shape: Hashable, Sendable {
  public let id: Identifier

  /// The values; `assigned` tells which of them somebody has set.
  public let properties: Properties

  /// When the shape's name was written, or its kind if it has no name. It decides which of several shapes with one name
  /// shows it without a number.
  let nameStamp: Stamp

  init(id: Identifier, properties: Properties, nameStamp: Stamp) {
    self.id = id
    self.properties = properties
    self.nameStamp = nameStamp
  }

  /// The shape's own name, or the one made up for it: its kind in words and its identifier's last group.
  public var baseName: Text {
    properties.assigned.contains(.name) ? properties.name : Shape.madeUpName(properties.kind, id)
  }

  static func madeUpName(_ kind: ShapeKind, _ id: Identifier) -> Text {
    Text(kind.words).appending(" ").appending(id.lastGroup)
  }
}
