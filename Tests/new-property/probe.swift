// Checks that everything handles the new property `blur`, of which this file knows only the name and a value.

import Foundation

extension String {
  /// A stand-in, because the terminal's own version depends on too much other code.
  var printable: String { self }
}

@main
struct Probe {
  static let shape = Identifier("afy-kw5-t7o")!
  static let stamp = Stamp(milliseconds: 1_000, counter: 0, actor: Identifier("k3j-9x2-m1p")!)!
  static let value = 12.5

  nonisolated(unsafe) static var failures = 0

  static func main() throws {
    if CommandLine.arguments.last == "tables" { return try writeTables() }
    try checkCore()
    try checkBoundary()
    try checkTerminal()
    if failures > 0 { exit(1) }
  }

  static func expect(_ holds: Bool, _ words: String) {
    if holds { return }
    failures += 1
    print("blur is passed over by \(words)")
  }

  static var property: Property {
    let found = Property.allCases.first { "\($0.wireName)" == "blur" }
    guard let found else { fatalError("the patch adds no blur") }
    return found
  }

  static func set(_ value: Double) -> Properties {
    var set = Properties()
    guard case .number(let field, _, _) = property.form else { fatalError("blur is no number") }
    set[field] = value
    return set
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - What is generated from the table of properties

  static func writeTables() throws {
    try TypeScriptTable.text.write(toFile: TypeScriptTable.path, atomically: true, encoding: .utf8)
    let page = try ProtocolPage.filled(try String(contentsOfFile: ProtocolPage.path, encoding: .utf8))
    let rows = page.split(separator: "\n").filter { $0.contains("| `blur` |") }
    expect(rows.count == 3, "docs/PROTOCOL.md, which has \(rows.count) of 3 rows")
    if failures > 0 { exit(1) }
  }

  // MARK: - The core

  static func checkCore() throws {
    expect(PropertyMask.all.contains(property), "PropertyMask.all")
    expect(PropertyMask.registers.contains(property), "PropertyMask.registers")
    let operation = Operation(shape: shape, at: stamp, set: set(value))
    let message = ClientMessage.operations(Submission(id: nil, operations: [ProposedOperation(operation)]))
    expect(try BinaryEncoding.decodeClientMessage(BinaryEncoding.encode(message)) == message, "the binary encoding")
    expect(try JSONEncoding.decodeClientMessage(JSONEncoding.encode(message)) == message, "JSON")
    expect(text(JSONEncoding.encode(message)).contains("\"blur\":12.5"), "what JSON writes")

    var canvas = Canvas(seed: 1)
    var made = set(value)
    made.kind = .star
    canvas.apply(Operation(shape: shape, at: stamp, set: made))
    let state = BinaryEncoding.encode(state: canvas)
    let read = try state.withUnsafeBytes { (bytes) throws(MessageError) in
      try BinaryEncoding.decodeState(bytes, shapesMax: 9, seed: 1)
    }
    expect(read == canvas && read[shape]?.properties == made, "a state's columns")
    expect(read.digest == canvas.digest && canvas.stamp(of: property, in: shape) == stamp, "the registers")

    let document = Drawing(canvas).document()
    expect(text(document).contains("\"blur\":12.5"), "documents")
    let json = "{\"ops\":[{\"shape\":\"afy-kw5-t7o\",\"set\":{\"blur\":1000}}]}"
    do throws(MessageError) {
      _ = try JSONEncoding.decodeSubmission(Array(json.utf8))
      expect(false, "the check of ranges")
    } catch {
      let words = "blur must be a number from 0 to 100"
      if case .rejected(let rejection) = error { expect(rejection.message == Text(words), "the words of a refusal") }
    }
  }

  // MARK: - Between Swift and JavaScript

  static func checkBoundary() throws {
    let rows = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "values.bin")))
    rows.withUnsafeBytes { bytes in
      var reader = ValueRowReader(bytes)
      let row = try? reader.next()
      expect(row?.shape == shape && row?.set == set(value), "rows of values")
    }
    var canvas = Canvas(seed: 1)
    var made = set(value)
    made.kind = .star
    canvas.apply(Operation(shape: shape, at: stamp, set: made))
    var output = OutputBuffer()
    var change = UnseenChanges.ShapeChange()
    change.mask = PropertyMask().inserting(property).rawValue
    output.append(canvas[shape]!, place: 0, change: change)
    expect(output.count == ShapeRow.length * 8, "the length of a shape's row")
    try Data(bytes: output.start!, count: output.count).write(to: URL(fileURLWithPath: "shape.bin"))
  }

  // MARK: - The terminal

  static func checkTerminal() throws {
    expect(try PropertyWords.read(["blur=12.5"]) == set(value), "the terminal's properties")
    expect(PropertyWords.help.contains("blur=0"), "the terminal's help")
    expect(ChangeWords.sentence("Sun", set(value)) == "gave Sun a blur of 12.5", "the terminal's sentences")
  }
}
