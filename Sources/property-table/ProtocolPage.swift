import CanvasCRDT

/// Fills in the tables of properties in docs/PROTOCOL.md, which are between markers.
enum ProtocolPage {
  static let path = "docs/PROTOCOL.md"

  struct Unmarked: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(ProtocolPage.path) has no markers for \(name)" }
  }

  /// The page with its tables generated anew.
  static func filled(_ page: String) throws(Unmarked) -> String {
    var page = page
    for (name, table) in [("properties", properties), ("property bits", bits), ("columns", columns)] {
      let begin = "<!-- \(name): made by `make table` -->\n"
      let end = "<!-- end of \(name) -->"
      guard let first = page.range(of: begin), let last = page.range(of: end), first.upperBound <= last.lowerBound
      else { throw Unmarked(name: name) }
      page.replaceSubrange(first.upperBound..<last.lowerBound, with: table)
    }
    return page
  }

  // MARK: - Tables

  private static var properties: String {
    table(
      ["property", "value", "default"],
      inOrder.map { property in
        ["`\(property.wireName)`", "\(property.form.words): \(property.row.meaning)", property.defaultWords]
      }
    )
  }

  private static var bits: String {
    table(
      ["bit", "property", "value"],
      byBit.map { property in ["\(property.rawValue)", "`\(property.wireName)`", property.form.binaryWords] }
    )
  }

  private static var columns: String {
    table(
      ["of", "a column of"],
      byBit.filter { $0 != .deleted }.map { property in ["`\(property.wireName)`", property.form.columnWords] }
    )
  }

  private static var inOrder: [Property] { Property.inOrder.indices.map { Property.inOrder[$0] } }
  private static var byBit: [Property] { Property.allCases.sorted { $0.rawValue < $1.rawValue } }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}

extension Property {
  fileprivate var defaultWords: String {
    switch form {
    case .erasure, .kind: return "–"
    case .name: return "made up, S3"
    case .text, .identifier, .path, .tie: return "none"
    default:
      let text = defaultText.filter { $0 != "\"" }.replacing(",", with: ", ")
      return text.isWord ? text : "`\(text)`"
    }
  }

  /// The default value as JSON.
  var defaultText: String {
    var writer = JSONWriter()
    writer.value(self, of: Properties())
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}

extension String {
  /// Whether the text is a number or a word. Such a text needs no backticks.
  fileprivate var isWord: Bool { allSatisfy { $0.isNumber || $0 == "." || $0.isLowercase } }
}

extension PropertyForm {
  /// The form of a value as text, with its range.
  fileprivate var words: String {
    switch self {
    case .erasure: "true, and no other value"
    case .kind: ShapeKind.allCases.map { "`\($0.wireName)`" }.joined(separator: " ")
    case .name:
      "text of 1–\(PropertyRules.nameBytesMax) bytes of UTF-8 without control characters (U+0000–U+001F, U+007F–U+009F) and without those that can't be seen (S8)"
    case .text:
      "text of at most \(PropertyRules.textBytesMax) bytes of UTF-8 without control characters, but for line breaks (U+000A)"
    case .choice(let field): field.words.map { "`\($0)`" }.joined(separator: " ")
    case .orderKey: "1–\(OrderKey.lengthMax) of `0-9A-Za-z`, not ending in `0`"
    case .identifier: "an identifier, or `\"\"` for none"
    case .path:
      "a list of 2–1024 points `[x, y]` or `[x, y, width]`, whole numbers: x and y 0…65535, width 1…200; or `[]` for none"
    case .tie: "`[shape, x, y]`: an identifier and two whole numbers, 0…65535; or `[]` for none"
    case .flag: "true or false"
    case .color: "`#RRGGBB`; digits are read in either case and written in capitals"
    case .integer(_, let range, _): "integer, \(range.lowerBound)…\(range.upperBound)"
    case .number(_, let range, _): "number, \(range.words)"
    case .pair(let field, let range): "`[\(field.names.first), \(field.names.second)]`, each \(range.words)"
    }
  }

  fileprivate var binaryWords: String {
    switch self {
    case .erasure: "none"
    case .kind: "byte, the place in S's table, from 0"
    case .name, .orderKey, .text: "text"
    case .choice(let field): "byte: " + field.words.enumerated().map { "\($0) `\($1)`" }.joined(separator: ", ")
    case .identifier: "identifier, or 2⁴⁸ − 1 for none"
    case .path: "path"
    case .tie: "tie"
    case .flag: "byte, 0 or 1"
    case .color: "colour"
    case .integer: "byte"
    case .number: "number"
    case .pair: "two numbers"
    }
  }

  fileprivate var columnWords: String {
    switch self {
    case .erasure: "nothing"
    case .kind, .flag, .choice, .integer: "packed, \(packedWidth) \(packedWidth == 1 ? "bit" : "bits") each"
    case .name, .orderKey, .text: "text each"
    case .color: "colour each"
    case .identifier: "identifier each, or 2⁴⁸ − 1 for none"
    case .path: "path each"
    case .tie: "tie each"
    case .number: "numbers"
    case .pair(let field, _): "numbers, \(field.names.first), and another, \(field.names.second)"
    }
  }
}

extension ClosedRange<Double> {
  /// The range as text, `−1e7…1e7`.
  fileprivate var words: String { "\(lowerBound.words)…\(upperBound.words)" }
}

extension Double {
  fileprivate var words: String {
    let sign = self < 0 ? "−" : ""
    var exponent = 0
    var rest = magnitude
    while rest >= 10, rest == rest.rounded(), rest.truncatingRemainder(dividingBy: 10) == 0 {
      rest /= 10
      exponent += 1
    }
    if exponent >= 5 { return "\(sign)\(Int(rest))e\(exponent)" }
    return sign + (magnitude == magnitude.rounded() ? "\(Int(magnitude))" : "\(magnitude)")
  }
}
