extension Import {
  /// Which identifiers imported shapes get.
  public enum Identifiers: Hashable, Sendable {
    /// New ones: the document is put into the drawing as a copy, on top of what is there.
    case new
    /// Those that the document has, where it has any: it is a drawing brought back, place and all.
    case same
  }

  /// What to write so that a document's shapes are in a drawing: shapes and what to set of them, in one message or
  /// several. Neighbours that have to make room for them come first, with nothing but a new `z`.
  ///
  /// What does not come with its place comes on top, in the document's order.
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
    return edits
  }
}
