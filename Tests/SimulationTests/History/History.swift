/// One history: the settings that its seed drew, and its steps.
///
/// Each step has its own seed, from which everything random in that step is drawn. So if a step is removed, the other
/// steps still draw the same numbers, and a failing history can be shortened.
struct History: Sendable {
  struct Step: Hashable, Sendable {
    let event: Event
    let seed: UInt64
  }

  let seed: UInt64
  let dice: Dice
  var steps: [Step]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    var others = SeededGenerator(seed: ~seed)
    var log = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95 &+ 3)
    var people = SeededGenerator(seed: seed &* 0xBF58_476D_1CE4_E5B9 &+ 5)
    dice = Dice(using: &random, others: &others, log: &log, people: &people)
    let possible = Event.allCases.filter { [dice] in dice.nodesCount > 1 || !$0.needsSeveralNodes }
    let weights = possible.map { event in
      (event, weight: event.weight * [0, 0.3, 1, 1, 3].randomElement(using: &random)!)
    }
    let all = weights.reduce(1) { $0 + $1.weight }
    steps = []
    for _ in 0..<[100, 300, 300, 300, 600].randomElement(using: &random)! {
      var place = Double.random(in: 0..<all, using: &random)
      let choice = weights.first { choice in
        place -= choice.weight
        return place < 0
      }
      steps.append(Step(event: choice?.0 ?? .change, seed: random.next()))
    }
  }

  init(seed: UInt64, dice: Dice, steps: [Step]) {
    self.seed = seed
    self.dice = dice
    self.steps = steps
  }

  /// Runs the whole history.
  /// - Parameter told: whether to write down what happens, in words.
  func run(told: Bool = false, only: Rule? = nil) -> World {
    var world = World(self, isTold: told, only: only)
    defer { world.endAll() }
    for step in steps {
      world.take(step)
      if !world.failures.isEmpty { return world }
    }
    world.settle()
    world.check()
    return world
  }

  func failure(of rule: Rule? = nil) -> Failure? { run(only: rule).failures.first }

  /// A shorter history that breaks the same rule. Steps are removed as long as the rule is still broken: first many
  /// steps at a time, and then one by one.
  func shortened(for failure: Failure) -> History {
    var shortest = self
    var piece = steps.count / 2
    while piece > 0 {
      var start = 0
      while start < shortest.steps.count {
        var candidate = shortest
        candidate.steps.removeSubrange(start..<min(start + piece, candidate.steps.count))
        if candidate.failure(of: failure.rule) != nil { shortest = candidate } else { start += piece }
      }
      piece /= 2
    }
    return shortest
  }
}

struct Failure: Hashable, Sendable, CustomStringConvertible {
  let rule: Rule
  let words: String

  var description: String { "\(rule.rawValue): \(words)" }
}

/// What must hold in every history.
enum Rule: String, CaseIterable, Sendable {
  case agreement = "everyone ends with what the log adds up to"
  case digests = "a digest differs only where a replica was misled, and then heals"
  case cursors = "a cursor stands for one history"
  case durability = "what was acknowledged or seen is in the log for ever"
  case survival = "an edit is stored, replaced by its writer, or refused and told"
  case refusals = "what is refused is in no log"
  case roomFull = "no message is refused as room_full that the room has room for"
  case fullness = "a room never has more than its limit"
  case tooOld = "what is too old is refused at once, and not edit by edit"
  case forgetting = "no deletion is forgotten before its time"
  case clockAhead = "an honest client's edit is never lost for its clock"
  case stamps = "a stamp stands for one edit"
  case replica = "a replica keeps what it promises its host"
  case newEdit = "after a new edit nothing older can be redone"
  case undoOfOthers = "undo changes nothing that another has written since"
  case undoRedo = "a redo gives back what the undo took"
  case undoEdit = "an undo gives back what the edit changed"
  case undoRefused = "a refused undo can be tried again"
  case overlaps = "overlaps told are those of the drawing"
  case people = "everyone sees the same people, and what they show"
  case presence = "join, leave and presence follow one another"
  case claims = "of an actor's connections one stays, and the newer one if its node knew of the other"
  case bounds = "what is kept stays within its bounds"
  case counters = "counters only grow"
  case age = "what a client shows is no older than its line makes it"
  case waiting = "nobody waits for ever"
  case http = "what is asked over HTTP is answered as the protocol says"
  case past = "a room as it was is the log up to there"
  case protocolWords = "nobody is sent what it can't read"
}
