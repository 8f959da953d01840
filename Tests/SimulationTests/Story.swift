import Foundation
import Testing

/// Prints what happens in one history, in words, for `make simulate SEED=…`. If the history fails, prints a shortened
/// one that fails in the same way.
@Suite("A history as a story")
struct StoryTests {
  @Test("the story of one seed", .enabled(if: storySeed != nil))
  func story() throws {
    let seed = try #require(storySeed)
    var history = History(seed: seed)
    let stepsInAll = history.steps.count
    let failure = history.failure(of: storyRule)
    if let failure {
      history = history.shortened(for: failure)
      print("Seed \(seed) breaks a rule. \(history.steps.count) of its \(stepsInAll) steps are enough:\n")
      if let place = storyPlace { try FoundHistory(history, breaking: failure.rule).write(to: place) }
    } else {
      print("Seed \(seed) keeps every rule.\n")
    }
    let world = history.run(told: true, only: failure?.rule)
    print("The dice: \(history.dice)\n")
    print(world.story.joined(separator: "\n"))
    if let failure = world.failures.first { Issue.record("\(failure)") }
  }
}

/// If `CANVAS_RULE` names a rule, only failures of this rule count. This is needed for a history that also breaks other
/// rules.
private let storyRule = ProcessInfo.processInfo.environment["CANVAS_RULE"].flatMap { name in
  Rule.allCases.first { "\($0)" == name }
}
/// The file to which the shortened history is written. Such files belong in the folder `Found`.
private let storyPlace = ProcessInfo.processInfo.environment["CANVAS_KEEP"]
private let storySeed = ProcessInfo.processInfo.environment["CANVAS_STORY"].flatMap { UInt64($0) }
