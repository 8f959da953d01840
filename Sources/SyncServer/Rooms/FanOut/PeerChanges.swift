import CanvasCRDT

/// The recipient of a broadcast. What a broadcast says about people depends on the recipient.
struct BeatRecipient: Sendable {
  let actor: Identifier
  /// Whether the recipient already knows what the broadcast says about people.
  let knowsPeople: Bool
}

/// The joins, the leaves and the new presence of a broadcast.
struct PeerChanges: Sendable {
  var left: [Identifier] = []
  var joined: [Peer] = []
  var states: [PeerState] = []
  /// The number of people here, if the broadcast has to send that number. `Roster` decides that.
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
