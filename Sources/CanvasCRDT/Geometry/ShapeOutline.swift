extension Shape {
  /// The shape's outline. `nil` for a hidden shape, because it overlaps nothing.
  public var visibleOutline: Outline? { properties.visible ? outline : nil }

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
}
