extension Shape {
  /// What is hidden is in nobody's way.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
