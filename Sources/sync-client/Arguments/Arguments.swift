import Basics
import CommandWords

/// A command's options and operands, read from the words after its name.
struct Arguments: Hashable, Sendable {
  let operands: [String]
  private let values: [String: String]

  /// Reads `--name value`, `--name=value` and `--switch`. After `--`, every word is an operand. A single hyphen and a
  /// negative number are operands too.
  init(_ words: [String], for command: Command) throws(ClientFailure) {
    let options = command.allOptions + Option.common
    var operands: [String] = []
    var values: [String: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-", !Arguments.isNumber(word) else {
        operands.append(word)
        continue
      }
      if word == "-h" {
        values["--help"] = ""
        continue
      }
      let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name == halves[0] }) else {
        let question = Suggestion.question(halves[0], among: options.map { $0.name })
        throw .usage(
          "\(halves[0]): \(command.name) has no such option.\(question) "
            + "sync-client \(command.name) --help lists all options."
        )
      }
      switch (option.value, halves.count) {
      case (nil, 1): values[option.name] = ""
      case (nil, _): throw .usage("\(option.name) takes no value")
      case (_, 2): values[option.name] = halves[1]
      case (.some(let name), _):
        guard let value = rest.popFirst() else { throw .usage("\(option.name) needs a value: \(name)") }
        values[option.name] = value
      }
    }
    self.operands = operands
    self.values = values
    if values["--help"] == nil { try Arguments.check(operands, for: command) }
  }

  private static func isNumber(_ word: String) -> Bool {
    guard let second = word.utf8.dropFirst().first else { return false }
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second) || second == UInt8(ascii: ".")
  }

  private static func check(_ operands: [String], for command: Command) throws(ClientFailure) {
    var least = 0
    var most = 0
    for operand in command.operands {
      switch operand {
      case .one: (least, most) = (least + 1, most + 1)
      case .optional: most += 1
      case .several: (least, most) = (least + 1, .max / 2)
      case .any: most = .max / 2
      }
    }
    if operands.count < least {
      let missing = command.operands[min(operands.count, command.operands.count - 1)].shown
      throw .usage("\(command.name) needs \(missing). Usage: \(command.usage)")
    }
    if operands.count > most { throw .usage("\(operands[most]) is one word too many. Usage: \(command.usage)") }
  }

  // MARK: - Reading

  subscript(option: String) -> String? { values[option] }

  func has(_ option: String) -> Bool { values[option] != nil }

  func operand(_ index: Int) -> String? { operands.indices.contains(index) ? operands[index] : nil }

  /// Reads an option's value as a number within a range. Without the option, returns `standard`.
  func number(_ option: String, in range: ClosedRange<Double>, standard: Double) throws(ClientFailure) -> Double {
    guard let text = values[option] else { return standard }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "\(option) \(text): must be a number from \(Figures.number(range.lowerBound)) to \(Figures.number(range.upperBound))"
      )
    }
    return number
  }

  func integer(_ option: String, in range: ClosedRange<Int>, standard: Int) throws(ClientFailure) -> Int {
    guard let text = values[option] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw .usage("\(option) \(text): must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Reads an option's value as a duration such as `500ms`, `10s`, `5m`, `2h` or `1d`. `nil` without the option.
  func milliseconds(_ option: String) throws(ClientFailure) -> UInt64? {
    guard let text = values[option] else { return nil }
    guard let milliseconds = Figures.milliseconds(text) else {
      throw .usage("\(option) \(text): must be a time such as 500ms, 10s, 5m, 2h or 1d")
    }
    return milliseconds
  }

  /// Reads an option's value as a past time, in the forms of `TimeWords`. `nil` without the option.
  func moment(_ option: String) throws(ClientFailure) -> UInt64? {
    guard let text = values[option] else { return nil }
    guard let moment = TimeWords.milliseconds(text, now: WallClock.milliseconds()) else {
      throw .usage("\(option) \(text): must be a time such as 2026-11-20T18:00, 10m or Unix milliseconds")
    }
    return moment
  }
}
