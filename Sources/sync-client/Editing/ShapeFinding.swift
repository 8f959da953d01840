import CanvasCRDT

extension RoomEditor {
  /// Finds a shape by its shown name or its identifier.
  func find(_ word: String) async throws -> Identifier {
    if let shape = ShapeFinding.find(word, among: picture.names, on: canvas) { return shape }
    throw await fail(ShapeFinding.complaint(word, among: picture, in: client.room))
  }

  func find(_ words: some Sequence<String>) async throws -> [Identifier] {
    var shapes: [Identifier] = []
    for word in words { shapes.append(try await find(word)) }
    return shapes
  }
}

enum ShapeFinding {
  /// Identifiers are tried before names. Otherwise a shape whose name is another's identifier would be deleted in its
  /// place. Upper and lower case of names matter only if two names differ in nothing else.
  static func find(_ word: String, among names: ShownNames, on canvas: Canvas) -> Identifier? {
    if let shape = Identifier(word), canvas[shape] != nil { return shape }
    if let shape = names.identifier(named: Text(word)) { return shape }
    let small = word.lowercased()
    var found: Identifier?
    for shape in canvas.shapes where names.name(of: shape.id)?.string.lowercased() == small {
      if found != nil { return nil }
      found = shape.id
    }
    return found
  }

  static func complaint(_ word: String, among picture: RoomPicture, in room: RoomName) -> String {
    let names = picture.order.places.reversed().prefix(5).compactMap { picture.names.name(of: $0.shape)?.string }
    guard !names.isEmpty else { return "\(room.text) has no shape \(word); it has no shapes at all" }
    let more = picture.order.count > names.count ? " and \(picture.order.count - names.count) more" : ""
    return "\(room.text) has no shape \(word); it has \(names.joined(separator: ", "))\(more)"
  }
}
