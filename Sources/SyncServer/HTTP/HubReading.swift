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
    var canvas = open.room.canvas
    var cursor = open.room.cursor
    if let at = request.parameter("at") {
      let end: RoomHistory.End
      if let milliseconds = UInt64(at) {
        end = .time(milliseconds)
      } else {
        guard RoomCursor(Cursor(Text(at))) != nil else {
          return .error(400, code: "bad_request", message: "at is a cursor, or Unix milliseconds")
        }
        guard let position = open.room.place(of: Cursor(Text(at))) else {
          return .error(
            409,
            code: "other_cursor",
            message: "this is no place in the room as it is: it was deleted or restored"
          )
        }
        end = .position(position)
      }
      guard historiesUnderWay < Hub.historiesMax else {
        return .error(429, code: "rate_limited", message: "as much history is being read as may be")
          .retried(afterSeconds: 1)
      }
      historiesUnderWay += 1
      defer { historiesUnderWay -= 1 }
      switch await history(of: open, at: end) {
      case .failure(.trimmed): return .error(404, code: "not_kept", message: "history as old as that is no longer kept")
      case .failure(.unreadable(let words)): return .error(503, code: "unavailable", message: words)
      case .success(let history):
        canvas = history.canvas
        cursor = RoomCursor(epoch: open.room.epoch, position: history.position).cursor
      }
    }
    // A weak one, since compressed it is other bytes.
    let tag = "W/\"\(cursor.text)\(stamps ? "-stamps" : "")\""
    if request.has(tag) { return .notModified(tag) }
    let room = open.room.name
    return await Hub.document(of: canvas, room: room, cursor: cursor, stamps: stamps, tag: tag, request: request)
  }

  /// Each folds a room of its own.
  private static let historiesMax = 8

  func picture(_ open: OpenRoom, _ request: Request) async -> Response {
    let tag = "W/\"\(open.room.cursor.text)-svg\""
    if request.has(tag) { return .notModified(tag) }
    return await Hub.picture(of: open.room.canvas, title: open.room.name, tag: tag, request: request)
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

  func overlaps(_ open: OpenRoom, _ request: Request) -> Response {
    defer { markDirty(open) }
    guard let text = request.parameter("box") else {
      guard let pairs = open.room.overlaps(now: .now()) else {
        return .error(503, code: "too_many_overlaps", message: "more shapes overlap than the server tells one by one")
      }
      return Response.json(pairs, headers: [("Cache-Control", "no-store")]).compressed(for: request)
    }
    guard let numbers = Hub.numbers(text, count: 4), let box = Hub.box(numbers) else {
      return .error(400, code: "bad_request", message: "box is x,y,width,height, within the bounds of shapes")
    }
    return .json(open.room.shapes(overlapping: box, now: .now()), headers: [("Cache-Control", "no-store")])
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
