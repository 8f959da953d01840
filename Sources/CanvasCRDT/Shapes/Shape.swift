/// A live shape as one reads it: every property, defaults filled in.
public struct Shape: Hashable, Sendable {
  public let id: Identifier

  /// The values; `assigned` tells which of them somebody has set.
  public let properties: Properties

  /// When the shape's name was written, or, where it has none of its own, its kind: who shows a shared name bare.
  let nameStamp: Stamp

  init?(_ record: borrowing ShapeRecord) {
    guard let kindStamp = record.stamp(of: .kind) else { return nil }
    id = record.shape
    var values = record.values
    values.assigned.remove(.deleted)
    properties = values
    nameStamp = record.stamp(of: .name) ?? kindStamp
  }

  /// Where the outline runs.
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
