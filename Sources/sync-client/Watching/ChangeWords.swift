import CanvasCRDT

/// Describes changes of shapes in English.
enum ChangeWords {
  /// A sentence without its subject, such as `moved Sun to 120, 40 and coloured it #FF0000`. The name can contain
  /// terminal styles.
  static func sentence(_ name: String, _ set: Properties, tied: [Identifier: Text] = [:]) -> String {
    var phrases: [String] = []
    // A line is described by its ends or points. Its box follows from them, so the box isn't mentioned.
    var told = set.assigned
    if !told.intersection([.from, .to]).isEmpty { told = told.subtracting([.position, .size, .path]) }
    if told.contains(.path) { told = told.subtracting([.position, .size]) }
    for property in told {
      phrases.append(phrase(property, of: set, object: phrases.isEmpty ? name : "it", tied))
    }
    guard let last = phrases.popLast() else { return "touched \(name)" }
    return phrases.isEmpty ? last : phrases.joined(separator: ", ") + " and " + last
  }

  /// A property's phrase from the table of properties, with the shape and the value filled in.
  private static func phrase(
    _ property: Property,
    of set: Properties,
    object: String,
    _ tied: [Identifier: Text]
  ) -> String {
    filled("\(property.row.told)") { place in
      switch place {
      case "shape": return object
      case "shape’s": return object == "it" ? "its" : "\(object)’s"
      case "value": return value(property, of: set, tied)
      default:
        // For a flag, the phrase has one word for true and one for false, as in `showed|hid`.
        guard case .flag(let field) = property.form, let bar = place.firstIndex(of: "|") else { return "\(place)" }
        return String(set[field] ? place[..<bar] : place[place.index(after: bar)...])
      }
    }
  }

  /// Replaces each `{place}` in a text.
  private static func filled(_ text: String, _ word: (Substring) -> String) -> String {
    var filled = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      filled += rest[..<open] + word(rest[rest.index(after: open)..<close])
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }

  private static func value(_ property: Property, of set: Properties, _ tied: [Identifier: Text]) -> String {
    switch property.form {
    case .path: points(set.path)
    case .tie(let field): set[field].map { name(of: $0.shape, tied) } ?? "nothing"
    case .erasure, .flag: ""
    case .text: TextWords.quoted(set.text)
    case .choice(let field): Text(field.words[Int(set[field])]).string
    case .identifier(let field): set[field].map { "group \($0)" } ?? "no group"
    case .kind: article(Text(set.kind.words).string.lowercased())
    case .name: set.name.string
    case .orderKey: set.z.text.string
    case .color(let field): set[field].text
    case .integer(let field, _, unit: .tenths): TenthsWords.text(set[field])
    case .integer(let field, _, let unit): words(Double(set[field]), unit)
    case .number(let field, _, let unit): words(set[field], unit)
    case .pair(.position, _): set.position.words
    case .pair(.size, _): set.size.words
    }
  }

  private static func words(_ number: Double, _ unit: PropertyUnit) -> String {
    switch unit {
    case .none: Figures.rounded(number)
    case .degrees: "\(Figures.rounded(number))°"
    case .tenths: "\(Figures.rounded(number * 10)) %"
    case .ratio: Figures.rounded(number, decimals: 2)
    }
  }

  private static func points(_ path: Path) -> String {
    path.isEmpty ? "its corners" : "\(path.points.count) points"
  }

  private static func name(of shape: Identifier, _ tied: [Identifier: Text]) -> String {
    tied[shape]?.string.printable ?? shape.text
  }

  /// A sentence without its subject, such as `made Sun, an ellipse of 100 × 100 at 45, 44`, or `made Line t7o, a line
  /// from Sun to 200, 40`.
  static func making(_ name: String, _ set: Properties, tied: [Identifier: Text] = [:]) -> String {
    let places = set.path.points.map { $0.place }
    if set.kind == .line,
      let from = end(set.from, places.first ?? BoxPlace(x: 0, y: 0), of: set, tied),
      let to = end(set.to, places.last ?? BoxPlace(x: BoxPlace.end, y: BoxPlace.end), of: set, tied)
    {
      return "made \(name), a line from \(from) to \(to)"
    }
    if set.kind == .ink { return "made \(name), ink of \(points(set.path)) at \(set.position.words)" }
    let kind = article(Text(set.kind.words).string.lowercased())
    let text = set.text.isEmpty ? "" : ", that says \(TextWords.quoted(set.text))"
    return "made \(name), \(kind) of \(set.size.words) at \(set.position.words)\(text)"
  }

  /// The shape to which a line's end is attached, or else the end's position. `nil` if the line's box is rotated,
  /// because the position on the canvas would be wrong.
  private static func end(_ tie: Tie?, _ place: BoxPlace, of set: Properties, _ tied: [Identifier: Text]) -> String? {
    if let tie { return name(of: tie.shape, tied) }
    guard set.rotation == 0 else { return nil }
    let share = place.share
    return Point(x: set.position.x + share.x * set.size.width, y: set.position.y + share.y * set.size.height).words
  }

  private static func article(_ noun: String) -> String {
    "aeiou".contains(noun.prefix(1)) ? "an \(noun)" : "a \(noun)"
  }
}
