import CanvasCRDT
import WebSocketLoop

extension RoomService {
  /// The time for which a room can be looked at: `{"room","cursor","from","to","operations"}`, both in Unix
  /// milliseconds. If retention has dropped the beginning, `?at=` with a time that is no longer kept is answered with
  /// that reason.
  func spanDocument(_ room: OpenedRoom) async -> Response {
    guard let span = await span(of: room), let view = view(of: room) else {
      return .error(503, code: "unavailable", message: "the log gave an unexpected answer")
    }
    var writer = JSONWriter(capacity: 192)
    writer.beginObject()
    writer.key("room")
    writer.value(text: view.name)
    writer.key("cursor")
    writer.value(text: view.cursor.text)
    writer.key("from")
    writer.value(span.createdMilliseconds)
    writer.key("to")
    writer.value(span.changedMilliseconds)
    writer.key("operations")
    writer.value(span.operations)
    writer.endObject()
    return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
  }
}
