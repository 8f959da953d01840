import CanvasCRDT
import WebSocketLoop

extension RoomService {
  /// The period for which a room's history can be read: `{"room","cursor","from","to","operations"}`, with both ends in
  /// Unix milliseconds. `?steps=1` adds the steps of that period.
  func spanDocument(_ room: OpenedRoom, _ request: Request) async -> Response {
    var steps: [RoomSteps.Step]?
    switch request.parameter("steps") {
    case nil, "0", "false": break
    case "1", "true", "":
      switch await readingSteps(of: room, request) {
      case .success(let read): steps = read.told()
      case .failure(let refusal): return refusal.response
      }
    default: return .error(400, code: "bad_request", message: "steps must be 1 or 0")
    }
    guard await takeHistoryTurn(party(of: request)) else { return RefusedReading.tooMany.response }
    let span: RoomSpan
    do throws(HistoryError) {
      defer { requestBook.historyTurns.leave(party(of: request)) }
      span = try await self.span(of: room)
    } catch {
      return .refusing(error)
    }
    guard let view = view(of: room) else { return .roomIsGone }
    var writer = JSONWriter(capacity: 192 + 112 * (steps?.count ?? 0))
    writer.beginObject()
    writer.key("room")
    writer.value(text: view.name)
    writer.key("cursor")
    writer.value(text: view.cursor.text)
    writer.key("from")
    writer.value(span.fromMilliseconds)
    writer.key("to")
    writer.value(span.toMilliseconds)
    writer.key("operations")
    writer.value(span.operations)
    if let steps {
      writer.key("steps")
      writer.beginArray()
      for step in steps { step.write(to: &writer) }
      writer.endArray()
    }
    writer.endObject()
    return Response.json(writer.finish(), headers: [("Cache-Control", "no-store")]).compressed(for: request)
  }
}

extension RoomSteps.Step {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("from")
    writer.value(fromMilliseconds)
    writer.key("to")
    writer.value(toMilliseconds)
    writer.key("actor")
    writer.value(actor)
    writer.key("operations")
    writer.value(operations)
    writer.key("removed")
    writer.value(removals)
    writer.endObject()
  }
}
