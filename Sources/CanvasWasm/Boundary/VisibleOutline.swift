extension Shape {
  /// A hidden shape overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
