import Basics

/// An object whose work (a request or message that has arrived) can wait for a later iteration of the loop.
protocol TurnTaker: AnyObject {
  /// For whom the work is done, mostly a client's address. Parties are served round-robin.
  var party: String { get }
  /// Does one piece of work. If there is more, the object puts itself into the queue again.
  func takeTurn()
}

/// The work that waits for the loop. Parties (clients' addresses) are served round-robin, so a party with much work
/// delays only itself.
///
/// What always holds: `round` has each party with work once, and no other party. Work that arrives during a turn
/// (iteration of the loop) waits for the next one, so that every turn ends.
struct TurnQueue {
  private var arrivals: [any TurnTaker] = []
  private var waiting: [String: Fifo<any TurnTaker>] = [:]
  private var round = Fifo<String>()

  var isEmpty: Bool { arrivals.isEmpty && round.isEmpty }
  /// Whether any work may be done in this iteration of the loop.
  var hasNext: Bool { !round.isEmpty }

  /// - Parameter taker: must not be waiting already.
  mutating func add(_ taker: any TurnTaker) { arrivals.append(taker) }

  /// An iteration of the loop begins. The work that has arrived since the last one may be done now.
  mutating func admit() {
    for taker in arrivals {
      let party = taker.party
      if waiting[party] == nil { round.append(party) }
      waiting[party, default: Fifo()].append(taker)
    }
    arrivals = []
  }

  /// The next piece of work, and the client's address under which it waited.
  mutating func next() -> (party: String, taker: any TurnTaker)? {
    guard let party = round.popFirst(), let taker = waiting[party]?.popFirst() else { return nil }
    if waiting[party]?.isEmpty == true { waiting[party] = nil } else { round.append(party) }
    return (party, taker)
  }
}
