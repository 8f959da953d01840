import WebSocketLoop

@testable import CanvasCRDT
@testable import SyncServer

/// A request over HTTP, with what the check of its answer needs.
struct Exchange {
  /// What the request asks for.
  enum Subject {
    case write([ProposedOperation])
    /// A layout, with the places of its squares.
    case layout([Point])
    case drawing(stamps: Bool)
    case picture
    case overlaps
    case box(Rect)
    case free(Size)
    case span
    case list
    case deletion
    case readiness
    /// Something that has to be refused, with one of these codes.
    case wrong([String])
  }

  /// The moment as of which a room is read.
  enum Moment {
    case now
    /// - Parameter isKnown: whether the room gave out this cursor in its present epoch. If so, the room has to accept
    ///   it.
    case position(UInt64, isKnown: Bool)
    case milliseconds(UInt64)
  }

  let number: UInt64
  let subject: Subject
  var moment = Moment.now
  /// Whether the request is an accepted one that is sent again.
  var isRepeated = false
  /// The tag that the client already has.
  var tag: String?
  let words: String
  /// The position of the room, and that of the log, when the request was made.
  let position: UInt64
  let stored: UInt64
  let life: Int
  /// The number of the node's room. The node gives it another number each time it has closed the room.
  let room: Int
}

/// Earlier answers that can be asked for or sent again.
struct Remembered {
  /// Cursors, each with the life of the log that it belongs to.
  var cursors: [(cursor: String, life: Int)] = []
  /// Accepted messages with stamps.
  var writes: [(operations: [ProposedOperation], life: Int)] = []
  /// Tags of drawings.
  var tags: [String] = []
}

extension Response {
  /// The code in a refusal.
  var code: String? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "{\"error\":{\"code\":\""), start.lowerBound == text.startIndex,
      let end = text[start.upperBound...].firstIndex(of: "\"")
    else { return nil }
    return String(text[start.upperBound..<end])
  }

  /// The cursor that an answer names, in its body or as its tag.
  var cursor: String? {
    if let tag = header("ETag") { return String(tag.dropFirst(3).prefix { $0 != "-" && $0 != "\"" }) }
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "\"cursor\":\""), let end = text[start.upperBound...].firstIndex(of: "\"")
    else {
      return nil
    }
    return String(text[start.upperBound..<end])
  }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The statuses of refusals, and the codes that each may have (H1).
  static let codes: [Int: Set<String>] = [
    400: [
      "bad_request", "bad_message", "bad_shape", "bad_stamp", "bad_property", "bad_value", "clock_ahead", "too_old",
    ],
    401: ["no_token"], 403: ["forbidden", "read_only", "foreign_origin"],
    404: ["not_found", "no_such_room", "not_kept"],
    405: ["method_not_allowed"], 409: ["room_full", "other_cursor", "no_place"], 413: ["too_large", "too_many_ops"],
    415: ["unsupported_media_type"], 421: ["unknown_host"], 429: ["too_many", "rate_limited"],
    503: ["unavailable", "too_many_overlaps"],
  ]
}
