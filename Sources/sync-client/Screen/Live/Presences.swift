import CanvasCRDT

/// What the other people in the room show: pointers, selections, shapes that they lift, strokes that they draw.
struct Presences {
  private var states: [Identifier: PresenceState] = [:]

  subscript(actor: Identifier) -> PresenceState? { states[actor] }

  /// The shapes that somebody lifts.
  var lifted: Set<Identifier> { states.values.reduce(into: []) { $0.formUnion($1.lifted) } }

  /// The newest piece of each person's stroke.
  var inkPieces: [(actor: Identifier, piece: PresenceState.InkPiece)] {
    states.compactMap { actor, state in state.ink.map { (actor, $0) } }
  }

  /// What else than a pointer or a selection has changed, so that it has to be painted again.
  struct Change: OptionSet {
    let rawValue: Int
    static let lifted = Change(rawValue: 1)
    static let ink = Change(rawValue: 2)
  }

  /// - Parameter state: `nil` if the person has left.
  mutating func note(_ state: PresenceState?, of actor: Identifier) -> Change {
    let before = states[actor]
    states[actor] = state
    var change = Change()
    if before?.lifted ?? [] != state?.lifted ?? [] { change.insert(.lifted) }
    if before?.ink != state?.ink { change.insert(.ink) }
    return change
  }

  mutating func removeAll() -> Change {
    states.keys.reduce(into: []) { $0.formUnion(note(nil, of: $1)) }
  }
}
