import CanvasCRDT

/// Identifies a member within its room while the member is there.
struct MemberID: Hashable, Sendable {
  let index: Int32
  /// Tells apart the members that had the same seat one after the other.
  let serial: UInt32

  var seat: Int { Int(index) }
}

extension Peer {
  /// What others see of a newcomer: its actor, with the name and color from its `hello`.
  init(_ actor: Identifier, as hello: Hello) {
    self.init(
      actor: actor,
      name: hello.name ?? Text("Guest \(actor.lastGroup)"),
      color: hello.color ?? .standard(of: actor)
    )
  }
}

/// A member of a room: its identity, and its presence as others get it.
///
/// What always holds: the others are sent a member's presence at most once in an interval, and the newest presence is
/// never lost, unless the room is too crowded to name the member.
struct Member: Sendable {
  let id: MemberID
  let claim: Claim
  /// Which messages the member gets, and how they are encoded. `nil` for a guest, who is connected to another node.
  let channel: Channel?
  private(set) var peer: Peer
  /// The others are not sent the member's presence before this time, on the monotonic clock.
  private(set) var presenceDueAt: UInt64 = 0
  private(set) var isPresenceUntold = false
  /// The number of the member's last presence. All presence that the room sends is numbered, so the member with the
  /// lowest number has waited longest.
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

  /// Takes the member's newest presence.
  /// - Returns: when the others may be sent it. `nil` if that was scheduled already.
  mutating func show(_ state: JSONText) -> UInt64? {
    peer.state = state
    guard !isPresenceUntold else { return nil }
    isPresenceUntold = true
    return presenceDueAt
  }

  /// To be called when a broadcast has sent the member's newest presence.
  mutating func presenceIsTold(turn: UInt64, intervalMilliseconds: UInt64, now: Moment) {
    isPresenceUntold = false
    presenceTurn = turn
    presenceDueAt = now.monotonicMilliseconds &+ intervalMilliseconds
  }

  /// Called when the room has too many people to send this member's presence. It then no longer counts as unsent.
  mutating func presenceIsPassedOver() { isPresenceUntold = false }
}
