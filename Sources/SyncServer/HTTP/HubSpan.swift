import CanvasCRDT
import RoomLog
import WebSocketLoop

extension Hub {
  /// From when to when a room can be looked at: `{"room","cursor","from","to","operations"}`, both in Unix milliseconds.
  /// Where retention has dropped the beginning, `?at=` says so for a time that is no longer kept.
  func span(of open: OpenRoom) async -> Response {
    let event = await ask { .load(LoadRequest(id: $0, room: open.name)) }
    guard case .loaded(_, let loaded) = event else {
      return .error(503, code: "unavailable", message: "the log gave another answer")
    }
    var writer = JSONWriter(capacity: 192)
    writer.beginObject()
    writer.key("room")
    writer.value(text: open.room.name)
    writer.key("cursor")
    writer.value(text: open.room.cursor.text)
    writer.key("from")
    writer.value(loaded.summary.createdMilliseconds)
    writer.key("to")
    writer.value(loaded.summary.changedMilliseconds)
    writer.key("operations")
    writer.value(loaded.summary.operations)
    writer.endObject()
    return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
  }
}
