import CanvasCRDT

/// A connection in a room, valid while the connection is in it.
struct MemberID: Hashable, Sendable {
  let index: Int32
  /// Tells apart the members that had the same seat one after the other.
  let serial: UInt32

  var seat: Int { Int(index) }
}

extension Peer {
  /// A newcomer, with the name and color from its hello.
  init(_ actor: Identifier, as hello: Hello) {
    self.init(
      actor: actor,
      name: hello.name ?? Text("Guest \(actor.lastGroup)"),
      color: hello.color ?? .standard(of: actor)
    )
  }
}

/// A connection's identity, and its presence as others get it.
///
/// What always holds: if the room names a member, its presence is in the next beat that may tell it, at most once in an
/// interval. The newest presence is never lost.
struct Member: Sendable {
  let id: MemberID
  let claim: Claim
  /// `nil` for a guest: somebody who is connected to another node.
  let channel: Channel?
  private(set) var peer: Peer
  /// Others are not told of its presence before this time, on the monotonic clock.
  private(set) var presenceDueAt: UInt64 = 0
  private(set) var isPresenceUntold = false
  /// Grows with each presence that the room sends. The member with the lowest turn has waited longest.
  private(set) var presenceTurn: UInt64 = 0

  init(id: MemberID, claim: Claim, channel: Channel?, peer: Peer) {
    self.id = id
    self.claim = claim
    self.channel = channel
    self.peer = peer
  }

  var isGuest: Bool { channel == nil }
  var role: Role { claim.role }
  var actor: Identifier { peer.actor }

  /// - Returns: when others may be told, unless that was scheduled already.
  mutating func show(_ state: JSONText) -> UInt64? {
    peer.state = state
    guard !isPresenceUntold else { return nil }
    isPresenceUntold = true
    return presenceDueAt
  }

  /// A beat tells its newest state.
  mutating func presenceIsTold(turn: UInt64, intervalMilliseconds: UInt64, now: Moment) {
    isPresenceUntold = false
    presenceTurn = turn
    presenceDueAt = now.monotonicMilliseconds &+ intervalMilliseconds
  }

  /// The room names as many people as it may, so this member's presence is sent to nobody. It counts as new when the
  /// member shows something again.
  mutating func presenceIsPassedOver() { isPresenceUntold = false }
}
