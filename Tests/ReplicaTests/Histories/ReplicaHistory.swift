import TestSupport

/// A history of several people with replicas. A seed decides what they do and what happens to them.
struct ReplicaHistory {
  let seed: UInt64
  let people: Int
  let isShortOfBytes: Bool
  let hasClockSetBack: Bool
  /// Whether some clients are pages. False for histories from before the tests had pages.
  let hasPages: Bool
  var deeds: [Deed] = []

  init(seed: UInt64, hasPages: Bool = true, deeds count: Int = 30) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    self.hasPages = hasPages
    // Half of the histories have only one person.
    people = max(1, Int.random(in: -1...3, using: &random))
    isShortOfBytes = Int.random(in: 0..<16, using: &random) == 0
    hasClockSetBack = Int.random(in: 0..<4, using: &random) == 0
    for _ in 0..<count { deeds.append(.random(hosts: people, using: &random)) }
  }

  /// Whether a client is a page. Half of the clients are pages, chosen at random. A page loses its undo history when it
  /// ends. Its events are recorded, so that core.wasm can replay them.
  func isPage(_ host: Int) -> Bool {
    var random = SeededGenerator(seed: ~seed &- UInt64(host))
    return hasPages && Bool.random(using: &random)
  }

  struct Failure {
    let rule: HistoryRule
    let words: String
  }

  struct Outcome {
    let failure: Failure?
    /// Whether the rule `HistoryRule.lone` could be checked up to the end. It can't be checked after any of these
    /// events:
    /// - The server refused an undo or redo, or an edit that had replaced one.
    /// - The server refused an edit that it had accepted under an earlier actor's stamp.
    /// - The server refused a value that an undo or redo had restored.
    let isExact: Bool
    /// The recorded events of the clients that are pages.
    let records: [RecordedHistory]
  }

  func outcome() -> Outcome {
    var play = HistoryPlay(self)
    let failure = play.run()
    return Outcome(failure: failure, isExact: play.isExact, records: play.room.hosts.compactMap(\.record))
  }

  /// Removes events as long as the history still breaks the rule. Returns the shortest history found.
  func shortened(for rule: HistoryRule) -> ReplicaHistory {
    var shortest = self
    var piece = max(1, deeds.count / 2)
    while piece > 0 {
      var start = 0
      while start < shortest.deeds.count {
        var candidate = shortest
        candidate.deeds.removeSubrange(start..<min(start + piece, candidate.deeds.count))
        if candidate.outcome().failure?.rule == rule { shortest = candidate } else { start += piece }
      }
      piece /= 2
    }
    return shortest
  }

  /// The history's events in words.
  var story: String {
    var play = HistoryPlay(self)
    let failure = play.run()
    return
      "seed \(seed), \(people) people: \(failure.map { "\($0.rule.rawValue): \($0.words)" } ?? "nothing is broken")\n"
      + play.story.joined(separator: "\n")
  }
}

/// The rules that hold in every history of replicas.
enum HistoryRule: String, CaseIterable {
  case rest = "all come to rest and have what the room has"
  case others = "undo and redo change nothing that another wrote since"
  case canUndo = "can undo means that undo does something, or that nothing is left then but of locked shapes"
  case redo = "redo after undo restores the drawing"
  case lone = "who is alone sees what the steps up to now wrote, whatever was undone and redone"
  case newest = "what the server took is not lost to something older of one's own"
  case clock = "no honest edit is refused for its clock"
  case everything = "undo everything leaves nothing of who is alone, and redo everything brings all back"
}
