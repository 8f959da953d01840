#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Numbers that have the same meaning in Swift and in JavaScript. `make table` writes them into web/core/table.js. They
// are never stored, so another version of the program may use other numbers.

/// The kind of an effect: a request to the page, or news for the page. See `EffectWriting.swift`.
public enum EffectKind: UInt32, CaseIterable {
  case json = 0
  case connect
  /// The payload is the bytes of a message.
  case send
  case disconnect
  /// The payload is a double: the time, on the monotonic clock.
  case wake
  /// The payload is a double: how many operations the server has not answered yet.
  case unsent
  /// The payload is a row of values (see `ValueRowReader`) that the server refused. The effect after this one is JSON
  /// that says why.
  case values
}

/// The ways in which shapes can be moved within the drawing order.
public enum Reordering: UInt32, CaseIterable {
  case front = 0
  case back
  case forward
  case backward
  /// To the index that equals the given number: this many other shapes are below.
  case toIndex
}

/// Kinds of random shapes.
public enum RandomShape: UInt32, CaseIterable {
  /// A square of a random bright colour, at a random place in the area.
  case square = 0
  /// A shape of any kind, at a random place in the area.
  case any
  /// A circle of a random bright colour, around the area's corner.
  case circle
}

/// Flags for the parts of a shape's place that a gesture changes. Their sum is passed to `place`.
public enum PlaceFlag: Int, CaseIterable {
  case position = 1
  case size = 2
  case rotation = 4
}

/// Flags about an answer of `changes`. Their sum comes before its rows.
public enum ChangesFlag: Int, CaseIterable {
  /// The rows are the whole drawing: a shape without a row does not exist.
  case reset = 1
  /// The drawing order has changed.
  case reordered = 2
}

/// Flags about a shape. Their sum is in the shape's row.
public enum ShapeFlag: Int, CaseIterable {
  /// The shape exists.
  case live = 1
  /// The shape has a name of its own.
  case named = 2
  /// The shape is gone. The position and size in the row are the box into which the shape was deleted, so that the page
  /// can show it on its way there.
  case departing = 4
  /// The shape has a text.
  case written = 8
  /// The shape has a path.
  case led = 16
}

/// A shape as a row of doubles, for JavaScript: the identifier; every property that is neither text nor a path, with
/// defaults filled in, in the order of the bits; then flags, what has changed, the place in the drawing order and the
/// writer.
public enum ShapeRow {
  /// How many numbers of the row a property takes.
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

  /// The index of the sum of `ShapeFlag`.
  public static var flags: Int {
    var end = 1
    for property in Property.allCases { end += length(of: property.form) }
    return end
  }

  /// The index of the mask of changed properties, in the row of a change. The bit after the properties' bits stands for
  /// the shown name.
  public static var changed: Int { flags + 1 }
  /// The index of the shape's place: the number of shapes drawn before the shape. −1 if the shape is gone.
  public static var place: Int { flags + 2 }
  /// The index of the actor that changed the shape last, in the row of a change: see `Writer`.
  public static var by: Int { flags + 3 }
  public static var length: Int { flags + 4 }
}
