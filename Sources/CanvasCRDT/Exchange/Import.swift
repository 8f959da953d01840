/// Reading what somebody has saved elsewhere: a layout of squares or a drawing.
///
/// Which of the two it is, its first list tells: `squares` or `shapes`. Strings may stand in single quotes, as layouts
/// have them. Members that are not known are passed over, those that are have to be right.
public enum Import {
  /// As many shapes as a room may have by default: more are not worth reading.
  public static let shapesMax = 100_000

  /// The document's shapes, in the order in which it draws them.
  public static func read(
    _ bytes: [UInt8],
    shapesMax: Int = Import.shapesMax
  ) throws(ImportError) -> [ImportedShape] {
    try bytes.span.withUnsafeBytes { bytes throws(ImportError) in try read(bytes, shapesMax: shapesMax) }
  }

  public static func read(
    _ bytes: UnsafeRawBufferPointer,
    shapesMax: Int = Import.shapesMax
  ) throws(ImportError) -> [ImportedShape] {
    var document: ImportDocument
    do throws(JSONFailure) {
      document = try ImportDocument(bytes)
    } catch {
      throw .notJSON(error)
    }
    return try document.shapes(maximum: shapesMax)
  }
}

/// A shape as a document has it.
public struct ImportedShape: Hashable, Sendable {
  /// What it was called where the document was saved; a layout names none.
  public var id: Identifier?
  public var properties: Properties

  public init(id: Identifier? = nil, properties: Properties) {
    self.id = id
    self.properties = properties
  }
}
