import Testing

@testable import CanvasCRDT

/// Checks every row of the table, including rows that are added later.
@Suite("The table of properties")
struct PropertyTableTests {
  private let shape = Identifier("afy-kw5-t7o")!

  /// Sets the property to an allowed value that is not the default.
  private func assign(_ property: Property, in set: inout Properties) {
    switch property.form {
    case .erasure: set.delete()
    case .kind: set.kind = .star
    case .name: set.name = "Sun"
    case .orderKey: set.z = WireSamples.key("Z1")
    case .text: set.text = "Buy milk,\nand \"bread\""
    case .choice(let field): set[field] = set[field] == 0 ? 1 : 0
    case .identifier(let field): set[field] = shape
    case .path: set.path = Path([Path.Point(BoxPlace(x: 0, y: 9)), Path.Point(BoxPlace(x: 700, y: .max), width: 7)])!
    case .tie(let field): set[field] = Tie(shape: shape, place: BoxPlace(x: 1, y: .max))
    case .flag(let field): set[field].toggle()
    case .color(let field): set[field] = Color(red: 1, green: 2, blue: 3)
    case .integer(let field, let range, _):
      set[field] = set[field] == range.lowerBound ? range.upperBound : range.lowerBound
    case .number(let field, let range, _):
      set[field] = set[field] == range.lowerBound ? range.upperBound : range.lowerBound
    case .pair(let field, let range): set[field] = (range.lowerBound, range.upperBound)
    }
  }

  private func set(_ property: Property) -> Properties {
    var set = Properties()
    assign(property, in: &set)
    return set
  }

  @Test("every property has its bit, its place in the order and a name of its own")
  func cases() {
    #expect(Property.allCases.count == Property.count)
    #expect(Property.allCases.map { Int($0.rawValue) } == Array(0..<Property.count))
    #expect(Property.byBit.indices.map { Property.byBit[$0] } == Property.allCases)
    #expect(Set(Property.inOrder.indices.map { Property.inOrder[$0] }) == Set(Property.allCases))
    #expect(Set(Property.allCases.map { "\($0.wireName)" }).count == Property.count)
    #expect(Property.count < 32, "a mask has 32 bits, and JavaScript needs one more for the name as it is shown")
    for property in Property.allCases {
      let name = property.wireName
      let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      #expect(Property(wireName: bytes) == property)
      #expect(Property(wireName: UnsafeRawBufferPointer(rebasing: bytes.dropLast())) == nil)
    }
    #expect(Property(wireName: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
  }

  @Test("assigning a property assigns that one and leaves the others", arguments: Property.allCases)
  func storage(property: Property) {
    let set = set(property)
    #expect(Array(set.assigned) == [property])
    #expect(property == .deleted || !set.agrees(on: property, with: Properties()))
    for other in Property.allCases where other != property {
      #expect(set.agrees(on: other, with: Properties()), "\(other)")
    }
    var taken = Properties()
    taken.take(property, from: set)
    #expect(taken == set)
    taken.clear(property)
    #expect(taken == Properties())
  }

  @Test("a value comes back from the binary encoding, from JSON and from a state", arguments: Property.allCases)
  func wire(property: Property) throws {
    let stamp = WireSamples.stamp(1_000)
    let operation = CanvasCRDT.Operation(shape: shape, at: stamp, set: set(property))
    let message = ClientMessage.operations(Submission(id: nil, operations: [ProposedOperation(operation)]))
    #expect(try BinaryEncoding.decodeClientMessage(BinaryEncoding.encode(message)) == message)
    #expect(try JSONEncoding.decodeClientMessage(JSONEncoding.encode(message)) == message)
    let json = String(decoding: JSONEncoding.encode(message), as: UTF8.self)
    #expect(json.contains("\"set\":{\"\(property.wireName)\":"), "\(json)")

    var canvas = Canvas()
    canvas.apply(operation)
    #expect(canvas.stamp(of: property, in: shape) == stamp)
    let read = try BinaryEncoding.encode(state: canvas).withUnsafeBytes { (bytes) throws(MessageError) in
      try BinaryEncoding.decodeState(bytes, shapesMax: 1, seed: 1)
    }
    #expect(read == canvas)
    #expect(read.stateParts()[0].operations == [operation])
  }

  @Test("a value out of range is refused, and the words say what is allowed", arguments: Property.allCases)
  func ranges(property: Property) throws {
    #expect(throws: Never.self) { try set(property).check() }
    #expect(throws: Never.self) { try Properties().check() }
    var wrong: [Properties] = []
    switch property.form {
    case .integer(let field, let range, _):
      #expect(range.lowerBound >= 0 && range.upperBound <= 255, "one byte on the wire")
      for value in [range.lowerBound - 1, range.upperBound + 1] {
        wrong.append(Properties { $0[field] = value })
      }
    case .number(let field, let range, _):
      for value in [range.lowerBound.nextDown, range.upperBound.nextUp, .nan] {
        wrong.append(Properties { $0[field] = value })
      }
    case .pair(let field, let range):
      wrong.append(Properties { $0[field] = (range.lowerBound.nextDown, range.upperBound) })
      wrong.append(Properties { $0[field] = (range.lowerBound, .nan) })
    case .name: wrong.append(Properties { $0.name = "" })
    case .text:
      for text: Text in ["a tab\t", "\u{7F}", "\u{85}", Text(String(repeating: "é", count: 2_049))] {
        wrong.append(Properties { $0.text = text })
      }
      let longest = Properties { $0.text = Text(String(repeating: "é", count: 2_048)) }
      #expect(throws: Never.self) { try longest.check() }
    case .erasure, .kind, .orderKey, .flag, .color, .choice, .identifier, .path, .tie: break
    }
    for set in wrong { #expect(throws: PropertyProblem(property)) { try set.check() } }
    #expect(PropertyProblem(property).message.string.hasPrefix("\(property.wireName) must be "))
  }

  @Test("a value that is none of the choices is answered with all of them")
  func choices() {
    #expect(PropertyProblem(.textAlign).message == "textAlign must be left, center or right")
    #expect(PropertyProblem(.textPlace).message == "textPlace must be top, middle or bottom")
  }

  @Test("a value out of range is answered with the range, and with the unit of an angle")
  func words() {
    for (property, words) in [
      (.alpha, "alpha must be a whole number from 1 to 10"),
      (.strokeWidth, "strokeWidth must be a number from 0 to 1000"),
      (.rotation, "rotation must be a number of degrees from -1000000 to 1000000"),
      (.position, "position must be [x, y], each a number from -10000000 to 10000000"),
    ] as [(Property, Text)] {
      #expect(PropertyProblem(property).message == words)
    }
  }

  @Test("what is told of a change names the shape and its new value", arguments: Property.allCases)
  func told(property: Property) {
    let told = "\(property.row.told)"
    #expect(told.contains("{shape"))
    // Order keys tell people nothing. A flag has a word for each of its two values.
    if property != .deleted, property != .z { #expect(told.contains("{value}") || told.contains("|"), "\(told)") }
  }

  @Test("a state's packed columns keep the widths that stored states have")
  func widths() {
    let widths = Property.allCases.filter { $0.form.packedWidth > 0 }.map { "\($0) \($0.form.packedWidth)" }
    #expect(
      widths.starts(with: [
        "alpha 4", "visible 1", "kind 3", "points 7", "textAlign 2", "textPlace 2", "dash 2", "filled 1", "locked 1",
      ]),
      "another width needs another version of the columns"
    )
  }
}
