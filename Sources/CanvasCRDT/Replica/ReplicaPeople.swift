// Processes the server's messages about the other people in the room.

extension Replica {
  mutating func receive(_ states: [PeerState]) {
    for state in states {
      guard let index = peers.firstIndex(where: { $0.actor == state.actor }) else { continue }
      peers[index].state = state.state
      effects.append(.presence(peers[index]))
    }
  }

  mutating func receiveJoin(_ peer: Peer) {
    guard peer.actor != actor else { return }
    peers.removeAll { $0.actor == peer.actor }
    peers.append(peer)
    effects.append(.joined(peer))
  }

  mutating func receiveCrowd(_ people: UInt64) {
    guard people != crowd else { return }
    crowd = people
    effects.append(.crowd(people: people))
  }

  mutating func forgetCrowd() {
    guard crowd > 0 else { return }
    crowd = 0
    effects.append(.crowd(people: 0))
  }

  mutating func receiveLeave(_ actor: Identifier) {
    guard let index = peers.firstIndex(where: { $0.actor == actor }) else { return }
    peers.remove(at: index)
    effects.append(.left(actor))
  }
}
