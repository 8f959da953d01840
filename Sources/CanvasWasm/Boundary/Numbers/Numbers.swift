#if canImport(CanvasCRDT)
  import CanvasCRDT
#endif

// Numbers that have the same meaning in Swift and in TypeScript. `make table` writes them into web/core/table.ts. They
// are never stored, so they may change from version to version.

/// The kind of an effect: a request to the page, or a report. See `EffectWriting.swift`.
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
  /// The payload is a row of values (see `ValueRowReader`) that the server refused. The next effect is JSON with the
  /// reason.
  case values
}

/// The ways to move shapes within the drawing order.
public enum Reordering: UInt32, CaseIterable {
  case front = 0
  case back
  case forward
  case backward
  /// To a given index. The index is the number of other shapes below the shape.
  case toIndex
}

/// Kinds of random shapes.
public enum RandomShape: UInt32, CaseIterable {
  /// A square with a random bright colour, at a random place in the area.
  case square = 0
  /// A shape of a random kind, at a random place in the area.
  case any
  /// A circle with a random bright colour, around the top left corner of the area.
  case circle
}

/// Flags that say what a gesture changes: position, size or rotation. Their sum is passed to `place`.
public enum PlaceFlag: Int, CaseIterable {
  case position = 1
  case size = 2
  case rotation = 4
}

/// Flags in the answer of `changes`. The answer begins with the sum of the flags.
public enum ChangesFlag: Int, CaseIterable {
  /// The rows are the whole drawing: shapes without a row don't exist.
  case reset = 1
  /// The drawing order has changed.
  case reordered = 2
}

/// Flags of a shape. Their sum is in the shape's row.
public enum ShapeFlag: Int, CaseIterable {
  /// The shape exists.
  case live = 1
  case named = 2
  /// The shape was deleted by an operation that also writes a box. The row has this box as position and size, so that
  /// the page can animate the shape on its way there.
  case departing = 4
  case written = 8
  case led = 16
}

/// A shape as a row of doubles, for JavaScript: the identifier; every property except texts and paths, with defaults
/// filled in, in the order of the bits; then flags, what has changed, the index in the drawing order and the writer.
public enum ShapeRow {
  /// How many doubles of the row a property takes.
  @inline(__always)
  public static func length(of form: PropertyForm) -> Int {
    switch form {
    case .erasure, .name, .orderKey, .text, .path: 0
    case .kind, .flag, .choice, .identifier, .color, .integer, .number: 1
    case .pair: 2
    case .tie: 3
    }
  }

  /// The index of a property's first double.
  public static func start(of property: Property) -> Int {
    var start = 1
    for other in Property.allCases where other.rawValue < property.rawValue { start += length(of: other.form) }
    return start
  }

  /// The index of the number that is the sum of the shape's `ShapeFlag` values.
  public static var flags: Int {
    var end = 1
    for property in Property.allCases { end += length(of: property.form) }
    return end
  }

  /// The index of the mask of changed properties. Only the rows of `changes` have one. The bit after the properties'
  /// bits means the shown name.
  public static var changed: Int { flags + 1 }
  /// The index of the shape's position in the drawing order. The position is −1 if the shape was deleted.
  public static var place: Int { flags + 2 }
  /// The index of the actor that changed the shape last: see `Writer`. Only the rows of `changes` have one.
  public static var by: Int { flags + 3 }
  public static var length: Int { flags + 4 }
}
