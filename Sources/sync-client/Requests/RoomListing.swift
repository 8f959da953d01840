import CanvasCRDT

/// A room in the server's list at `/v1/rooms`.
struct RoomListing: Hashable, Sendable {
  let room: String
  let shapes: Int
  let peers: Int
  let operations: Int
  let cursor: String
  /// Why the room can't be opened. `nil` if it can.
  var fault: String?
  /// Whether a crash has left `shapes` out of date.
  var isUncounted = false

  /// The number of shapes. `nil` if it isn't known now.
  var knownShapes: Int? { fault == nil && !isUncounted ? shapes : nil }

  /// `nil` if the answer is not a list of rooms.
  static func read(_ bytes: [UInt8]) -> [RoomListing]? {
    guard let rooms = JSONValue(bytes)?["rooms"] else { return nil }
    return rooms.elements.compactMap { value in
      guard let room = value["room"]?.text else { return nil }
      func count(_ name: String) -> Int { value[name]?.number.flatMap { Int(exactly: $0) }.map { max(0, $0) } ?? 0 }
      return RoomListing(
        room: room,
        shapes: count("shapes"),
        peers: count("peers"),
        operations: count("operations"),
        cursor: value["cursor"]?.text ?? "",
        fault: value["fault"]?.text,
        isUncounted: value["uncounted"]?.isTrue == true
      )
    }
  }
}
