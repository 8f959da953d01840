import CanvasCRDT

/// A message from a node to all other nodes, about the people who are connected to it.
struct NodeNews: Hashable, Sendable {
  /// The number of the sending node's process.
  let node: UInt64
  /// The sequence number among all messages of the node. A gap shows the other nodes that they have missed a message.
  let number: UInt64
  /// Whether the other nodes should send all their people.
  var asks = false
  /// Whether `rooms` names everyone at the node. If so, the rooms that it lacks have nobody there.
  var isWhole = false
  var rooms: [RoomNews] = []
  /// The people whose connections an operator wants closed, wherever they are connected.
  var unwanted: [PersonPlace] = []
}

/// What a node says of its people in one room.
struct RoomNews: Hashable, Sendable {
  let room: String
  /// Whether the other nodes should send all their people in the room.
  var asks = false
  /// Whether `joined` names everyone in the room at the node. If so, people who are not in it have left the node.
  var isWhole = false
  var left: [Identifier] = []
  var joined: [Person] = []
  var states: [PeerState] = []
  /// The log position up to which the node has the room, and the digest of the room at that position.
  var standing: Standing?

  struct Standing: Hashable, Sendable {
    let cursor: Cursor
    let digest: UInt64
  }
}

/// Somebody who is connected to a node.
struct Person: Hashable, Sendable {
  /// Without what the person shows to others.
  let peer: Peer
  let role: Role
  let arrival: UInt64
  let origin: Origin

  /// What only operators see of somebody.
  struct Origin: Hashable, Sendable {
    /// The label of the person's token.
    let token: String?
    let address: String
  }

  var actor: Identifier { peer.actor }

  func claim(at node: UInt64) -> Claim { Claim(role: role, arrival: arrival, node: node) }
}

extension Person {
  init(_ member: Member, _ origin: Origin) {
    var peer = member.peer
    peer.state = nil
    self.init(peer: peer, role: member.claim.role, arrival: member.claim.arrival, origin: origin)
  }
}

/// Where a person is: which actor in which room.
struct PersonPlace: Hashable, Sendable {
  let room: String
  let actor: Identifier
}
