extension Shape {
  /// The shape's outline. `nil` for a hidden shape, because it overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
