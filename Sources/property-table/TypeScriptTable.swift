import CanvasCRDT

#if canImport(CanvasWasmNumbers)
  import CanvasWasmNumbers
#endif

/// The module that the page imports: the table of properties, and the numbers that have a meaning in both Swift and
/// TypeScript.
enum TypeScriptTable {
  static let path = "web/core/table.ts"

  static var text: String {
    [
      """
      // Made by `make table` from the table of properties, Sources/CanvasCRDT/Shapes/PropertyTable.swift, and from the lists that
      // Swift and TypeScript share. Not to be edited.

      import { colorText } from './colors.js'
      """,
      constants, rows, masks, shape, readShape,
    ].joined(separator: "\n\n") + "\n"
  }

  // MARK: - Lists

  private static var constants: String {
    [
      frozen(
        "kinds, in the order of their numbers",
        "kinds",
        "[" + ShapeKind.allCases.map { quoted($0.wireName) }.joined(separator: ", ") + "]"
      ),
      """
      /** What people read for each kind of shape. */
      export const kindWords: Readonly<Record<string, string>> = Object.freeze(\(object(ShapeKind.allCases.map { ("\($0)", quoted($0.words)) })))
      """,
      """
      /** Why a connection was closed. `unknown` is any close code that has no name here. */
      export type CloseName =\(alternatives(CloseCode.allCases.map { quoted($0.wireName) } + ["'unknown'"]))
      """,
      """
      /** Why a message is refused. */
      export type RejectCode =\(alternatives(RejectCode.allCases.map { quoted($0.wireName) }))
      """,
      numbers("what an effect of the core asks the page to do", "effectKind", EffectKind.self),
      numbers("the ways to move shapes within the drawing order", "reordering", Reordering.self),
      numbers("the shapes that the core makes at random", "randomShape", RandomShape.self),
      numbers("the encodings that a session speaks", "wireEncoding", WireEncoding.self),
      frozen(
        "dashed and dotted lines: the length of a dash, and the distance from one dash to the next, in line widths",
        "dashForms",
        object(
          Dash.allCases.filter { $0 != .solid }.map { dash in
            ("\(dash)", "{ part: \(Int(dash.partLength(width: 1))), step: \(Int(dash.step(width: 1))) }")
          }
        )
      ),
      """
      /** The upper bound on the dashes in one picture. */
      export const dashPartsMax = \(DashBudget.partsMax)
      """,
      """
      /**
       * The width at which a caption's lines break, as a multiple of the text's size, and the distance between a caption
       * and its line.
       */
      export const captionWidthMax = \(Int(Caption.widthMax))
      export const captionMargin = \(Int(Caption.margin))
      """,
      numbers("flags of a row that describes a shape", "shapeFlag", ShapeFlag.self),
      numbers("flags of a list of changes", "changesFlag", ChangesFlag.self),
      numbers("flags that say which values of a box a gesture writes", "placeFlag", PlaceFlag.self),
      numbers(
        "the bounds of presence: see `PresenceBound` in Sources/CanvasCRDT/Replica/PresenceState.swift",
        "presenceBound",
        PresenceBound.self
      ),
      numbers("flags of a `hello` message: which fields it has", "helloFlag", BinaryEncoding.HelloFlag.self),
    ].joined(separator: "\n\n")
  }

  private static func alternatives(_ words: [String]) -> String { words.map { "\n  | \($0)" }.joined() }

  private static func numbers<Kind>(_ words: String, _ name: String, _: Kind.Type) -> String
  where Kind: CaseIterable & RawRepresentable {
    frozen(words, name, object(Kind.allCases.map { ("\($0)", "\($0.rawValue)") }))
  }

  private static func frozen(_ words: String, _ name: String, _ value: String) -> String {
    "\(comment(words))\nexport const \(name) = Object.freeze(\(value))"
  }

