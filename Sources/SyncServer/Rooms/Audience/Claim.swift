import CanvasCRDT

/// A connection's claim to an actor. If the actor has connections at two nodes, the one with the greater claim stays.
///
/// An editor's claim is greater than a viewer's. Between equal roles, the later arrival has the greater claim. No two
/// claims of an actor are equal. So both nodes decide alike, in whichever order their messages arrive.
struct Claim: Hashable, Comparable, Sendable {
  let role: Role
  /// When the connection arrived, in milliseconds of its node's wall clock. If the node knows that another connection
  /// of the same actor arrived at this time or later, this connection gets a still later time, as in a Lamport clock.
  /// So a newer connection replaces any older one that its node knew of, even if the nodes' clocks differ.
  let arrival: UInt64
  /// The number of the node's process. It decides between two connections that arrived at the same time.
  let node: UInt64

  static func < (left: Claim, right: Claim) -> Bool {
    guard left.role == right.role else { return left.role == .viewer }
    return (left.arrival, left.node) < (right.arrival, right.node)
  }
}

extension Claim {
  /// The claim of a connection that arrives now.
  /// - Parameter older: the claim of another connection of this actor, if the node knows of one.
  init(role: Role, node: UInt64, after older: Claim?, now: Moment) {
    self.init(role: role, arrival: max(now.wallMilliseconds, (older?.arrival ?? 0) &+ 1), node: node)
  }
}
