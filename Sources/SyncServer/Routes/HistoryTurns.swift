/// Permits (turns) for what keeps a state of a room in memory: reading its history, or making an answer from a copy of
/// it. Such a copy costs memory as soon as the room changes. So only a few have one at a time, and others wait.
///
/// What always holds:
/// - A party (client's address) gets another turn only while more turns are free than it has. So one party has at most
///   half of the turns, and three parties leave one to a fourth.
/// - No job waits although its party is allowed another turn. The next turn goes to the party with the fewest turns, and
///   in that party to the job that has waited longest.
/// - Each job waits until it gets a turn or its time is up, and is answered once.
struct HistoryTurns {
  private struct Waiting {
    let number: UInt64
    let party: String
    let until: UInt64
    let turn: CheckedContinuation<Bool, Never>
  }

  private static let most = 8
  /// The upper bound on how long a job waits. People and programs don't wait longer than this for an answer.
  private static let waitMilliseconds: UInt64 = 10_000
  /// The upper bound on the waiting jobs of one client. Each job takes up memory, and the connection from which its
  /// request came.
  private static let waitingOfPartyMax = 64

  private var permits = Permits(most: most)
  private var lastNumber: UInt64 = 0
  /// The jobs that wait, in the order in which they came, which is also the order in which their time is up.
  private var waiting: [Waiting] = []

  /// Whether no job has a turn, and none waits for one.
  var isIdle: Bool { permits.taken == 0 && waiting.isEmpty }

  /// Takes a turn (a permit to read), if one is free.
  /// - Returns: whether a turn was free.
  mutating func take(_ party: String) -> Bool { isAllowedOne(party) && permits.take(party) }

  private func isAllowedOne(_ party: String) -> Bool {
    permits.taken(by: party) < HistoryTurns.most - permits.taken
  }

  /// - Returns: the waiting job's number. `nil` if too many jobs of its client are waiting.
  mutating func mayWait(_ party: String) -> UInt64? {
    guard waiting.count(where: { $0.party == party }) < HistoryTurns.waitingOfPartyMax else { return nil }
    lastNumber += 1
    return lastNumber
  }

  /// Makes a job wait for a turn (a permit to read). The continuation is told whether the job has got one.
  mutating func wait(_ number: UInt64, _ party: String, _ turn: CheckedContinuation<Bool, Never>, now: UInt64) {
    waiting.append(
      Waiting(number: number, party: party, until: now + HistoryTurns.waitMilliseconds, turn: turn)
    )
  }

  /// Gives a turn (a permit to read) back, and passes it on to the next job.
  mutating func leave(_ party: String) {
    permits.giveBack(party)
    let allowed = waiting.indices.filter { isAllowedOne(waiting[$0].party) }
    // The first of those with the fewest turns is the one that has waited longest.
    guard let next = allowed.min(by: { turns(of: $0) < turns(of: $1) }) else { return }
    let waiter = waiting.remove(at: next)
    _ = permits.take(waiter.party)
    waiter.turn.resume(returning: true)
  }

  /// How many turns the party of a waiting job has.
  private func turns(of index: Int) -> Int { permits.taken(by: waiting[index].party) }

  /// The client of a waiting job has left.
  mutating func giveUp(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).turn.resume(returning: false)
  }

  /// Tells the jobs that have waited too long that they get no turn. To be called every second.
  mutating func giveUp(now: UInt64) {
    while let first = waiting.first, first.until <= now { waiting.removeFirst().turn.resume(returning: false) }
  }
}
