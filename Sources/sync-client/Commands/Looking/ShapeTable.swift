import CanvasCRDT

/// A room's shapes as a table, from the back to the front.
struct ShapeTable {
  private var table: Table
  private let shapeCount: Int
  private let pairCount: Int

  /// More neighbours than these of one shape are told as a number.
  private static let neighboursMax = 3

  /// - Parameter stamps: who wrote to each shape last; nothing where that isn't asked.
  init(_ stored: StoredDrawing, stamps: [Identifier: Stamp]?) {
    let picture = RoomPicture(stored.canvas)
    shapeCount = picture.order.count
    pairCount = picture.overlaps.pairCount
    table = Table([
      .init(heading: "#", isNumeric: true), .init(heading: "name", widthMax: 28), .init(heading: "kind"),
      .init(heading: "at", isNumeric: true), .init(heading: "size", isNumeric: true),
      .init(heading: "turned", isNumeric: true), .init(heading: "fill"), .init(heading: "alpha", isNumeric: true),
      .init(heading: ""), .init(heading: "overlaps", widthMax: 72), .init(heading: "identifier"),
      .init(heading: "written"), .init(heading: "by"),
    ])
    for (index, place) in picture.order.places.enumerated() {
      guard let shape = stored.canvas[place.shape] else { continue }
      let properties = shape.properties
      let name = picture.names.name(of: shape.id) ?? shape.baseName
      let stamp = stamps?[shape.id]
      table.add([
        .init("\(index + 1)", .faint), .init(name.string, .strong),
        .init(Text(properties.kind.words).string.lowercased()),
        .init(properties.position.words), .init(properties.size.words),
        .init(properties.rotation == 0 ? "" : "\(Figures.rounded(properties.rotation))°"),
        .init(properties.fill.text, .color(properties.fill)),
        .init(properties.alpha == 10 ? "" : Figures.number(Double(properties.alpha) / 10)),
        .init(properties.visible ? "" : "hidden", .faint),
        .init(ShapeTable.overlaps(of: shape, in: picture), .warning), .init(shape.id.text, .faint),
        .init(stamp.map { TimeWords.shown($0.milliseconds) } ?? ""), .init(stamp?.actor.text ?? ""),
      ])
    }
  }

  /// `Moon 38 %, Cloud 2 %`, the most first.
  private static func overlaps(of shape: Shape, in picture: RoomPicture) -> String {
    let neighbours = picture.overlaps.neighbours(of: shape.id)
    // Finding the common area takes a moment, and a crowd is told as a number anyway.
    guard neighbours.count <= 64 else { return "\(neighbours.count) shapes" }
    let shares = neighbours.map { neighbour -> (name: String, share: Double) in
      let name = picture.names.name(of: neighbour)?.string ?? neighbour.text
      let other = picture.overlaps.outline(of: neighbour)
      return (name, other.map { OverlapShare.of(shape.outline, $0) } ?? 0)
    }
    let most = shares.sorted { ($0.share, $1.name) > ($1.share, $0.name) }
    var words = most.prefix(neighboursMax).map { "\($0.name) \(Figures.percentage($0.share))" }
    if most.count > neighboursMax { words.append("\(most.count - neighboursMax) more") }
    return words.joined(separator: ", ")
  }

  func lines(for output: Output) -> [String] {
    let overlaps = pairCount == 0 ? "no overlaps" : pairCount == 1 ? "1 overlap" : "\(pairCount) overlaps"
    let shapes = shapeCount == 1 ? "1 shape" : "\(shapeCount) shapes"
    guard shapeCount > 0 else { return ["no shapes"] }
    return table.lines(for: output) + ["", "\(shapes), \(overlaps)"]
  }
}

extension Point {
  var words: String { "\(Figures.rounded(x)), \(Figures.rounded(y))" }
}

extension Size {
  var words: String { "\(Figures.rounded(width)) × \(Figures.rounded(height))" }
}
