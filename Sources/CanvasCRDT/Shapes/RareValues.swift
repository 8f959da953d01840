/// The values of the properties that few shapes have.
///
/// They are stored separately, so that a shape without any of them spends no memory or time on them. The value of a new
/// property belongs here if most shapes won't have one.
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
  var route = LineRoute.straight

  static let defaults = RareValues()
}

/// Whether the stroke is solid, dashed or dotted.
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
