import Foundation
import Testing

/// Histories that have found faults, each shortened to the fewest steps that still find the fault. Each is a JSON file
/// in `Found`.
///
/// A file stores the random settings (`Dice`) that its seed had drawn, because the seed draws other settings once
/// `Dice` changes. Found/README.md lists, for each history, a planted bug that it detects.
struct FoundHistory: Codable, Sendable, CustomTestStringConvertible {
  let rule: String
  let seed: UInt64
  let dice: Dice
  /// The steps, each as its event and its seed.
  let steps: [String]
  var name: String?

  init(_ history: History, breaking rule: Rule) {
    self.rule = "\(rule)"
    seed = history.seed
    dice = history.dice
    steps = history.steps.map { "\($0.event) \(String($0.seed, radix: 16))" }
  }

  var testDescription: String { name ?? rule }

  var history: History? {
    var read: [History.Step] = []
    for step in steps {
      let words = step.split(separator: " ")
      guard words.count == 2, let event = Event(rawValue: String(words[0])), let seed = UInt64(words[1], radix: 16)
      else {
        return nil
      }
      read.append(History.Step(event: event, seed: seed))
    }
    return History(seed: seed, dice: dice, steps: read)
  }

  static let all: [FoundHistory] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { file in
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
      guard var found = try? JSONDecoder().decode(FoundHistory.self, from: bytes) else {
        fatalError("\(file) is no history of today's dice")
      }
      found.name = String(file.dropLast(5))
      return found
    }
  }()

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Found"
}

@Suite("Histories that have found faults")
struct FoundTests {
  @Test("a history that has found a fault breaks no rule any more", arguments: FoundHistory.all)
  func found(_ found: FoundHistory) throws {
    let history = try #require(found.history, "an event of \(found.testDescription) is unknown")
    if let failure = history.failure() { Issue.record("\(failure)") }
  }

  @Test("the files are found")
  func files() { #expect(!FoundHistory.all.isEmpty) }
}