  private static func object(_ members: [(name: String, value: String)]) -> String {
    "{\n" + members.map { "  \($0.name): \($0.value),\n" }.joined() + "}"
  }

  // MARK: - The table

  private static var rows: String {
    """
    /** A row of the table of properties. */
    export interface PropertyRow {
      name: string
      form: 'erasure' | 'kind' | 'name' | 'orderKey' | 'text' | 'choice' | 'identifier' | 'path' | 'tie' | 'flag' | 'color'
        | 'integer' | 'number' | 'pair'
      decidesOutline: boolean
      /** The names of the fields of `Shape` that hold the property's values. */
      parts: readonly (keyof Shape)[]
      min?: number
      max?: number
      /** The upper bound on the UTF-8 bytes of a name or a text. */
      bytesMax?: number
      /** The words of a choice, ordered by number. */
      words?: readonly string[]
      /** Documents contain the property only for shapes on which somebody has set it. */
      isRare?: true
      /** The value of a rare property that nobody has set. */
      standard?: unknown
      unit?: 'none' | 'degrees' | 'tenths' | 'ratio'
      inspector?: Readonly<InspectorField>
    }

    /** How the inspector shows a property. */
    export interface InspectorField {
      label: string
      group: 'who' | 'place' | 'color' | 'form' | 'text'
      /** The kinds of shapes that the property affects. */
      kinds: readonly string[]
      slider?: { min: number, max: number, step: number }
    }

    /** The rows of the table of properties, ordered by bit number. */
    export const properties: readonly Readonly<PropertyRow>[] = Object.freeze<PropertyRow>([
    \(Property.allCases.sorted { $0.rawValue < $1.rawValue }.map(row).joined(separator: "\n"))
    ])

    /** The names of all properties, in the order that docs/PROTOCOL.md and JSON have. */
    export const propertiesInOrder = Object.freeze([
    \(Property.inOrder.all.map { "  \(quoted($0.wireName))," }.joined(separator: "\n"))
    ])

    /**
     * What a new name may not have: characters that can't be seen, or that set the direction of the text around them, the joiners
     * and selectors only where they do nothing (S8).
     */
    export const hiddenCharacters = /\(hiddenCharacters)/u
    """
  }

  private static var hiddenCharacters: String {
    let always = HiddenCharacters.always.map { range in
      range.count == 1 ? escaped(range.lowerBound) : "\(escaped(range.lowerBound))-\(escaped(range.upperBound))"
    }
    let joined = #"[\u0600-\u200b\u200e-\u{10ffff}]"#
    let joiner = #"[\u200c\u200d]"#
    let selector = #"[\ufe00-\ufe0f]"#
    return [
      "[\(always.joined())]", "(?<!\(joined))\(joiner)", "\(joiner)(?!\(joined))", "(?<=\(selector))\(selector)",
      #"(?<![\u00a9-\u{10ffff}])"# + selector + #"(?!\u20e3)"#,
    ].joined(separator: "|")
  }

  private static func escaped(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16)
    return digits.count > 4 ? "\\u{\(digits)}" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func row(_ property: Property) -> String {
    let row = property.row
    var members = [
      ("name", quoted(row.wireName)), ("form", "'\(row.form.word)'"), ("decidesOutline", "\(row.decidesOutline)"),
    ]
    members.append(("parts", "[" + property.parts.map { "'\($0)'" }.joined(separator: ", ") + "]"))
    if let range = row.form.range {
      members += [("min", digits(range.lowerBound)), ("max", digits(range.upperBound))]
    }
    switch row.form {
    case .name: members.append(("bytesMax", "\(PropertyRules.nameBytesMax)"))
    case .text: members.append(("bytesMax", "\(PropertyRules.textBytesMax)"))
    case .choice(let field): members.append(("words", "[" + field.words.map(quoted).joined(separator: ", ") + "]"))
    default: break
    }
    if PropertyMask.rare.contains(property) {
      members += [("isRare", "true"), ("standard", property.defaultText.replacing("\"", with: "'"))]
    }
    if let unit = row.form.unit { members.append(("unit", "'\(unit)'")) }
    if let field = row.inspector {
      var inspector = [("label", quoted(field.label)), ("group", "'\(field.group)'")]
      let kinds = ShapeKind.allCases.filter { field.kinds.contains(ShapeKinds($0)) }.map { quoted($0.wireName) }
      inspector.append(
        ("kinds", kinds.count == ShapeKind.allCases.count ? "kinds" : "[\(kinds.joined(separator: ", "))]")
      )
      if let slider = field.slider ?? (row.form.isInteger ? row.form.range : nil) {
        let members = [
          ("min", digits(slider.lowerBound)), ("max", digits(slider.upperBound)), ("step", digits(field.step)),
        ]
        inspector.append(("slider", inline(members)))
      }
      members.append(("inspector", inline(inspector)))
    }
    return "  \(inline(members)),"
  }

