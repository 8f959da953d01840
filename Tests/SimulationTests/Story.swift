import Foundation
import Testing

/// What `make simulate SEED=…` runs: tells a history as a story. If the history fails, tells the shortest one that was
/// found to fail in the same way.
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

/// The rule to look for, by the name of its case, in a history that breaks other rules as well.
private let storyRule = ProcessInfo.processInfo.environment["CANVAS_RULE"].flatMap { name in
  Rule.allCases.first { "\($0)" == name }
}
/// The file in which to store the shortened history, for `Found`.
private let storyPlace = ProcessInfo.processInfo.environment["CANVAS_KEEP"]
private let storySeed = ProcessInfo.processInfo.environment["CANVAS_STORY"].flatMap { UInt64($0) }
