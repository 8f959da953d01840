/// The rules for values. They are checked once, when a value enters the system: by decoders, and by the code that makes
/// edits. Merging never checks them.
public enum PropertyRules {
  // The ranges that both the table of properties and other code use.
  public static var coordinates: ClosedRange<Double> { -1e7...1e7 }
  public static var sides: ClosedRange<Double> { 1...1e6 }
  public static var turns: ClosedRange<Double> { -1e6...1e6 }
  public static var alphas: ClosedRange<Int16> { 1...10 }
  public static var cornerRadii: ClosedRange<Double> { 0...1e6 }
  public static var points: ClosedRange<Int16> { 3...64 }
  public static var innerRatios: ClosedRange<Double> { 0.05...1 }
  public static let nameBytesMax = 128
  public static var textSizes: ClosedRange<Double> { 1...1_000 }
  public static let textBytesMax = 4_096

  public static func allowsName(_ name: Text) -> Bool {
    (1...nameBytesMax).contains(name.utf8Count) && !hasControls(name, but: 0x20)
  }

  public static func allowsText(_ text: Text) -> Bool {
    text.utf8Count <= textBytesMax && !hasControls(text, but: lineFeed)
  }

  public static let lineFeed: UInt8 = 0x0A

  /// The distance from one line of a text to the next, as a multiple of the text's size (S9).
  static let textLineHeight = 1.25

  /// Whether the text has control characters: those of C0, the character U+007F, or those of C1, which in UTF-8 are C2
  /// 80 to C2 9F.
  private static func hasControls(_ text: Text, but allowed: UInt8) -> Bool {
    text.withBytes { bytes in
      var previous: UInt8 = 0
      for byte in bytes {
        if byte < 0x20 && byte != allowed || byte == 0x7F { return true }
        if previous == 0xC2, byte < 0xA0 { return true }
        previous = byte
      }
      return false
    }
  }
}

/// The value of this property is not allowed.
public struct PropertyProblem: Error, Hashable, Sendable {
  public let property: Property

  public init(_ property: Property) { self.property = property }

  /// A sentence for people that says which values are allowed.
  public var message: Text { Text(property.wireName).appending(" must be ").appending(property.form.expectation) }
}

extension PropertyForm {
  /// The end of `message`: the allowed values.
  var expectation: Text {
    switch self {
    case .erasure: "true"
    case .kind: PropertyForm.alternatives(ShapeKind.allCases.map { $0.wireName })
    case .name: "text of 1 to 128 bytes without control characters or invisible ones"
    case .orderKey: "text of 1 to 64 of 0-9A-Za-z that does not end in 0"
    case .flag: "true or false"
    case .text: "text of at most 4096 bytes without control characters other than line breaks"
    case .choice(let field): PropertyForm.alternatives(field.words)
    case .identifier: "an identifier such as afy-kw5-t7o, or empty"
    case .path:
      "a list of 2 to 1024 points, or empty: each [x, y] or [x, y, width], x and y from 0 to 65535, width from 1 to 200"
    case .tie: "[shape, x, y], x and y whole numbers from 0 to 65535, or empty"
    case .color: "a colour as #RRGGBB"
    case .integer(_, let range, _):
      ("a whole number" as Text).appending(from: Double(range.lowerBound), to: Double(range.upperBound))
    case .number(_, let range, let unit):
      (unit == .degrees ? "a number of degrees" as Text : "a number")
        .appending(from: range.lowerBound, to: range.upperBound)
    case .pair(let field, let range):
      ("[" as Text).appending(Text(field.names.first)).appending(", ").appending(Text(field.names.second))
        .appending("], each a number").appending(from: range.lowerBound, to: range.upperBound)
    }
  }
}

extension PropertyForm {
  /// A list as text: `rectangle, ellipse or star`.
  fileprivate static func alternatives(_ names: [StaticString]) -> Text {
    var words: Text = ""
    for (place, name) in names.enumerated() {
      if place > 0 { words = words.appending(place == names.count - 1 ? " or " : ", ") }
      words = words.appending(Text(name))
    }
    return words
  }
}

extension Text {
  /// The text followed by a range: ` from 1 to 10`.
  func appending(from lower: Double, to upper: Double) -> Text {
    appending(" from ").appending(Text(number: lower)).appending(" to ").appending(Text(number: upper))
  }
}

extension PropertyMask {
  /// The properties whose Swift type has values that are not allowed. Only these have to be checked.
  fileprivate static let bounded = PropertyMask { row in
    switch row.form {
    case .number, .integer, .pair, .name, .text: true
    case .erasure, .kind, .orderKey, .flag, .color, .choice, .identifier, .path, .tie: false
    }
  }
}

extension Properties {
  /// Throws if an assigned value is not allowed.
  public func check() throws(PropertyProblem) {
    for property in assigned.intersection(.bounded) where !allows(property) { throw PropertyProblem(property) }
  }

  /// Whether the value is in its range. NaN is in no range. Forms without a range allow all values.
  @inline(__always)
  private func allows(_ property: Property) -> Bool {
    switch property.form {
    case .number(let field, let range, _): range.contains(self[field])
    case .integer(let field, let range, _): range.contains(self[field])
    case .pair(let field, let range): range.contains(self[field].first) && range.contains(self[field].second)
    case .name: PropertyRules.allowsName(name)
    case .text: PropertyRules.allowsText(text)
    case .erasure, .kind, .orderKey, .flag, .color, .choice, .identifier, .path, .tie: true
    }
  }
}
