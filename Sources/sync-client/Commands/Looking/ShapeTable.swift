import CanvasCRDT
import TerminalCanvas

/// A room's shapes as a table, in z-order from back to front.
struct ShapeTable {
  private var table: Table
  private let shapeCount: Int
  /// `nil` if there are too many pairs to list them.
  private let pairCount: Int?

  /// A row of the table names at most this many overlapping shapes. For the rest, the row shows only their number.
  private static let neighboursMax = 3
  private static let overlapColumns = 72
  private static let tiedColumns = 20

  /// - Parameter stamps: each shape's newest stamp, which names the shape's last editor. `nil` leaves out the column of
  ///   the editors.
  init(_ stored: StoredDrawing, stamps: [Identifier: Stamp]?) throws {
    let picture = RoomPicture(stored.canvas)
    shapeCount = picture.order.count
    pairCount = picture.overlapCount
    table = Table([
      .init(heading: "#", isNumeric: true), .init(heading: "name", widthMax: 28), .init(heading: "kind"),
      .init(heading: "at", isNumeric: true), .init(heading: "size", isNumeric: true),
      .init(heading: "turned", isNumeric: true), .init(heading: "fill"), .init(heading: "alpha", isNumeric: true),
      .init(heading: ""), .init(heading: "text", widthMax: 40),
      .init(heading: "overlaps", widthMax: ShapeTable.overlapColumns), .init(heading: "identifier"),
      .init(heading: "written"), .init(heading: "by"),
    ])
    var shares = PairShares(picture)
    let canvas = stored.canvas
    for (index, place) in picture.order.places.enumerated() {
      try Task.checkCancellation()
      guard let shape = canvas[place.shape]?.drawn({ canvas[$0] }) else { continue }
      let properties = shape.properties
      let name = picture.names.name(of: shape.id) ?? shape.baseName
      let stamp = stamps?[shape.id]
      table.add([
        .init("\(index + 1)", .faint), .init(name.string, .strong),
        .init(Text(properties.kind.words).string.lowercased()),
        .init(properties.position.words), .init(properties.size.words),
        .init(properties.rotation == 0 ? "" : "\(Figures.rounded(properties.rotation))°"),
        .init(properties.color.text, .color(properties.color)),
        .init(properties.alpha == 10 ? "" : TenthsWords.text(properties.alpha)),
        .init(ShapeTable.marks(of: properties, picture.names), .faint), .init(TextWords.inOneLine(properties.text)),
        .init(ShapeTable.overlaps(of: shape, &shares), .warning), .init(shape.id.text, .faint),
        .init(stamp.map { TimeWords.shown($0.milliseconds) } ?? ""), .init(stamp?.actor.text ?? ""),
      ])
    }
  }

  private static func marks(of properties: Properties, _ names: ShownNames) -> String {
    let marks = [
      (properties.visible, "hidden"), (properties.isFilled, "no fill"), (!properties.isLocked, "locked"),
      (properties.group == nil, "grouped"),
    ]
    return (ties(of: properties, names) + marks.filter { !$0.0 }.map { $0.1 }).joined(separator: ", ")
  }

  /// The shapes to which a line's ends are attached: `Sun → Moon`, or `Sun →` if the other end is free.
  private static func ties(of properties: Properties, _ names: ShownNames) -> [String] {
    guard properties.kind == .line else { return [] }
    let ends = [properties.from, properties.to].map { tie in
      tie.flatMap { names.name(of: $0.shape)?.string.fittingWithEnd(tiedColumns) } ?? ""
    }
    guard ends != ["", ""] else { return [] }
    return [[ends[0], "→", ends[1]].filter { !$0.isEmpty }.joined(separator: " ")]
  }

  /// The shapes that overlap this one, largest overlap first: `Moon 38 %, Cloud 2 %`.
  private static func overlaps(of shape: Shape, _ shares: inout PairShares) -> String {
    let picture = shares.picture
    let neighbours = picture.overlaps.neighbours(of: shape.id)
    // The table has space for only a few, and the shares of many would leave no work for other rows.
    guard neighbours.count <= 64 else { return "\(neighbours.count) shapes" }
    let told = neighbours.map { neighbour -> (name: String, share: Double?) in
      (picture.names.name(of: neighbour)?.string ?? neighbour.text, shares.of(ShapePair(shape.id, neighbour)))
    }
    let most = told.sorted { ($0.share ?? 0, $1.name) > ($1.share ?? 0, $0.name) }
    let rest = most.count > neighboursMax ? ["\(most.count - neighboursMax) more"] : []
    func list(_ nameColumns: Int) -> String {
      let words = most.prefix(neighboursMax).map { neighbour in
        ([neighbour.name.fittingWithEnd(nameColumns)] + [neighbour.share].compactMap { $0.map(Figures.percentage) })
          .joined(separator: " ")
      }
      return (words + rest).joined(separator: ", ")
    }
    let whole = list(.max)
    return whole.columns <= overlapColumns
      ? whole : list((overlapColumns - (rest.first?.columns ?? 0)) / neighboursMax - " 100 %, ".count)
  }

  func lines(for output: Output) -> [String] {
    let overlaps = Figures.overlaps(pairCount)
    let shapes = Figures.counted(shapeCount, "shape")
    guard shapeCount > 0 else { return ["no shapes"] }
    return table.lines(for: output) + ["", "\(shapes), \(overlaps)"]
  }
}

/// How much two shapes overlap. It is computed once and used in the rows of both.
private struct PairShares {
  let picture: RoomPicture
  private var found: [ShapePair: Double?] = [:]
  private var areas = CommonAreas()

  init(_ picture: RoomPicture) { self.picture = picture }

  mutating func of(_ pair: ShapePair) -> Double? {
    // The first shape's row has stored the share. The second shape's row takes it out.
    if let share = found.removeValue(forKey: pair) { return share }
    guard let first = picture.overlaps.outline(of: pair.first), let second = picture.overlaps.outline(of: pair.second)
    else { return 0 }
    let share = areas.share(first, second)
    found[pair] = share
    return share
  }
}
