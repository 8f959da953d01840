#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Numbers that stand for something on both sides, in Swift and in JavaScript. `make table` writes them into web/core/table.js.
// They are kept nowhere, so they may change.

/// What the page is to do or is told: see `EffectWriting.swift`.
public enum EffectKind: UInt32, CaseIterable {
  case json = 0
  case connect
  /// The bytes of a message.
  case send
  case disconnect
  /// A double: when, on the monotonic clock.
  case wake
  /// A double: how many operations the server has not yet answered for.
  case unsent
  /// A row of values, see `ValueRowReader`: what the JSON that comes next says was rejected.
  case values
}

/// How shapes move within the drawing order.
public enum Reordering: UInt32, CaseIterable {
  case front = 0
  case back
  case forward
  case backward
  /// Before so many of the others.
  case toIndex
}

/// Shapes that are made at random.
public enum RandomShape: UInt32, CaseIterable {
  /// Of a random bright colour, at a random place of the area.
  case square = 0
  /// Any shape, at a random place of the area.
  case any
  /// Of a random bright colour, around the point at which the area begins.
  case circle
}

/// What a gesture tells of a shape's place: a sum of these.
public enum PlaceFlag: Int, CaseIterable {
  case position = 1
  case size = 2
  case rotation = 4
}

/// What `changes` tells before its rows: a sum of these.
public enum ChangesFlag: Int, CaseIterable {
  /// Everything is told anew, and what is not told is not there.
  case reset = 1
  /// The drawing order has changed.
  case reordered = 2
}

/// What a row tells of a shape: a sum of these.
public enum ShapeFlag: Int, CaseIterable {
  /// It is there.
  case live = 1
  /// It has a name of its own.
  case named = 2
  /// It is gone, and its position and size are the box that it was said to go to, for the page to show it going there.
  case departing = 4
}

/// A shape as JavaScript reads it, a row of doubles: its identifier; every property that is not text, defaults filled in, in
/// the order of their bits; then flags, what changed, the place and the writer.
public enum ShapeRow {
  /// How many numbers a property takes.
  @inline(__always)
  public static func length(of form: PropertyForm) -> Int {
    switch form {
    case .erasure, .name, .orderKey: 0
    case .kind, .flag, .color, .integer, .number: 1
    case .pair: 2
    }
  }

  /// Where a property's numbers begin.
  public static func start(of property: Property) -> Int {
    var start = 1
    for other in Property.allCases where other.rawValue < property.rawValue { start += length(of: other.form) }
    return start
  }

  /// A sum of `ShapeFlag`.
  public static var flags: Int {
    var end = 1
    for property in Property.allCases { end += length(of: property.form) }
    return end
  }

  /// The mask of what changed, of a change: the bit after those of the properties is the name as it is shown.
  public static var changed: Int { flags + 1 }
  /// How many shapes are drawn before it; −1 where it is gone.
  public static var place: Int { flags + 2 }
  /// The actor who changed it last, of a change: see `Writer`.
  public static var by: Int { flags + 3 }
  public static var length: Int { flags + 4 }
}
