import CanvasCRDT

extension RoomEditor {
  /// A shape by its identifier or the name that it shows.
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
  /// Names go before identifiers: whoever calls a shape `abc-def-ghi` means it. Capitals matter only where they decide.
  static func find(_ word: String, among names: ShownNames, on canvas: Canvas) -> Identifier? {
    if let shape = names.identifier(named: Text(word)) { return shape }
    if let shape = Identifier(word), canvas[shape] != nil { return shape }
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
    guard !names.isEmpty else { return "\(room.text) has no shape \(word), nor any other" }
    let more = picture.order.count > names.count ? ", …" : ""
    return "\(room.text) has no shape \(word); it has \(names.joined(separator: ", "))\(more)"
  }
}
