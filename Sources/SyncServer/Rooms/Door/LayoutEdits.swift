import CanvasCRDT

/// The operations that write a document's shapes into a room (`POST /v1/rooms/{room}/layout`). None of them has a
/// stamp.
struct LayoutEdits: Sendable {
  /// Operations that move existing shapes in the drawing order, to make space for the new ones. They come first.
  let moves: [ProposedOperation]
  /// The operations that make the shapes, one operation for each shape.
  let made: [ProposedOperation]
  /// The bytes of all texts and paths of the shapes.
  let longBytes: Int

  var isEmpty: Bool { moves.isEmpty && made.isEmpty }

  /// Refuses names that are not allowed.
  init(
    importing document: [ImportedShape],
    into canvas: Canvas,
    using generator: inout some RandomNumberGenerator
  ) throws(Rejection) {
    let order = DrawingOrder(canvas)
    let edits = Import.edits(for: document, identifiers: .new, over: order, using: &generator)
    let operations = edits.map { ProposedOperation(shape: $0.shape, at: nil, set: $0.set) }
    if let index = operations.firstIndex(where: Door.isMisnamed) { throw Door.badName(index: index) }
    moves = Array(operations.dropLast(document.count))
    made = Array(operations.suffix(document.count))
    longBytes = made.reduce(0) { $0 + $1.set.longBytes(of: .all) }
  }
}
