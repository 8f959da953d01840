import CanvasCRDT

/// What was done to a shape, in words.
enum ChangeWords {
  /// `moved Sun to 120, 40 and coloured it #FF0000`. The name may be styled already.
  static func sentence(_ name: String, _ set: Properties) -> String {
    var phrases: [String] = []
    for property in set.assigned {
      phrases.append(phrase(property, of: set, object: phrases.isEmpty ? name : "it"))
    }
    guard let last = phrases.popLast() else { return "touched \(name)" }
    return phrases.isEmpty ? last : phrases.joined(separator: ", ") + " and " + last
  }

  private static func phrase(_ property: Property, of set: Properties, object: String) -> String {
    switch property {
    case .position: "moved \(object) to \(set.position.words)"
    case .size: "resized \(object) to \(set.size.words)"
    case .rotation: "turned \(object) to \(Figures.rounded(set.rotation))°"
    case .fill: "coloured \(object) \(set.fill.text)"
    case .alpha: "made \(object) \(set.alpha * 10) % opaque"
    case .visible: set.visible ? "showed \(object)" : "hid \(object)"
    case .kind: "made \(object) \(article(Text(set.kind.words).string.lowercased()))"
    case .name: "named \(object) \(set.name.string)"
    case .z: "restacked \(object)"
    case .stroke: "outlined \(object) in \(set.stroke.text)"
    case .strokeWidth: "outlined \(object) \(Figures.rounded(set.strokeWidth)) wide"
    case .cornerRadius:
      "rounded \(object)\(object == "it" ? "s" : "’s") corners to \(Figures.rounded(set.cornerRadius))"
    case .points: "gave \(object) \(set.points) points"
    case .innerRatio: "gave \(object) an inner ratio of \(Figures.rounded(set.innerRatio, decimals: 2))"
    case .deleted: "deleted \(object)"
    }
  }

  /// `made Sun, an ellipse of 100 × 100 at 45, 44`.
  static func making(_ name: String, _ set: Properties) -> String {
    let kind = article(Text(set.kind.words).string.lowercased())
    return "made \(name), \(kind) of \(set.size.words) at \(set.position.words)"
  }

  private static func article(_ noun: String) -> String {
    "aeiou".contains(noun.prefix(1)) ? "an \(noun)" : "a \(noun)"
  }
}
