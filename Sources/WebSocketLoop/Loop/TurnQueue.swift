/// An object whose work can wait for a later turn of the loop: a request that has arrived, a message.
protocol TurnTaker: AnyObject {
  /// The party to which the work is charged, in the round-robin of parties.
  var party: String { get }
  /// Does one piece of work. If more is left, the object is queued again by its own code.
  func takeTurn()
}

/// The work that waits for the loop. Parties are served round-robin, so a party with much work delays only itself.
///
/// What always holds: `round` has each party with work once, and no other party. Work that arrives during a turn waits
/// for the next turn, so that every turn ends.
struct TurnQueue {
  private var arrivals: [any TurnTaker] = []
  private var waiting: [String: Fifo<any TurnTaker>] = [:]
  private var round = Fifo<String>()

  var isEmpty: Bool { arrivals.isEmpty && round.isEmpty }
  /// Whether any work may be done in this turn.
  var hasNext: Bool { !round.isEmpty }

  /// - Parameter taker: must not be waiting already.
  mutating func add(_ taker: any TurnTaker) { arrivals.append(taker) }

  /// A turn begins: the work that has arrived since the last turn may be done now.
  mutating func admit() {
    for taker in arrivals {
      let party = taker.party
      if waiting[party] == nil { round.append(party) }
      waiting[party, default: Fifo()].append(taker)
    }
    arrivals = []
  }

  /// The next piece of work, and the party under which it waited.
  mutating func next() -> (party: String, taker: any TurnTaker)? {
    guard let party = round.popFirst(), let taker = waiting[party]?.popFirst() else { return nil }
    if waiting[party]?.isEmpty == true { waiting[party] = nil } else { round.append(party) }
    return (party, taker)
  }
}

/// A queue whose first element is taken without moving the others.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var first = 0

  var count: Int { elements.count - first }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func append(contentsOf others: [Element]) { elements.append(contentsOf: others.map { $0 }) }

  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    if first == elements.count {
      elements.removeAll(keepingCapacity: first <= 1_024)
      first = 0
    } else if first >= 1_024, first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
