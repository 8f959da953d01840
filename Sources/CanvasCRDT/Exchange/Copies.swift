/// References between shapes that are copied together. The copies of a group's shapes form a group of their own (S13).
/// A copied line is tied to the copies of the shapes that the original line was tied to, and to no other shapes (S14).
public struct Copies {
  private var shapes = IdentifierMap<Identifier>()
  private var groups = IdentifierMap<Identifier>()

  public init() {}

  /// Remembers which shape is the copy of which original.
  public mutating func note(_ original: Identifier?, as copy: Identifier) {
    if let original { shapes[original] = copy }
  }

  /// Makes a copy's values refer to the other copies. To be called after `note` was called for all copies.
  public mutating func relate(_ copy: inout Properties, _ makeUp: () -> Identifier) {
    if let group = copy.group {
      let new = groups[group] ?? makeUp()
      groups[group] = new
      copy.group = new
    }
    if let from = copy.from { copy.from = moved(from) }
    if let to = copy.to { copy.to = moved(to) }
  }

  private func moved(_ tie: Tie) -> Tie? { shapes[tie.shape].map { Tie(shape: $0, place: tie.place) } }
}
