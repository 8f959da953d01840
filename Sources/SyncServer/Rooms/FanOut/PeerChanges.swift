import CanvasCRDT

/// The recipient of a beat, as far as the beat's news about people depends on it.
struct BeatRecipient: Sendable {
  let actor: Identifier
  /// Whether the recipient already knows what the beat says about people.
  let knowsPeople: Bool
}

/// The joins, the leaves and the new presence of a beat.
struct PeerChanges: Sendable {
  var left: [Identifier] = []
  var joined: [Peer] = []
  var states: [PeerState] = []
  /// The number of people here, if the beat has to send that number: see `Roster`.
  var crowd: UInt64?

  var isEmpty: Bool { left.isEmpty && joined.isEmpty && states.isEmpty && crowd == nil }

  func concern(_ actor: Identifier) -> Bool {
    states.contains { $0.actor == actor } || joined.contains { $0.actor == actor } || left.contains(actor)
  }

  func without(_ actor: Identifier) -> PeerChanges {
    var others = self
    others.left.removeAll { $0 == actor }
    others.joined.removeAll { $0.actor == actor }
    others.states.removeAll { $0.actor == actor }
    return others
  }
}
