extension Import {
  /// Which identifiers imported shapes get.
  public enum Identifiers: Hashable, Sendable {
    /// New identifiers: the document is added to the drawing as a copy, on top of the existing shapes.
    case new
    /// Shapes keep the document's identifiers, if the document has any. Such a shape overwrites the drawing's shape
    /// with the same identifier, and keeps its `z` from the document.
    case same
  }

  /// The edits that put a document's shapes into a drawing, in one or more messages. If existing shapes have to make
  /// room in the drawing order, their edits come first and write only `z`.
  ///
  /// Shapes without a `z` go on top, in the document's order.
  public static func edits(
    for shapes: [ImportedShape],
    identifiers: Identifiers,
    over order: DrawingOrder,
    using generator: inout some RandomNumberGenerator
  ) -> [(shape: Identifier, set: Properties)] {
    func keepsPlace(_ shape: ImportedShape) -> Bool {
      identifiers == .same && shape.id != nil && shape.properties.assigned.contains(.z)
    }
    var placeless = 0
    for shape in shapes where !keepsPlace(shape) { placeless += 1 }
    let insertion = order.inserting(placeless, at: order.count, using: &generator)
    var edits: [(shape: Identifier, set: Properties)] = []
    edits.reserveCapacity(insertion.moved.count + shapes.count)
    for place in insertion.moved {
      var set = Properties()
      set.z = place.key
      edits.append((place.shape, set))
    }
    var keys = insertion.keys.makeIterator()
    for shape in shapes {
      var set = shape.properties
      if !keepsPlace(shape), let key = keys.next() { set.z = key }
      let kept = identifiers == .same ? shape.id : nil
      edits.append((kept ?? Identifier.random(using: &generator), set))
    }
    if identifiers == .new { relate(&edits[insertion.moved.count...], to: shapes, using: &generator) }
    return edits
  }

  private static func relate(
    _ copies: inout ArraySlice<(shape: Identifier, set: Properties)>,
    to originals: [ImportedShape],
    using generator: inout some RandomNumberGenerator
  ) {
    var relations = Copies()
    for (original, copy) in zip(originals, copies) { relations.note(original.id, as: copy.shape) }
    for index in copies.indices { relations.relate(&copies[index].set) { Identifier.random(using: &generator) } }
  }
}
