/// The values of the properties that few shapes have.
///
/// They are stored apart from the other values. So a shape without any of them takes no memory or time for them. If
/// most shapes will not have a new property, its value belongs here.
struct RareValues: Hashable, Sendable {
  var text = Text.empty
  var textSize = 20.0
  var textAlign = TextAlign.center
  var textPlace = TextPlace.middle
  var dash = Dash.solid
  var isFilled = true
  var isLocked = false
  var group: Identifier?
  var path = Path.none
  var from: Tie?
  var to: Tie?
  var fromEnd = LineEnd.plain
  var toEnd = LineEnd.plain

  static let defaults = RareValues()
}

/// How the stroke is broken.
public enum Dash: UInt8, CaseIterable, Hashable, Sendable {
  case solid
  case dashed
  case dotted

  public var wireName: StaticString {
    switch self {
    case .solid: "solid"
    case .dashed: "dashed"
    case .dotted: "dotted"
    }
  }
}

/// The horizontal alignment of the lines of a text in its box.
public enum TextAlign: UInt8, CaseIterable, Hashable, Sendable {
  case left
  case center
  case right

  public var wireName: StaticString {
    switch self {
    case .left: "left"
    case .center: "center"
    case .right: "right"
    }
  }
}

/// The vertical position of a text in its box.
public enum TextPlace: UInt8, CaseIterable, Hashable, Sendable {
  case top
  case middle
  case bottom

  public var wireName: StaticString {
    switch self {
    case .top: "top"
    case .middle: "middle"
    case .bottom: "bottom"
    }
  }
}
