import Basics

/// Permits (turns) to open rooms. An opening holds the snapshot that it has read while it waits for a thread, and a
/// snapshot can have many megabytes. So only a few rooms are opened at a time, and jobs that wait for a turn hold
/// nothing.
///
/// What always holds:
/// - No party (client's address) has more than `mostOfParty` of the turns.
/// - If a job waits although its party is allowed another turn, all turns are taken. Parties are served round-robin,
///   and the jobs of one party in the order in which they came.
struct OpeningTurns {
  /// Twice as many as there can be threads for heavy work, so that the threads don't wait for the log.
  static let most = 16
  static let mostOfParty = 4

  private var permits = Permits(most: most, ofParty: mostOfParty)
  /// The jobs that wait, by party. No party has an empty queue.
  private var waiting: [String: Fifo<CheckedContinuation<Void, Never>>] = [:]
  /// The parties with waiting jobs, in the order in which they are served.
  private var parties = Fifo<String>()

  /// Whether no job has a turn, and none waits for one.
  var isIdle: Bool { permits.taken == 0 && waiting.isEmpty }

  /// - Returns: whether a turn was free. Otherwise the job has to wait.
  mutating func take(_ party: String) -> Bool { permits.take(party) }

  /// Makes a job wait. It has its turn when the continuation is resumed.
  mutating func wait(_ party: String, _ turn: CheckedContinuation<Void, Never>) {
    if waiting[party] == nil { parties.append(party) }
    waiting[party, default: Fifo()].append(turn)
  }

  /// Gives a turn back, and passes it on to the next job.
  mutating func leave(_ party: String) {
    permits.giveBack(party)
    // So many parties at most have all turns that they are allowed. The one after them can be served.
    for _ in 0...OpeningTurns.most / OpeningTurns.mostOfParty {
      guard let next = parties.popFirst() else { return }
      guard take(next) else {
        parties.append(next)
        continue
      }
      let turn = waiting[next]?.popFirst()
      if waiting[next]?.isEmpty ?? true { waiting[next] = nil } else { parties.append(next) }
      turn?.resume()
      return
    }
  }
}
