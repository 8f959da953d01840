@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// Checks that each actor has only one connection, and that the right one is closed.

extension World {
  /// A connection that joined the room.
  struct Arrival {
    let actor: Identifier
    let claim: Claim
    let node: Int
    /// The number of the connection.
    let line: Int
    /// The claim of the actor's earlier connection, if this node knew of one. Claims decide which of an actor's
    /// connections stays.
    let known: Claim?
    var isSentAway = false
    var endedAt: UInt64?
  }

  /// Remembers, for each connection that is about to join, whether the node knows of another one of its actor.
  mutating func noteKnownClaims() {
    for line in lines.indices where isServed(line) && lines[line].member == nil {
      guard let actor = lines[line].hello?.actor else { continue }
      lines[line].known = open?.room.audience.member(of: actor)?.claim
    }
  }

  /// A connection has joined the room.
  mutating func noteArrival(_ id: MemberID, on line: Int) {
    lines[line].member = id
    guard let open, let member = open.room.audience.member(id) else { return }
    if open.room.hasPausedReading(from: id) { count(.longWelcome) }
    if open.room.memberCount >= 8 { count(.crowdCame) }
    checkResumption(from: lines[line].hello?.since)
    noteDepartures()
    let known = member.actor == lines[line].hello?.actor ? lines[line].known : nil
    arrivals.append(
      Arrival(actor: member.actor, claim: member.claim, node: here, line: lines[line].number, known: known)
    )
  }

  mutating func noteDepartures() {
    for place in arrivals.indices where arrivals[place].endedAt == nil {
      let number = arrivals[place].line
      let isHere = lines.contains { $0.number == number && $0.isServed && $0.connection.closure == nil }
      if !isHere { arrivals[place].endedAt = time }
    }
    arrivals.removeAll { $0.endedAt.map { $0 + World.hearsayMilliseconds < time } ?? false }
  }

  /// How long it may take until a node knows that a connection at another node has ended.
  private static let hearsayMilliseconds: UInt64 = 60_000

  /// Checks a connection that the server closes because its actor has another connection.
  mutating func checkSentAway(_ line: Int) {
    count(.actorElsewhere)
    guard let place = arrivals.lastIndex(where: { $0.line == lines[line].number }) else { return }
    arrivals[place].isSentAway = true
    let sent = arrivals[place]
    let others = arrivals.filter { $0.actor == sent.actor && !$0.isSentAway }
    guard !others.isEmpty else { return fail(.claims, "no connection of \(sent.actor) stays") }
    if others.allSatisfy({ $0.claim == sent.known }) {
      fail(.claims, "\(sent.actor) is sent away from node \(here) for a connection of which it knew")
    }
  }
}
