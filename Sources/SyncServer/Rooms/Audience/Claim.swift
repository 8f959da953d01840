import CanvasCRDT

/// A connection's claim to an actor. If the actor has connections at two nodes, the one with the greater claim stays.
///
/// An editor's claim is greater than a viewer's. Between equal roles, the later arrival has the greater claim. No two
/// claims of an actor are equal. So both nodes decide alike, whatever the order of their news, and the connection with
/// the greatest claim stays.
struct Claim: Hashable, Comparable, Sendable {
  let role: Role
  /// When the connection arrived, in milliseconds of its node's wall clock. If that is not later than every arrival of
  /// the same actor that the node knew of, a later time is used (a Lamport clock). So even if the clocks differ, a
  /// newer connection always replaces an older one of which its node knew. If its node didn't know of the older one,
  /// the clocks decide.
  let arrival: UInt64
  /// The number of the node's run. It decides between two connections that arrived at the same time.
  let node: UInt64

  static func < (left: Claim, right: Claim) -> Bool {
    guard left.role == right.role else { return left.role == .viewer }
    return (left.arrival, left.node) < (right.arrival, right.node)
  }
}

extension Claim {
  /// The claim of somebody who joins now.
  /// - Parameter older: the claim of another connection of this actor, if the node knows of one.
  init(role: Role, node: UInt64, after older: Claim?, now: Moment) {
    self.init(role: role, arrival: max(now.wallMilliseconds, (older?.arrival ?? 0) &+ 1), node: node)
  }
}
