/// Reads a document that was saved elsewhere: a layout of squares or a drawing.
///
/// The first list tells which of the two it is: `squares` or `shapes`. Strings may be in single quotes, as in layouts.
/// Unknown members are ignored; known ones have to be right.
public enum Import {
  /// The treatment of names with invisible characters (S8), which names from before that rule may have.
  public enum Names: Sendable {
    /// They are read as they are: for a drawing that is shown.
    case asStored
    /// Those characters are left out: for shapes that are added to a room, which refuses such names in new edits.
    case cleaned
  }

  /// The most shapes that a document may have: as many as a room may have by default.
  public static let shapesMax = 100_000

  /// The document's shapes, in the order in which it draws them.
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

/// A shape as a document describes it.
public struct ImportedShape: Hashable, Sendable {
  /// The identifier that it had where the document was saved; a layout has none.
  public var id: Identifier?
  public var properties: Properties
  /// Whether its name had characters that nobody sees, which were left out.
  public internal(set) var hasCleanedName = false

  public init(id: Identifier? = nil, properties: Properties) {
    self.id = id
    self.properties = properties
  }
}
