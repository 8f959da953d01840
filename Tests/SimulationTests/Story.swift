import Foundation
import Testing

/// `make simulate SEED=…` runs this: a history as a story, and where it fails, the shortest one found that fails alike.
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

/// A rule that is looked for, where others are broken as well: the name of its case.
private let storyRule = ProcessInfo.processInfo.environment["CANVAS_RULE"].flatMap { name in
  Rule.allCases.first { "\($0)" == name }
}
/// Where to keep the shortened history, for `Found`.
private let storyPlace = ProcessInfo.processInfo.environment["CANVAS_KEEP"]
private let storySeed = ProcessInfo.processInfo.environment["CANVAS_STORY"].flatMap { UInt64($0) }
