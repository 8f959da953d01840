import CanvasCRDT
import CommandWords

/// A shape's properties as users type them, such as `fill=#FF0000 size=100,80`.
enum PropertyWords {
  /// The part of `--help` that lists the properties and their defaults.
  static let help: String = {
    let order = Property.inOrder
    let words = order.indices.compactMap { place in
      ValueWords.text(of: order[place], in: Properties()).map { "\(order[place].wireName)=\($0)" }
    }
    return "Properties are written name=value, such as name=Sun or fill=gold. What is not said is: "
      + "\(words.joined(separator: " "))."
  }()

  /// Words that users might type in place of a property's name. The error message then suggests the property.
  private static let otherNames = [
    "color": "fill", "colour": "fill", "background": "fill", "outline": "stroke", "border": "stroke",
    "x": "position", "y": "position", "at": "position", "width": "size", "height": "size", "radius": "cornerRadius",
    "opacity": "alpha", "transparency": "alpha", "angle": "rotation", "turned": "rotation", "hidden": "visible",
    "title": "name", "label": "text", "words": "text", "align": "textAlign", "font": "textSize",
    "type": "kind", "shape": "kind", "order": "z",
  ]

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
    // The values are put into a message of the protocol, because decoding it checks them.
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
    let names = Property.allCases.filter { $0 != .deleted }.map { Text($0.wireName).string }
    guard let property = Property.allCases.first(where: { Text($0.wireName).string == name }), property != .deleted
    else {
      let question = Suggestion.question(name, among: names, meaning: otherNames)
      throw .usage("\(name): there is no such property.\(question) \(help)")
    }
    writer.key(text: Text(name))
    switch property.form {
    case .kind: writer.value(text: Text(try KindWords.kind(value).wireName))
    case .name, .orderKey: writer.value(text: Text(value))
    case .text: writer.value(text: Text(TextWords.written(value)))
    case .choice(let field):
      guard field.words.contains(where: { Text($0).string == value }) else {
        throw .usage("\(word): \(name) is \(field.words.map { Text($0).string }.joined(separator: ", "))")
      }
      writer.value(text: Text(value))
    case .identifier:
      guard value == "none" || Identifier(value) != nil else {
        throw .usage("\(word): \(name) is an identifier such as afy-kw5-t7o, or none")
      }
      writer.value(text: Text(value == "none" ? "" : value))
    case .path: try PathWords.write(value, to: &writer)
    case .tie: throw .usage("\(word): \(name) is for lines, and given to `add` and `set` only")
    case .color: writer.value(text: Text(try ColorWords.color(value).text))
    case .flag:
      switch value {
      case "yes", "true", "1": writer.value(true)
      case "no", "false", "0": writer.value(false)
      default: throw .usage("\(word): \(name) is yes or no")
      }
    case .pair:
      let numbers = value.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "x" || $0 == "×" }.map {
        Double($0)
      }
      guard numbers.count == 2, let first = numbers[0], let second = numbers[1], first.isFinite, second.isFinite else {
        throw .usage("\(word): \(name) is two numbers, such as \(name)=100,80")
      }
      writer.beginArray()
      writer.value(first)
      writer.value(second)
      writer.endArray()
    case .integer(_, let range, unit: .tenths):
      guard let tenths = TenthsWords.tenths(value), let whole = Int16(exactly: tenths), range.contains(whole) else {
        throw .usage(TenthsWords.complaint(name, value, range))
      }
      writer.value(Double(whole))
    case .integer, .number, .erasure:
      guard let number = Double(value), number.isFinite else { throw .usage("\(word): \(name) is a number") }
      writer.value(number)
    }
  }
}

/// Values of properties as users type them.
enum ValueWords {
  /// A property's value as text. `nil` if it has neither a value nor a default.
  static func text(of property: Property, in set: Properties) -> String? {
    switch property.form {
    case .erasure, .kind, .name, .text, .path, .tie: nil
    case .choice(let field): Text(field.words[Int(set[field])]).string
    case .orderKey: set.z.text.string
    case .identifier(let field): set[field].map { "\($0)" } ?? "none"
    case .flag(let field): set[field] ? "yes" : "no"
    case .color(let field): set[field].text
    case .integer(let field, _, unit: .tenths): TenthsWords.text(set[field]).filter { $0 != " " }
    case .integer(let field, _, _): "\(set[field])"
    case .number(let field, _, _): Figures.number(set[field])
    case .pair(let field, _): "\(Figures.number(set[field].first)),\(Figures.number(set[field].second))"
    }
  }
}
