import CanvasCRDT

/// A connection in a room, valid while the connection is in it.
struct MemberID: Hashable, Sendable {
  let index: Int32
  /// Tells apart the members that had the same seat one after the other.
  let serial: UInt32

  var seat: Int { Int(index) }
}

extension Peer {
  /// A newcomer, as it wants to be called.
  init(_ actor: Identifier, as hello: Hello) {
    self.init(
      actor: actor,
      name: hello.name ?? Text("Guest \(actor.lastGroup)"),
      color: hello.color ?? .standard(of: actor)
    )
  }
}

/// Who a connection is, and what others are told of it.
///
/// What always holds: what a member shows is told in the next beat that may tell it, at most once in an interval. The
/// newest state is never lost.
struct Member: Sendable {
  let id: MemberID
  let role: Role
  let channel: Channel
  private(set) var peer: Peer
  /// The ordinal of the beat that told others that it came.
  let joinedAt: UInt64
  /// The ordinal of the beat that told of its newest presence.
  private(set) var stateAt: UInt64 = 0
  /// Others are not told of its presence before this time, on the monotonic clock.
  private var presenceDueAt: UInt64 = 0
  private var isPresenceUntold = false

  init(id: MemberID, role: Role, channel: Channel, peer: Peer, joinedAt: UInt64) {
    self.id = id
    self.role = role
    self.channel = channel
    self.peer = peer
    self.joinedAt = joinedAt
  }

  var actor: Identifier { peer.actor }

  /// - Returns: when others may be told, unless that was scheduled already.
  mutating func show(_ state: JSONText) -> UInt64? {
    peer.state = state
    guard !isPresenceUntold else { return nil }
    isPresenceUntold = true
    return presenceDueAt
  }

  /// What the beat `ordinal` tells of the member's presence.
  enum Presence {
    case state(PeerState)
    /// It is too early to tell others.
    case waits(until: UInt64)
    case nothing
  }

  mutating func tellPresence(beat ordinal: UInt64, intervalMilliseconds: UInt64, now: Moment) -> Presence {
    guard let state = peer.state else { return .nothing }
    guard presenceDueAt <= now.monotonicMilliseconds else { return .waits(until: presenceDueAt) }
    isPresenceUntold = false
    presenceDueAt = now.monotonicMilliseconds &+ intervalMilliseconds
    stateAt = ordinal
    return .state(PeerState(actor: peer.actor, state: state))
  }
}
