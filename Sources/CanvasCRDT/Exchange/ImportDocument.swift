/// Reads a document for import: list by list, shape by shape, member by member.
struct ImportDocument {
  private var reader: JSONReader
  private var list = ImportError.Place.List.shapes
  private let names: Import.Names

  init(_ bytes: UnsafeRawBufferPointer, _ names: Import.Names) throws(JSONFailure) {
    self.names = names
    reader = try JSONReader(validating: bytes, quotes: .doubleOrSingle)
  }

  mutating func shapes(maximum: Int) throws(ImportError) -> [ImportedShape] {
    guard findsList() else { throw .unknownDocument }
    guard reader.entersArray() else { throw .invalid(.init(list), "must be a list") }
    var shapes: [ImportedShape] = []
    var identifiers = IdentifierSet()
    while reader.hasElement() {
      guard shapes.count < maximum else { throw .tooManyShapes(maximum: maximum) }
      let index = shapes.count
      guard entersObject() else { throw .invalid(.init(list, index), "must be an object") }
      let shape = list == .squares ? try square(index) : try shape(index)
      if let id = shape.id, !identifiers.insert(id).isNew {
        throw .invalid(.init(list, index, "id"), "id is the id of an earlier shape")
      }
      shapes.append(shape)
    }
    return shapes
  }

  /// Moves on to the value of the document's first list. Returns whether there is such a list.
  private mutating func findsList() -> Bool {
    guard entersObject() else { return false }
    while let key = reader.memberKey() {
      switch key {
      case "squares":
        list = .squares
        return true
      case "shapes":
        list = .shapes
        return true
      default:
        reader.passOver()
      }
    }
    return false
  }

  private mutating func entersObject() -> Bool { (try? reader.beginObject()) != nil }

  // MARK: - A drawing's shape

  private mutating func shape(_ index: Int) throws(ImportError) -> ImportedShape {
    var shape = ImportedShape(properties: Properties())
    while let key = reader.memberKey() {
      if "id" ~= key {
        guard let id = reader.identifier() else {
          throw .invalid(.init(list, index, "id"), "id must be three groups of three of 0-9a-z, as in afy-kw5-t7o")
        }
        shape.id = id
      } else if let property = key.withBytes({ Property(wireName: $0) }), property != .deleted {
        guard takes(property, in: &shape) else { throw refusal(of: property, index) }
      } else {
        reader.passOver()
      }
    }
    guard shape.properties.assigned.contains(.kind) else { throw refusal(of: .kind, index) }
    if shape.hasMadeUpName { shape.properties.clear(.name) }
    return shape
  }

  private mutating func takes(_ property: Property, in shape: inout ImportedShape) -> Bool {
    guard shape.properties.read(property, from: &reader) else { return false }
    if property == .name { takeName(of: &shape) }
    return (try? shape.properties.keeping([property]).check()) != nil
  }

  private func takeName(of shape: inout ImportedShape) {
    if names == .cleaned, HiddenCharacters.occur(in: shape.properties.name) {
      shape.hasCleanedName = true
      shape.properties.name = HiddenCharacters.removed(from: shape.properties.name)
    }
    // A name that consisted only of invisible characters is treated as no name.
    guard !shape.hasCleanedName || !shape.properties.name.isEmpty else { return shape.properties.clear(.name) }
    shape.properties.name = ImportDocument.ownName(ofShown: shape.properties.name)
  }

  /// Removes the number from a shown name if the name is too long for a shape's own name. The number tells the shape
  /// from others of the same name, and is added again whenever the name is shown.
  private static func ownName(ofShown name: Text) -> Text {
    guard name.utf8Count > PropertyRules.nameBytesMax, let numbered = NumberedName(name) else { return name }
    return numbered.name
  }

  private func refusal(of property: Property, _ index: Int) -> ImportError {
    .invalid(.init(list, index, Text(property.wireName)), PropertyProblem(property).message)
  }

  // MARK: - A layout's square

  private mutating func square(_ index: Int) throws(ImportError) -> ImportedShape {
    var x: Double?
    var y: Double?
    var side: Double?
    var fill: Color?
    while let key = reader.memberKey() {
      switch key {
      case "x": x = try number(in: PropertyRules.coordinates, index, "x")
      case "y": y = try number(in: PropertyRules.coordinates, index, "y")
      case "size": side = try number(in: PropertyRules.sides, index, "size")
      case "colour":
        // `color` counts if both are given (H8).
        let colour = try color(index, "colour")
        fill = fill ?? colour
      case "color": fill = try color(index, "color")
      default: reader.passOver()
      }
    }
    guard let x else { throw missing("x", index) }
    guard let y else { throw missing("y", index) }
    guard let side else { throw missing("size", index) }
    guard let fill else { throw missing("colour", index) }
    var square = Properties()
    square.kind = .rectangle
    square.position = Point(x: x, y: y)
    square.size = Size(width: side, height: side)
    square.fill = fill
    return ImportedShape(properties: square)
  }

  private func missing(_ member: Text, _ index: Int) -> ImportError {
    .invalid(.init(list, index, member), "is missing")
  }

  private mutating func number(
    in range: ClosedRange<Double>,
    _ index: Int,
    _ member: Text
  ) throws(ImportError) -> Double {
    if let number = reader.number(), range.contains(number) { return number }
    throw .invalid(
      .init(list, index, member),
      Text("must be a number").appending(from: range.lowerBound, to: range.upperBound)
    )
  }

  private mutating func color(_ index: Int, _ member: Text) throws(ImportError) -> Color {
    guard let color = reader.color() else {
      throw .invalid(.init(list, index, member), "must be a colour as #RRGGBB")
    }
    return color
  }
}

extension ImportedShape {
  /// Whether the shape's name was generated by a program. Such a name is dropped, and a new one is generated.
  fileprivate var hasMadeUpName: Bool {
    guard let id, properties.assigned.contains(.name) else { return false }
    return Shape.isMadeUp(properties.name, for: id)
  }
}
