/// A live shape for reading: every property, with defaults filled in.
public struct Shape: Hashable, Sendable {
  public let id: Identifier

  /// The values; `assigned` tells which of them somebody has set.
  public let properties: Properties

  /// When the shape's name was written, or its kind if it has no name. It decides which of several shapes with one name
  /// shows it without a number.
  let nameStamp: Stamp

  init?(_ record: borrowing ShapeRecord) {
    guard let kindStamp = record.stamp(of: .kind) else { return nil }
    id = record.shape
    var values = record.values
    values.assigned.remove(.deleted)
    properties = values
    nameStamp = record.stamp(of: .name) ?? kindStamp
  }

  /// The shape's outline.
  public var outline: Outline {
    Outline(
      kind: properties.kind,
      position: properties.position,
      size: properties.size,
      rotation: properties.rotation,
      cornerRadius: properties.cornerRadius,
      points: Int(properties.points),
      innerRatio: properties.innerRatio
    )
  }

  /// The shape's own name, or the one made up for it: its kind in words and its identifier's last group.
  public var baseName: Text {
    properties.assigned.contains(.name) ? properties.name : Shape.madeUpName(properties.kind, id)
  }

  static func madeUpName(_ kind: ShapeKind, _ id: Identifier) -> Text {
    Text(kind.words).appending(" ").appending(id.lastGroup)
  }
}
