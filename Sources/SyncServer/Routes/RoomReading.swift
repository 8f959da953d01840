import CanvasCRDT
import WebSocketLoop

// Reading over HTTP.

extension RoomService {
  /// The rooms that a token covers.
  func roomList(_ request: Request, _ grant: Grant) async -> Response {
    // Making the list reads all stored rooms, so it needs a permit (turn).
    let party = party(of: request)
    guard await takeTurn(party, of: \.listTurns) else { return RefusedReading.tooMany.response }
    let list: RoomList
    do throws(HistoryError) {
      defer { requestBook.listTurns.leave(party) }
      list = try await self.list(of: grant, for: party)
    } catch {
      return .refusing(error)
    }
    return await heavily(request) {
      let summaries = list.take()
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

  /// The drawing of a room. `?at=` is a cursor or a time. `?stamps=1` adds stamps to the drawing.
  func drawing(_ room: OpenedRoom, _ request: Request) async -> Response {
    let stamps: Bool
    switch request.parameter("stamps") {
    case nil, "0", "false": stamps = false
    case "1", "true", "": stamps = true
    default: return .error(400, code: "bad_request", message: "stamps must be 1 or 0")
    }
    return await seeing(room, request) { view in
      // The tag is weak, because an answer with the same drawing has other bytes when it is compressed.
      let tag = "W/\"\(view.cursor.text)\(stamps ? "-stamps" : "")\""
      if request.has(tag) { return .notModified(tag) }
      return await self.heavily(request) { Drawing.answer(view, stamps: stamps, tag: tag, request: request) }
    }
  }

  /// The drawing of a room as SVG. `?at=` is a cursor or a time.
  func picture(_ room: OpenedRoom, _ request: Request) async -> Response {
    return await seeing(room, request) { view in
      let tag = "W/\"\(view.cursor.text)-svg\""
      if request.has(tag) { return .notModified(tag) }
      return await self.heavily(request) { SVGExport.answer(view, tag: tag, request: request) }
    }
  }

  // MARK: Overlaps

  /// The overlaps of a room. For `?at=`, an index is made for this answer alone.
  func overlaps(_ room: OpenedRoom, _ request: Request) async -> Response {
    let box = request.parameter("box").map { BoxParameter.numbers($0, count: 4).flatMap(BoxParameter.cut) }
    if case .some(nil) = box {
      return .error(400, code: "bad_request", message: "box must be x,y,width,height, with a positive width and height")
    }
    guard request.parameter("at") == nil else {
      let pairsMax = Int(clamping: limits.overlapPairs)
      let stepsPerShape = limits.overlapSteps
      return await seeing(room, request) { view in
        await self.heavily(request) {
          let steps = OverlapBudget.most(shapes: view.canvas.liveCount, stepsPerShape: stepsPerShape)
          let index = OverlapIndex(of: view.canvas, pairsMax: pairsMax, stepsLeft: steps)
          return index.answer(box: box ?? nil, view.name, view.cursor, request)
        }
      }
    }
    return await copying(room, request, of: \.overlapTurns) {
      guard let name = view(of: room)?.name, let overlaps = await overlapIndex(of: room, for: party(of: request)) else {
        return .roomIsGone
      }
      defer { free(overlaps, shapes: overlaps.index.count) }
      return await heavily(request) { overlaps.index.answer(box: box ?? nil, name, overlaps.cursor, request) }
    }
  }

  func freePlace(_ room: OpenedRoom, _ request: Request) async -> Response {
    guard let size = request.parameter("size").flatMap({ BoxParameter.numbers($0, count: 2) }),
      let near = BoxParameter.numbers(request.parameter("near") ?? "0,0", count: 2),
      let box = BoxParameter.box(near + size)
    else {
      return .error(
        400,
        code: "bad_request",
        message: "size must be width,height and near must be x,y, within the bounds of shapes"
      )
    }
    return await copying(room, request, of: \.overlapTurns) {
      guard let overlaps = await overlapIndex(of: room, for: party(of: request)) else { return .roomIsGone }
      defer { free(overlaps, shapes: overlaps.index.count) }
      return await heavily(request) {
        guard let place = overlaps.index.document(freePlaceFor: box.size, near: box.origin) else {
          return .error(409, code: "no_place", message: "there is no free place: shapes cover the whole canvas")
        }
        return .json(place, headers: [("Cache-Control", "no-store")])
      }
    }
  }
}

// Everything that doesn't need the room itself is done on another thread, because large rooms take a while. That thread
// gets a copy of the room's canvas.

extension Drawing {
  fileprivate static func answer(_ view: RoomView, stamps: Bool, tag: String, request: Request) -> Response {
    Response.json(
      Drawing(view.canvas).document(room: view.name, cursor: view.cursor.text, stamps: stamps),
      headers: [("ETag", tag), ("Cache-Control", "no-cache")]
    ).compressed(for: request)
  }
}

extension SVGExport {
  fileprivate static func answer(_ view: RoomView, tag: String, request: Request) -> Response {
    var export = SVGExport(Drawing(view.canvas))
    export.title = view.name
    return Response(
      status: 200,
      headers: [
        ("Content-Type", "image/svg+xml"), ("ETag", tag), ("Cache-Control", "no-cache"),
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
      ],
      body: export.document()
    ).compressed(for: request)
  }
}

extension OverlapIndex {
  fileprivate func answer(box: Rect?, _ room: Text, _ cursor: Cursor, _ request: Request) -> Response {
    guard let bytes = box.map({ document(overlapping: $0) }) ?? document(room: room, cursor: cursor) else {
      return .error(503, code: "too_many_overlaps", message: "too many shapes overlap to list them")
    }
    return Response.json(bytes, headers: [("Cache-Control", "no-store")]).compressed(for: request)
  }
}
