import CanvasCRDT
import WebSocketLoop

// What only operators may ask for: who is in a room, and to close it to some.

extension RoomService {
  /// - Parameter parts: of the path behind the room's name; not empty.
  func operating(_ request: Request, _ name: String, _ parts: [String]) -> Response {
    switch (parts[0], parts.count) {
    case ("peers", 1):
      return request.isReading ? peopleDocument(name) : .notAllowed("GET, HEAD")
    case ("peers", 2):
      guard request.method == "DELETE" else { return .notAllowed("DELETE") }
      guard let actor = Identifier(parts[1]), remove(actor, from: name, by: request) else { return .noSuchPeer }
      return .done
    case ("lock", 1):
      guard request.method == "PUT" || request.method == "DELETE" else { return .notAllowed("PUT, DELETE") }
      switch setLock(name, isLocked: request.method == "PUT", by: request) {
      case .success: return .done
      case .failure(let fault): return .error(503, code: "unavailable", message: fault.words)
      }
    default: return .notFound
    }
  }

  private func peopleDocument(_ name: String) -> Response {
    var writer = JSONWriter(capacity: 1_024)
    writer.beginObject()
    writer.key("room")
    writer.value(text: Text(name))
    writer.key("locked")
    writer.value(isLocked(name))
    writer.key("peers")
    writer.beginArray()
    for person in people(in: name) { person.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
  }
}

extension Response {
  fileprivate static let done = Response(status: 204, headers: Response.guarded)
  fileprivate static let noSuchPeer = error(404, code: "no_such_peer", message: "this actor is not in the room")
  static let locked = error(403, code: "read_only", message: "the room is locked: only operators may write")
}

/// Somebody who is in a room, as operators see it.
struct Person: Sendable {
  let actor: Identifier
  let name: Text
  let color: Color
  let role: Role
  /// The label of the token.
  let token: String?
  let address: String

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("actor")
    writer.value(actor)
    writer.key("name")
    writer.value(text: name)
    writer.key("color")
    writer.value(color)
    writer.key("role")
    writer.value(role.wireName)
    if let token {
      writer.key("token")
      writer.value(text: Text(token))
    }
    writer.key("address")
    writer.value(text: Text(address))
    writer.endObject()
  }
}
