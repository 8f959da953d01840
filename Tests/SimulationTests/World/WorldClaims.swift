@testable import CanvasCRDT
@testable import SyncServer

// Checks that each actor has only one connection, and that the right one is closed.

extension World {
  /// A connection that joined the room.
  struct Arrival {
    let actor: Identifier
    let claim: Claim
    let node: Int
    let member: MemberID
    /// The claim of the actor's earlier connection, if this node knew of one. Claims decide which of an actor's
    /// connections stays.
    let known: Claim?
    var isSentAway = false
    var endedAt: UInt64?
  }

  mutating func noteArrival(_ id: MemberID, known: Member?) {
    guard let member = room?.audience.member(id) else { return }
    noteDepartures()
    let claim = known?.actor == member.actor ? known?.claim : nil
    arrivals.append(Arrival(actor: member.actor, claim: member.claim, node: here, member: id, known: claim))
  }

  mutating func noteDepartures() {
    for place in arrivals.indices where arrivals[place].endedAt == nil {
      let arrival = arrivals[place]
      guard !lines.contains(where: { $0.node == arrival.node && $0.member == arrival.member }) else { continue }
      arrivals[place].endedAt = time
    }
    arrivals.removeAll { $0.endedAt.map { $0 + World.hearsayMilliseconds < time } ?? false }
  }

  /// How long it may take until a node knows that a connection at another node has ended.
  private static let hearsayMilliseconds: UInt64 = 60_000

  /// Checks a connection that the server closes because its actor has another connection.
  mutating func checkSentAway(_ member: MemberID) {
    count(.actorElsewhere)
    guard let place = arrivals.lastIndex(where: { $0.node == here && $0.member == member }) else { return }
    arrivals[place].isSentAway = true
    let sent = arrivals[place]
    let others = arrivals.filter { $0.actor == sent.actor && !$0.isSentAway }
    guard !others.isEmpty else { return fail(.claims, "no connection of \(sent.actor) stays") }
    if others.allSatisfy({ $0.claim == sent.known }) {
      fail(.claims, "\(sent.actor) is sent away from node \(here) for a connection of which it knew")
    }
  }
}