  private static func inline(_ members: [(String, String)]) -> String {
    "{ " + members.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + " }"
  }

  // MARK: - Masks

  private static var masks: String {
    let bits =
      Property.allCases.map { (quotedName($0), "1 << \($0.rawValue)") } + [("shownName", "1 << \(Property.count)")]
    return """
      \(frozen("`changed & changedBit.position`: whether a shape was moved", "changedBit", object(bits)))

      /** A bit mask of the properties for which the name is true. */
      export function changedBits(isWanted: (row: Readonly<PropertyRow>) => boolean): number {
        return properties.reduce((mask, row, bit) => (isWanted(row) ? mask | 1 << bit : mask), 0)
      }
      """
  }

  private static func quotedName(_ property: Property) -> String { "\(property.wireName)" }

  // MARK: - A shape

  private static var shape: String {
    var lines = [
      "/** A shape that isn't deleted. Its name isn't in the row. */", "export interface Shape {", "  id: number",
    ]
    for property in Property.allCases where !property.parts.isEmpty {
      lines.append("  " + comment("\(property.row.meaning)"))
      lines += property.parts.map { "  \($0): \(property.form.typeWord)" }
    }
    lines += [
      "  /** Whether the shape has a name of its own. */", "  named: boolean",
      "  /** Whether the shape has a text. */", "  written: boolean",
      "  /** Whether the shape has a path of its own. */", "  led: boolean",
      "  /** The middle of a line's caption, as fractions of the box's sides. */",
      "  halfway: { x: number, y: number } | null",
      "  /** The number of shapes that are drawn before this one. */", "  place: number",
      "}",
    ]
    return lines.joined(separator: "\n")
  }

  private static var readShape: String {
    var lines = ["    id: numbers[at],"]
    for property in Property.allCases {
      for (place, part) in property.parts.enumerated() {
        let start = ShapeRow.start(of: property) + place
        lines.append("    \(part): \(property.form.reading("numbers[at + \(start)]", start: start)),")
      }
    }
    lines += [
      "    named: (numbers[at + \(ShapeRow.flags)] & shapeFlag.named) !== 0,",
      "    written: (numbers[at + \(ShapeRow.flags)] & shapeFlag.written) !== 0,",
      "    led: (numbers[at + \(ShapeRow.flags)] & shapeFlag.led) !== 0,",
      "    halfway: null,",
      "    place: numbers[at + \(ShapeRow.place)],",
    ]
    return """
      /** The indices of the numbers in a row, and how many numbers there are. */
      export const shapeRow = Object.freeze({
        position: \(ShapeRow.start(of: .position)),
        size: \(ShapeRow.start(of: .size)),
        flags: \(ShapeRow.flags),
        changed: \(ShapeRow.changed),
        by: \(ShapeRow.by),
        length: \(ShapeRow.length),
      })

      /** A point of a path in its box, both coordinates 0…65535, and how wide the line is there, in hundredths. */
      export type PathPoint = [x: number, y: number, width: number]

      /** What an end of a line is tied to, and where in that shape's box. */
      export type Tie = { shape: number, x: number, y: number }

      function readTie(numbers: Float64Array, at: number): Tie | null {
        return numbers[at] < 0 ? null : { shape: numbers[at], x: numbers[at + 1], y: numbers[at + 2] }
      }

      /** A shape without its text and its path, which are not in the row. */
      export function readShape(numbers: Float64Array, at: number): Shape {
        return {
      \(lines.joined(separator: "\n"))
        }
      }
      """
  }
}

