import CanvasCRDT
import Glibc

/// The commands `import` and `export`, which read and write drawing files.
enum ImportExport {
  static let commands = [importing, exporting]

  private static let importing = Command(
    name: "import",
    group: .exchanging,
    operands: [.one("ROOM"), .one("FILE")],
    summary: "add a drawing, or a layout of squares, to a room",
    details: [
      "FILE is a drawing as export and show --json write it, or a layout {'squares': [{'x': 1, 'y': 2, 'colour': "
        + "'#FF0000', 'size': 100}]}, with double or single quotes; - is standard input. The shapes are added in "
        + "front of all others, as one step for undo."
    ],
    options: [
      Option("--same", nil, "keep the file's identifiers: restore what differs, don't copy"),
      Option("--at", "X,Y", "where the top left corner of the whole goes"),
      Option.patience,
    ],
    examples: [
      "import demo drawing.json", "import demo layout.json --at 0,0", "show demo --json | sync-client import copy -",
    ]
  ) { invocation in
    let corner = try invocation.arguments["--at"].map(point)
    let path = invocation.arguments.operands[1]
    let shapes = try read(path)
    guard !shapes.isEmpty else { throw ClientFailure.failed("\(path) has no shapes") }
    let cleaned = shapes.count { $0.hasCleanedName }
    if cleaned > 0 {
      let names = cleaned == 1 ? "one name" : "\(cleaned) names"
      invocation.output.notice("cleaned_names", "\(names) had characters that nobody sees; they were left out")
    }
    let editor = try await RoomEditor.open(invocation)
    let most = editor.client.replica.limits.shapes
    guard shapes.count <= most else {
      throw await editor.fail("\(path) has \(shapes.count) shapes, and the room takes \(most)")
    }
    var random = SystemRandomNumberGenerator()
    let edits = Import.edits(
      for: moved(shapes, to: corner),
      identifiers: invocation.arguments.has("--same") ? .same : .new,
      over: editor.picture.order,
      using: &random
    )
    return try await editor.commit(edits.compactMap { news($0.shape, $0.set, in: editor) })
  }

  /// Removes from an edit the values that the shape already has. `nil` if nothing remains. A drawing file has the shown
  /// names. So the name is also removed if the shape is shown with it.
  @ClientLoop
  private static func news(_ shape: Identifier, _ set: Properties, in editor: RoomEditor) -> ShapeEdit? {
    guard let standing = editor.canvas[shape] else { return ShapeEdit(shape: shape, set: set) }
    var set = set
    // A shape in a document has a kind. A shape that only makes room in the drawing order has none here.
    if set.assigned.contains(.kind) { set.assignRareDefaults(over: standing.properties) }
    set = set.differing(from: standing.properties)
    if set.assigned.contains(.name), set.name == editor.picture.names.name(of: shape) {
      set = set.keeping(set.assigned.subtracting([.name]))
    }
    return set.assigned.isEmpty ? nil : ShapeEdit(shape: shape, set: set)
  }

  private static func point(_ text: String) throws(ClientFailure) -> Point {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], x.isFinite, y.isFinite else {
      throw .usage("--at \(text): must be X,Y, such as 100,50")
    }
    return Point(x: x, y: y)
  }

  private static func read(_ path: String) throws(ClientFailure) -> [ImportedShape] {
    let bytes: [UInt8]
    do throws(FileBytes.Failure) {
      bytes = try FileBytes.read(path, bytesMax: 256 << 20)
    } catch {
      throw .failed(error.words)
    }
    do throws(ImportError) {
      // The room's own limit is known once the room is joined.
      return try Import.read(bytes.withoutByteOrderMark, shapesMax: .max)
    } catch {
      throw .failed("\(path): not a drawing and not a layout of squares: \(error.description)")
    }
  }

  /// Moves the whole to `corner`. A line counts where it is drawn: the box of its own may be from before the shapes that
  /// it is tied to were moved (S14).
  private static func moved(_ shapes: [ImportedShape], to corner: Point?) -> [ImportedShape] {
    guard let corner else { return shapes }
    let canvas = Canvas(of: shapes)
    let places = shapes.map { shape in
      shape.id.flatMap { canvas.drawn($0)?.properties.position } ?? shape.properties.position
    }
    let left = places.map { $0.x }.min() ?? 0
    let top = places.map { $0.y }.min() ?? 0
    return shapes.map { shape in
      var shape = shape
      let before = shape.properties.position
      shape.properties.position = Point(x: before.x - left + corner.x, y: before.y - top + corner.y)
      return shape
    }
  }

  private static let exporting = Command(
    name: "export",
    group: .exchanging,
    operands: [.one("ROOM"), .optional("FILE")],
    summary: "write a room's drawing as JSON, SVG or PNG",
    details: [
      "The format follows from the end of FILE's name, or from --format. Without a FILE, or with -, it goes to "
        + "standard output.",
      "A PNG has no texts; an SVG has them.",
    ],
    options: [
      Option("--format", "NAME", "json, svg or png"),
      Option("--at", "TIME", "as it was: 2026-11-20T18:00 (Z for UTC), 10m (ago), or Unix milliseconds"),
      Option("--scale", "N", "PNG: pixels for each unit of the canvas (default: 2)"),
    ],
    examples: ["export demo demo.png", "export demo demo.svg --at 1h", "export demo > demo.json"]
  ) { invocation in
    let path = invocation.arguments.operand(1) ?? "-"
    let format = try Format(invocation.arguments["--format"], path: path)
    let scale = try invocation.arguments.number("--scale", in: 0.01...4, standard: 2)
    let moment = try invocation.arguments.moment("--at")
    let room = try invocation.room()
    let requests = ServerRequests(server: invocation.server, tell: invocation.tell)
    try await RoomHistory.refuseFuture(moment, of: room, by: requests)
    let stored = try await StoredDrawing.fetch(room, by: requests, at: moment)
    let bytes =
      switch format {
      case .json: stored.bytes + [UInt8(ascii: "\n")]
      case .svg: Picture.svg(of: stored, room: room)
      case .png: try Picture.png(of: stored, scale: scale)
      }
    if format == .png, stored.hasTexts {
      invocation.output.notice("no_texts", "texts are not in a PNG; export to an SVG has them")
    }
    if path == "-" {
      invocation.output.write(bytes: format == .json ? PlainJSON.escaping(bytes) : bytes)
    } else {
      guard FileBytes.write(bytes, to: path) else {
        throw ClientFailure.failed("\(path): \(String(cString: strerror(errno)))")
      }
    }
    return .success
  }

  private enum Format: String {
    case json
    case svg
    case png

    init(_ name: String?, path: String) throws(ClientFailure) {
      if let name {
        guard let format = Format(rawValue: name) else { throw .usage("--format \(name): must be json, svg or png") }
        self = format
      } else if path == "-" {
        self = .json
      } else {
        let end = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let format = Format(rawValue: end) else {
          throw .usage("\(path): the name must be one that ends in .json, .svg or .png, or give --format")
        }
        self = format
      }
    }
  }
}

extension Properties {
  /// Assigns the defaults of the rare properties that `standing` assigns and this set doesn't. Documents don't
  /// contain rare properties that were never set.
  fileprivate mutating func assignRareDefaults(over standing: Properties) {
    let defaults = Properties()
    for property in PropertyMask.rare.intersection(standing.assigned).subtracting(assigned) {
      take(property, from: defaults)
    }
  }
}
