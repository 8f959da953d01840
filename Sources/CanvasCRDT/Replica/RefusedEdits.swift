/// A refused edit, and the values that it had replaced.
struct RefusedEdit {
  let stamp: Stamp
  var replaced: ReplacedValues
}

/// The edits of a refused message. They are removed from the history together, because removing each of them alone
/// would need a walk through all steps.
struct RefusedEdits {
  /// The edits of each shape, the newest first, because an edit might have replaced the value of an older one.
  private var edits = IdentifierMap<[RefusedEdit]>()

  init(_ refused: [Outbox.Pending]) {
    for pending in refused.sorted(by: { $0.operation.at > $1.operation.at }) {
      let edit = RefusedEdit(stamp: pending.operation.at, replaced: pending.replaced ?? .unknown)
      edits[pending.operation.shape, default: []].append(edit)
    }
  }

  var shapes: [Identifier] { edits.keys }

  subscript(shape: Identifier) -> [RefusedEdit] { edits[shape] ?? [] }

  mutating func update(_ shape: Identifier, _ body: (inout RefusedEdit) -> Void) {
    guard var ofShape = edits[shape] else { return }
    for index in ofShape.indices { body(&ofShape[index]) }
    edits[shape] = ofShape
  }
}
