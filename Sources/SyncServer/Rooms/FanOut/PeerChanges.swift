import CanvasCRDT

/// The recipient of a beat, for the part of the beat about people.
struct BeatRecipient: Sendable {
  let actor: Identifier
  /// The recipient already knows what the beat says of people.
  let knowsPeople: Bool
}

/// The joins, the leaves and the new presence of a beat.
struct PeerChanges: Sendable {
  var left: [Identifier] = []
  var joined: [Peer] = []
  var states: [PeerState] = []
  /// The number of people here, if it is to be sent: see `Roster`.
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
