#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Numbers with the same meaning in Swift and in JavaScript. `make table` writes them into web/core/table.js. They are
// stored nowhere, so they may change.

/// A request to the page, or news for it: see `EffectWriting.swift`.
public enum EffectKind: UInt32, CaseIterable {
  case json = 0
  case connect
  /// The bytes of a message.
  case send
  case disconnect
  /// A double: the time, on the monotonic clock.
  case wake
  /// A double: how many operations the server has not answered yet.
  case unsent
  /// A row of values, see `ValueRowReader`, that was refused. The JSON that comes next says why.
  case values
}

/// The ways in which shapes move within the drawing order.
public enum Reordering: UInt32, CaseIterable {
  case front = 0
  case back
  case forward
  case backward
  /// So that the given number of other shapes are below.
  case toIndex
}

/// Kinds of random shapes.
public enum RandomShape: UInt32, CaseIterable {
  /// A square of a random bright colour, at a random place of the area.
  case square = 0
  /// Any shape, at a random place of the area.
  case any
  /// A circle of a random bright colour, around the area's corner.
  case circle
}

/// The parts of a shape's place that a gesture changes: a sum of these.
public enum PlaceFlag: Int, CaseIterable {
  case position = 1
  case size = 2
  case rotation = 4
}

/// The number before the rows of `changes` is a sum of these.
public enum ChangesFlag: Int, CaseIterable {
  /// The rows are the whole drawing: a shape without a row does not exist.
  case reset = 1
  /// The drawing order has changed.
  case reordered = 2
}

/// Facts about a shape in its row: a sum of these.
public enum ShapeFlag: Int, CaseIterable {
  /// The shape exists.
  case live = 1
  /// The shape has a name of its own.
  case named = 2
  /// The shape is gone. The row's position and size are the box that it was deleted to, so that the page can show it
  /// going there.
  case departing = 4
  /// There is text in the shape.
  case written = 8
  /// The shape has a path.
  case led = 16
}

/// A shape as a row of doubles, for JavaScript: its identifier; every property that is not text or a path, with defaults filled
/// in, in the order of the bits; then flags, what changed, the place and the writer.
public enum ShapeRow {
  /// How many numbers a property takes.
  @inline(__always)
  public static func length(of form: PropertyForm) -> Int {
    switch form {
    case .erasure, .name, .orderKey, .text, .path: 0
    case .kind, .flag, .choice, .identifier, .color, .integer, .number: 1
    case .pair: 2
    case .tie: 3
    }
  }

  /// The index of a property's first number.
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

  /// In the row of a change, the mask of the changed properties. The bit after those of the properties is the shown
  /// name.
  public static var changed: Int { flags + 1 }
  /// The number of shapes drawn before it; −1 if it is gone.
  public static var place: Int { flags + 2 }
  /// In the row of a change, the actor that changed the shape last: see `Writer`.
  public static var by: Int { flags + 3 }
  public static var length: Int { flags + 4 }
}
