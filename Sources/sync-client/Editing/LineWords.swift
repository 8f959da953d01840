import CanvasCRDT

/// The ends and points of a line as users type them: `from=Sun to=Moon,0,0.5 through='10,10 200,50'`. These words name
/// shapes, so they can be resolved only after the room is joined.
struct LineWords {
  /// One end of a line. `tie` is the shape to which this end is attached, or `nil` if this end is free.
  private struct End {
    let word: String
    let tie: (shape: String, x: Double, y: Double)?
  }

  private var from: End?
  private var to: End?
  private var through: [Point]?

  static let help =
    "Lines have from=SHAPE and to=SHAPE, which tie their ends to the middle of a shape, or to another place of its box: "
    + "from=Sun,0,0.5 is the middle of its left side; from=none loosens it. through='10,10 200,50' leads through places of "
    + "the canvas, path='0,0 0.5,1 1,0' through places of the line's own box."

  var isEmpty: Bool { from == nil && to == nil && through == nil }

  /// Removes the words `from=…`, `to=…` and `through=…` from `words`, and reads them.
  init(takingFrom words: inout [String]) throws(ClientFailure) {
    var others: [String] = []
    for word in words {
      if let value = LineWords.value(of: "from", in: word) {
        from = try LineWords.end(value, word)
      } else if let value = LineWords.value(of: "to", in: word) {
        to = try LineWords.end(value, word)
      } else if let value = LineWords.value(of: "through", in: word) {
        let points = PathWords.points(value, within: PropertyRules.coordinates)
        guard let points else {
          throw .usage("\(word): through is 2 to 1024 places of the canvas, such as through='10,10 200,50'")
        }
        through = points
      } else {
        others.append(word)
      }
    }
    words = others
  }

  private static func value(of name: String, in word: String) -> String? {
    word.hasPrefix("\(name)=") ? String(word.dropFirst(name.count + 1)) : nil
  }

  private static func end(_ value: String, _ word: String) throws(ClientFailure) -> End {
    if value == "none" { return End(word: word, tie: nil) }
    let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    // The numbers are the last two parts, because a shape's name can contain commas.
    if parts.count > 2, let x = Double(parts[parts.count - 2]), let y = Double(parts[parts.count - 1]) {
      guard (0...1).contains(x), (0...1).contains(y) else {
        throw .usage("\(word): a place in a shape's box is two numbers from 0 to 1, such as Sun,0,0.5")
      }
      return End(word: word, tie: (parts.dropLast(2).joined(separator: ","), x, y))
    }
    return End(word: word, tie: (value, 0.5, 0.5))
  }

  // MARK: - In a room

  /// Writes where the line's ends are attached, and the line's new points. `line` is the line before the edit, if it
  /// exists.
  @ClientLoop
  func write(to set: inout Properties, over line: Shape?, in editor: RoomEditor) async throws {
    guard !isEmpty else { return }
    try await refuse(for: set.assigned.contains(.kind) ? set.kind : line?.properties.kind ?? .line, in: editor)
    let canvas = editor.canvas
    var points = through ?? line.map { canvas.drawn($0) }?.pathPoints ?? []
    let isNew = points.isEmpty
    if isNew {
      let start = set.assigned.contains(.position) ? set.position : Point(x: 0, y: 0)
      points = [start, Point(x: start.x + set.size.width, y: start.y + set.size.height)]
    }
    if let from, let end = try await point(of: from, in: editor) {
      set.from = end.tie
      if let at = end.at {
        points[0] = at
        // If a new line's other end isn't given, the line leads away from the shape to which this end is attached.
        if isNew, to == nil { points[1] = Point(x: at.x + LineWords.length, y: at.y) }
      }
    }
    if let to, let end = try await point(of: to, in: editor) {
      set.to = end.tie
      if let at = end.at {
        points[points.count - 1] = at
        if isNew, from == nil { points[0] = Point(x: at.x - LineWords.length, y: at.y) }
      }
    }
    set.lead(through: points)
    // The points are positions on the canvas, so the line's box must not be rotated.
    if let line, line.properties.rotation != 0 { set.rotation = 0 }
  }

  /// Fails if a shape of this kind can't have the ends or points that the user has given.
  @ClientLoop
  private func refuse(for kind: ShapeKind, in editor: RoomEditor) async throws {
    if let end = from ?? to, kind != .line {
      throw await editor.fail("\(end.word): only a line has ends that can be tied")
    }
    if !kind.isStroke { throw await editor.fail("through: only a line or ink leads through points") }
  }

  /// The length of a new line whose second end isn't given.
  static let length = 200.0

  @ClientLoop
  private func point(of end: End, in editor: RoomEditor) async throws -> (tie: Tie?, at: Point?)? {
    guard let tie = end.tie else { return (nil, nil) }
    let id = try await editor.find(tie.shape)
    guard let shape = editor.canvas[id], !shape.properties.kind.isStroke else {
      throw await editor.fail("\(end.word): a line can't be tied to a line or to ink")
    }
    let place = BoxPlace(shareX: tie.x, shareY: tie.y)
    return (Tie(shape: id, place: place), shape.point(of: place))
  }
}
