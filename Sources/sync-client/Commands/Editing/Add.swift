import CanvasCRDT

/// The command `add`, which makes a shape.
enum Add {
  static let command = Command(
    name: "add",
    group: .editing,
    operands: [.one("ROOM"), .optional("KIND"), .any("PROPERTY=VALUE")],
    summary: "add a shape: a rectangle, ellipse, star, line, arrow, text, note and others",
    details: [
      "KIND is rectangle, roundedRectangle, ellipse, polygon, star, text, line or ink; or arrow, square, circle, note or "
        + "random, which are these with something chosen for you.",
      PropertyWords.help, LineWords.help,
      "Without a fill it gets a bright colour. Without a position it goes where it overlaps nothing, as near to the "
        + "middle as possible.",
    ],
    examples: [
      "add demo", "add demo star name=Sun fill=gold points=12", "add demo circle position=100,100",
      "add demo note text='Buy milk,\\nand bread'", "add demo arrow from=Sun to=Moon",
    ]
  ) { invocation in
    var words = Array(invocation.arguments.operands.dropFirst())
    let lineWords = try LineWords(takingFrom: &words)
    let hasKind = words.first.map { !$0.contains("=") } ?? false
    let kind = hasKind ? words.first! : "square"
    let given = try PropertyWords.read(Array(words.dropFirst(hasKind ? 1 : 0)))
    guard var set = shape(of: kind, over: given) else {
      throw ClientFailure.usage(
        KindWords.complaint(kind, among: KindWords.all + ["arrow", "square", "circle", "note", "random"])
      )
    }
    let editor = try await RoomEditor.open(invocation)
    try await lineWords.write(to: &set, over: nil, in: editor)
    if !set.assigned.contains(.position), let place = freePlace(for: set, in: editor.picture) {
      set.position = place
    }
    var random = SystemRandomNumberGenerator()
    var edits: [ShapeEdit] = []
    if !set.assigned.contains(.z) {
      let insertion = editor.picture.order.inserting(1, at: editor.picture.order.count, using: &random)
      edits = insertion.moved.map { ShapeEdit(shape: $0.shape, key: $0.key) }
      if let key = insertion.keys.first { set.z = key }
    }
    return try await editor.commit(edits + [ShapeEdit(shape: Identifier.random(using: &random), set: set)])
  }

  /// The properties from the command line, completed with the defaults of the kind of shape.
  private static func shape(of kind: String, over given: Properties) -> Properties? {
    var random = SystemRandomNumberGenerator()
    var set = given
    var standard = Properties()
    switch kind {
    case "random":
      var factory = ShapeFactory(area: Rect(origin: Point(x: 0, y: 0), size: Size(width: 800, height: 600)))
      factory.widths = 60...200
      factory.heights = 60...200
      factory.alphas = 7...10
      standard = factory.make(using: &random).1
    case "square", "circle":
      standard.kind = kind == "square" ? .rectangle : .ellipse
      standard.size = Size(width: ShapeFactory.sideLength, height: ShapeFactory.sideLength)
    case "note":
      standard.kind = .rectangle
      standard.size = Size(width: 200, height: 200)
    case "line", "arrow":
      standard.kind = .line
      standard.size = Size(width: LineWords.length, height: 1)
      // A line with a box but without points goes from one corner of the box to the opposite corner.
      if !given.assigned.contains(.size) {
        standard.path = Path([BoxPlace(x: 0, y: 0), BoxPlace(x: BoxPlace.end, y: 0)].map { Path.Point($0) }) ?? .none
      }
      standard.stroke = Color(packed: 0x76_76_76)
      standard.strokeWidth = 4
      if kind == "arrow" { standard.toEnd = .arrow }
    case "ink":
      standard.kind = .ink
      standard.size = Properties().size
      standard.stroke = Color(packed: 0x2F_6F_ED)
      standard.strokeWidth = 4
    case "text":
      standard.kind = .text
      standard.size = TextBox.size(of: given.text, textSize: given.textSize)
      standard.textAlign = .left
      standard.textPlace = .top
    default:
      guard let known = try? KindWords.kind(kind) else { return nil }
      standard.kind = known
      standard.size = Properties().size
    }
    if !standard.kind.isStroke {
      set.fill = given.assigned.contains(.fill) ? given.fill : fill(of: kind, using: &random)
    }
    // The fill is set above. The position and the rotation come from the command line, or are decided later.
    for property in standard.assigned.subtracting([.position, .rotation, .fill])
    where !given.assigned.contains(property) {
      set.take(property, from: standard)
    }
    return set
  }

  /// The default fill. For notes and texts it is the page's default, and for other shapes a random bright colour.
  private static func fill(of kind: String, using random: inout some RandomNumberGenerator) -> Color {
    switch kind {
    case "note": Color(packed: 0xFFE27A)
    case "text": Color(packed: 0x767676)
    default: Color.bright(using: &random)
    }
  }

  /// The position nearest to the drawing's middle where the rotated shape overlaps nothing.
  private static func freePlace(for set: Properties, in picture: RoomPicture) -> Point? {
    let bounds = Outline(
      kind: set.kind,
      position: Point(x: 0, y: 0),
      size: set.size,
      rotation: set.rotation,
      cornerRadius: set.cornerRadius,
      points: Int(set.points),
      innerRatio: set.innerRatio
    ).bounds
    let others = picture.order.places.compactMap { picture.overlaps.outline(of: $0.shape)?.bounds }
    var middle = bounds.center
    if let first = others.first { middle = others.dropFirst().reduce(first) { $0.union($1) }.center }
    let near = Point(x: middle.x - bounds.size.width / 2, y: middle.y - bounds.size.height / 2)
    guard let place = picture.overlaps.freePlace(for: bounds.size, near: near) else { return nil }
    return Point(x: place.x - bounds.minX, y: place.y - bounds.minY)
  }
}

extension ShapeEdit {
  /// Properties that only move a shape to a new place in the z-order.
  init(shape: Identifier, key: OrderKey) {
    var set = Properties()
    set.z = key
    self.init(shape: shape, set: set)
  }
}
