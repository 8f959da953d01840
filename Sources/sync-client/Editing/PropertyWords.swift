import CanvasCRDT

/// `fill=#FF0000 size=100,80`: a shape's properties as people type them.
enum PropertyWords {
  /// The part of `--help` about properties: all of them, with their defaults.
  static let help: String = {
    let order = Property.inOrder
    let words = order.indices.compactMap { place in
      ValueWords.text(of: order[place], in: Properties()).map { "\(order[place].wireName)=\($0)" }
    }
    return "Properties are written name=value, such as name=Sun. What is not said is: \(words.joined(separator: " "))."
  }()

  static func read(_ words: [String]) throws(ClientFailure) -> Properties {
    guard !words.isEmpty else { return Properties() }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("ops")
    writer.beginArray()
    writer.beginObject()
    writer.key("shape")
    writer.value(Identifier(packed: 0)!)
    writer.key("set")
    writer.beginObject()
    for word in words { try write(word, to: &writer) }
    writer.endObject()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    // Reading it as a message checks the values.
    do throws(MessageError) {
      return try JSONEncoding.decodeSubmission(writer.finish()).operations[0].set
    } catch {
      throw .usage(error.words.string)
    }
  }

  private static func write(_ word: String, to writer: inout JSONWriter) throws(ClientFailure) {
    let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard halves.count == 2 else { throw .usage("\(word): a property is written name=value, such as fill=#FFCC00") }
    let (name, value) = (halves[0], halves[1])
    guard let property = Property.allCases.first(where: { Text($0.wireName).string == name }), property != .deleted
    else { throw .usage("\(name): there is no such property. \(help)") }
    writer.key(text: Text(name))
    switch property.form {
    case .kind, .name, .orderKey, .color: writer.value(text: Text(value))
    case .flag:
      switch value {
      case "yes", "true", "1": writer.value(true)
      case "no", "false", "0": writer.value(false)
      default: throw .usage("\(word): \(name) is yes or no")
      }
    case .pair:
      let numbers = value.split { $0 == "," || $0 == "x" || $0 == "×" }.map { Double($0) }
      guard numbers.count == 2, let first = numbers[0], let second = numbers[1], first.isFinite, second.isFinite else {
        throw .usage("\(word): \(name) is two numbers, such as \(name)=100,80")
      }
      writer.beginArray()
      writer.value(first)
      writer.value(second)
      writer.endArray()
    case .integer, .number, .erasure:
      guard let number = Double(value), number.isFinite else { throw .usage("\(word): \(name) is a number") }
      writer.value(number)
    }
  }
}

/// Values as people type them.
enum ValueWords {
  /// Nil for a property without a default.
  static func text(of property: Property, in set: Properties) -> String? {
    switch property.form {
    case .erasure, .kind, .name: nil
    case .orderKey: set.z.text.string
    case .flag(let field): set[field] ? "yes" : "no"
    case .color(let field): set[field].text
    case .integer(let field, _, _): "\(set[field])"
    case .number(let field, _, _): Figures.number(set[field])
    case .pair(let field, _): "\(Figures.number(set[field].first)),\(Figures.number(set[field].second))"
    }
  }
}
