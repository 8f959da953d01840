extension Shape {
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
