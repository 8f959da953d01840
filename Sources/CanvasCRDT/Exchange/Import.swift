/// Reads a document that was saved elsewhere: a layout of squares or a drawing.
///
/// The document's first list tells which of the two it is: `squares` or `shapes`. Strings may be in single quotes, as
/// they are in layouts. Unknown members are ignored; known members must be valid.
public enum Import {
  /// What to do with invisible characters in names. Documents that are older than rule S8, which forbids such
  /// characters, may have them.
  public enum Names: Sendable {
    /// Names are kept unchanged. This is for a drawing that is only shown.
    case asStored
    /// Invisible characters are removed: for shapes that are added to a room, because a room refuses names with such
    /// characters.
    case cleaned
  }

  /// An upper bound on the shapes in a document: the default limit of a room.
  public static let shapesMax = 100_000

  /// The document's shapes, in its drawing order.
  public static func read(
    _ bytes: [UInt8],
    shapesMax: Int = Import.shapesMax,
    names: Names = .cleaned
  ) throws(ImportError) -> [ImportedShape] {
    try bytes.span.withUnsafeBytes { bytes throws(ImportError) in
      try read(bytes, shapesMax: shapesMax, names: names)
    }
  }

  public static func read(
    _ bytes: UnsafeRawBufferPointer,
    shapesMax: Int = Import.shapesMax,
    names: Names = .cleaned
  ) throws(ImportError) -> [ImportedShape] {
    var document: ImportDocument
    do throws(JSONFailure) {
      document = try ImportDocument(bytes, names)
    } catch {
      throw .notJSON(error)
    }
    return try document.shapes(maximum: shapesMax)
  }
}

public struct ImportedShape: Hashable, Sendable {
  /// The shape's identifier in the saved drawing. `nil` in a layout, because layouts have no identifiers.
  public var id: Identifier?
  public var properties: Properties
  /// Whether invisible characters were removed from the shape's name.
  public internal(set) var hasCleanedName = false

  public init(id: Identifier? = nil, properties: Properties) {
    self.id = id
    self.properties = properties
  }
}
