import CanvasCRDT
import RoomLog
import WebSocketLoop

// What is read over HTTP.

extension Hub {
  /// The rooms that a token is for.
  func roomList(_ request: Request, _ grant: Grant) async -> Response {
    switch await list(of: grant) {
    case .failure(.trimmed): return .error(503, code: "unavailable", message: "the log gave another answer")
    case .failure(.unreadable(let words)): return .error(503, code: "unavailable", message: words)
    case .success(let summaries):
      var writer = JSONWriter(capacity: summaries.count * 96 + 32)
      writer.beginObject()
      writer.key("rooms")
      writer.beginArray()
      for summary in summaries { summary.write(to: &writer) }
      writer.endArray()
      writer.endObject()
      return .json(writer.finish(), headers: [("Cache-Control", "no-store")]).compressed(for: request)
    }
  }

  /// `?at=` a cursor or a time, `?stamps=1`.
  func drawing(_ open: OpenRoom, _ request: Request) async -> Response {
    let stamps: Bool
    switch request.parameter("stamps") {
    case nil, "0", "false": stamps = false
    case "1", "true", "": stamps = true
    default: return .error(400, code: "bad_request", message: "stamps is 1 or 0")
    }
    let room = open.room.name
    return await seeing(open, request) { canvas, cursor in
      // A weak one, since compressed it is other bytes.
      let tag = "W/\"\(cursor.text)\(stamps ? "-stamps" : "")\""
      if request.has(tag) { return .notModified(tag) }
      return await Hub.document(of: canvas, room: room, cursor: cursor, stamps: stamps, tag: tag, request: request)
    }
  }

  /// `?at=` as above.
  func picture(_ open: OpenRoom, _ request: Request) async -> Response {
    let room = open.room.name
    return await seeing(open, request) { canvas, cursor in
      let tag = "W/\"\(cursor.text)-svg\""
      if request.has(tag) { return .notModified(tag) }
      return await Hub.picture(of: canvas, title: room, tag: tag, request: request)
    }
  }

  // Large rooms take a while, so what is not the room's own is done beside the loop, on a copy that costs nothing.

  @concurrent private static func document(
    of canvas: Canvas,
    room: Text,
    cursor: Cursor,
    stamps: Bool,
    tag: String,
    request: Request
  ) async -> Response {
    Response.json(
      Drawing(canvas).document(room: room, cursor: cursor.text, stamps: stamps),
      headers: [("ETag", tag), ("Cache-Control", "no-cache")]
    ).compressed(for: request)
  }

  @concurrent private static func picture(
    of canvas: Canvas,
    title: Text,
    tag: String,
    request: Request
  ) async -> Response {
    var export = SVGExport(Drawing(canvas))
    export.title = title
    return Response(
      status: 200,
      headers: [
        ("Content-Type", "image/svg+xml"), ("ETag", tag), ("Cache-Control", "no-cache"),
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
      ] + Response.guarded,
      body: export.document()
    ).compressed(for: request)
  }

  // MARK: Overlaps

  /// Of the room as it is by the index that is kept up; `?at=` a cursor or a time by one that is made for it.
  func overlaps(_ open: OpenRoom, _ request: Request) async -> Response {
    let box = request.parameter("box").map { Hub.numbers($0, count: 4).flatMap(Hub.cut) }
    if case .some(nil) = box {
      return .error(400, code: "bad_request", message: "box is x,y,width,height, with a positive width and height")
    }
    let room = open.room.name
    guard request.parameter("at") == nil else {
      let pairsMax = Int(clamping: limits.overlapPairs)
      return await seeing(open, request) { canvas, cursor in
        let index = await Hub.index(of: canvas, pairsMax: pairsMax)
        return Hub.overlaps(in: index, box: box ?? nil, room: room, cursor: cursor, request: request)
      }
    }
    defer { markDirty(open) }
    let index = open.room.overlapIndex(now: .now())
    return Hub.overlaps(in: index, box: box ?? nil, room: room, cursor: open.room.cursor, request: request)
  }

  @concurrent private static func index(of canvas: Canvas, pairsMax: Int) async -> OverlapIndex {
    OverlapIndex(of: canvas, pairsMax: pairsMax)
  }

  private static func overlaps(
    in index: OverlapIndex,
    box: Rect?,
    room: Text,
    cursor: Cursor,
    request: Request
  ) -> Response {
    guard let bytes = box.map({ index.document(overlapping: $0) }) ?? index.document(room: room, cursor: cursor) else {
      return .error(503, code: "too_many_overlaps", message: "more shapes overlap than the server tells one by one")
    }
    return Response.json(bytes, headers: [("Cache-Control", "no-store")]).compressed(for: request)
  }

  func freePlace(_ open: OpenRoom, _ request: Request) -> Response {
    defer { markDirty(open) }
    guard let size = request.parameter("size").flatMap({ Hub.numbers($0, count: 2) }),
      let near = Hub.numbers(request.parameter("near") ?? "0,0", count: 2),
      let box = Hub.box(near + size)
    else {
      return .error(
        400,
        code: "bad_request",
        message: "size is width,height and near is x,y, within the bounds of shapes"
      )
    }
    guard let place = open.room.freePlace(for: box.size, near: box.origin, now: .now()) else {
      return .error(409, code: "no_place", message: "shapes cover all there is")
    }
    return .json(place, headers: [("Cache-Control", "no-store")])
  }

  private static func numbers(_ text: String, count: Int) -> [Double]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == count else { return nil }
    var numbers: [Double] = []
    for part in parts {
      // What `Double` reads beside decimals, such as `nan` and `0x1p4`, is not meant.
      guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".-+eE".utf8.contains($0) }),
        let number = Double(part),
        number.isFinite
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Of a box of any size the part where shapes can be: further out sums lose the digits by which to touch is told from to
  /// overlap. Beside all shapes nothing is left of it.
  private static func cut(_ numbers: [Double]) -> Rect? {
    guard numbers[2] > 0, numbers[3] > 0 else { return nil }
    let across = cut(numbers[0], numbers[2])
    let down = cut(numbers[1], numbers[3])
    return Rect(
      origin: Point(x: across.start, y: down.start),
      size: Size(width: across.length, height: down.length)
    )
  }

  private static func cut(_ start: Double, _ length: Double) -> (start: Double, length: Double) {
    let end = start + length
    guard start < -shapesReach || end > shapesReach else { return (start, length) }
    let first = min(max(start, -shapesReach), shapesReach)
    return (first, min(max(end, -shapesReach), shapesReach) - first)
  }

  /// A position is at most 10⁷ from the middle, and a turned box of 10⁶ reaches less than twice that further.
  private static let shapesReach = 2e7

  /// The bounds are those of a shape's position and size.
  private static func box(_ numbers: [Double]) -> Rect? {
    let place = -1e7...1e7
    let extent = 1.0...1e6
    guard place.contains(numbers[0]), place.contains(numbers[1]), extent.contains(numbers[2]),
      extent.contains(numbers[3])
    else { return nil }
    return Rect(origin: Point(x: numbers[0], y: numbers[1]), size: Size(width: numbers[2], height: numbers[3]))
  }
}
