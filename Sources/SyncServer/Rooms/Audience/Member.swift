import CanvasCRDT

/// A connection in a room, for as long as it is in it.
struct MemberID: Hashable, Sendable {
  let index: Int32
  /// Tells those apart who had one seat after the other.
  let serial: UInt32

  var seat: Int { Int(index) }
}

/// Who a connection is, and what others are told of it.
///
/// What always holds: what it shows is told in the next beat that may tell it, at most once in an interval, and the newest is
/// never lost.
struct Member: Sendable {
  let id: MemberID
  let role: Role
  let channel: Channel
  private(set) var peer: Peer
  /// The ordinal of the beat that told of its coming.
  let joinedAt: UInt64
  /// The ordinal of the beat that told of its newest presence.
  private(set) var stateAt: UInt64 = 0
  /// Others are not told of its presence before that, on the monotonic clock.
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

  /// - Returns: when others may be told, where they were not to be told already.
  mutating func show(_ state: JSONText) -> UInt64? {
    peer.state = state
    guard !isPresenceUntold else { return nil }
    isPresenceUntold = true
    return presenceDueAt
  }

  /// What the beat `ordinal` tells of it.
  enum Presence {
    case state(PeerState)
    /// It is not time yet.
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