// MARK: - Words

private func comment(_ words: String) -> String { "/** \(words.prefix(1).uppercased() + words.dropFirst()). */" }

private func quoted(_ text: StaticString) -> String { "'" + "\(text)".replacing("'", with: "\\'") + "'" }

private func digits(_ number: Double) -> String {
  var writer = JSONWriter()
  writer.value(number)
  return String(decoding: writer.finish(), as: UTF8.self)
}

extension ForEachProperty<Property> {
  fileprivate var all: [Property] { indices.map { self[$0] } }
}

extension Property {
  /// The names of this property's numbers in a TypeScript shape: two for a pair, otherwise one or none.
  fileprivate var parts: [String] {
    switch form {
    case .pair(let field, _): ["\(field.names.first)", "\(field.names.second)"]
    case .kind, .flag, .choice, .identifier, .color, .integer, .number: ["\(wireName)"]
    case .text, .path, .tie: ["\(wireName)"]
    case .erasure, .name, .orderKey: []
    }
  }
}

extension PropertyForm {
  fileprivate var word: String {
    switch self {
    case .erasure: "erasure"
    case .kind: "kind"
    case .name: "name"
    case .orderKey: "orderKey"
    case .text: "text"
    case .choice: "choice"
    case .identifier: "identifier"
    case .path: "path"
    case .tie: "tie"
    case .flag: "flag"
    case .color: "color"
    case .integer: "integer"
    case .number: "number"
    case .pair: "pair"
    }
  }

  fileprivate var isInteger: Bool {
    if case .integer = self { true } else { false }
  }

  var range: ClosedRange<Double>? {
    switch self {
    case .integer(_, let range, _): Double(range.lowerBound)...Double(range.upperBound)
    case .number(_, let range, _), .pair(_, let range): range
    case .erasure, .kind, .name, .orderKey, .text, .choice, .flag, .identifier, .path, .tie, .color: nil
    }
  }

  fileprivate var unit: PropertyUnit? {
    switch self {
    case .integer(_, _, let unit), .number(_, _, let unit): unit
    case .erasure, .kind, .name, .orderKey, .text, .choice, .flag, .identifier, .path, .tie, .color, .pair: nil
    }
  }

  fileprivate var typeWord: String {
    switch self {
    case .choice(let field): field.words.map(quoted).joined(separator: " | ")
    case .kind, .color, .name, .orderKey, .text: "string"
    case .identifier: "number | null"
    case .path: "PathPoint[]"
    case .tie: "Tie | null"
    case .flag, .erasure: "boolean"
    case .integer, .number, .pair: "number"
    }
  }

  /// A TypeScript expression that makes the value from a row's doubles.
  fileprivate func reading(_ number: String, start: Int) -> String {
    switch self {
    case .kind: "kinds[\(number)]"
    case .choice(let field):
      "([" + field.words.map(quoted).joined(separator: ", ") + "] as const)[\(number)]"
    case .flag: "\(number) === 1"
    case .identifier: "\(number) < 0 ? null : \(number)"
    case .color: "colorText(\(number))"
    // Texts and paths are not in the row: the page asks for them separately.
    case .text: "''"
    case .path: "[]"
    case .tie: "readTie(numbers, at + \(start))"
    case .integer, .number, .pair, .erasure, .name, .orderKey: number
    }
  }
}
