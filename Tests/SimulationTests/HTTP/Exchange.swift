import WebSocketLoop

@testable import CanvasCRDT
@testable import SyncServer

/// An HTTP request, and the facts that are needed to check its answer.
struct Exchange {
  enum Subject {
    case write([ProposedOperation])
    /// A layout of squares at these points.
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
    /// A request that the server must refuse with one of these codes.
    case wrong([String])
  }

  /// The version of the room that the request asks for.
  enum Moment {
    case now
    /// - Parameter isKnown: whether the server gave out this cursor in the room's current epoch. If so, the request
    ///   must succeed.
    case position(UInt64, isKnown: Bool)
    case milliseconds(UInt64)
  }

  let subject: Subject
  var moment = Moment.now
  /// Whether this request repeats an earlier one that was accepted.
  var isRepeated = false
  /// The entity tag (ETag) of the copy that the client already has.
  var tag: String?
  let words: String
  /// Two positions at the time of the request: the one that the node's room had reached, and the end of the log.
  let position: UInt64
  let stored: UInt64
  let life: Int
  /// The number of the node's room. It changes each time the node opens or closes the room.
  let room: Int
  /// The error of the node's clock at the time of the request.
  let clockError: Int64
  /// How many of the node's questions the log had refused.
  let refusals: Int
}

/// Values from earlier exchanges, for later requests to reuse.
struct Remembered {
  /// Cursors from responses, each with the value of `Disk.life` when the response came.
  var cursors: [(cursor: String, life: Int)] = []
  /// Accepted writes whose operations carried stamps.
  var writes: [(operations: [ProposedOperation], life: Int)] = []
  /// Entity tags of drawings.
  var tags: [String] = []
}

extension Response {
  /// The error code, if the response is a refusal.
  var code: String? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "{\"error\":{\"code\":\""), start.lowerBound == text.startIndex,
      let end = text[start.upperBound...].firstIndex(of: "\"")
    else { return nil }
    return String(text[start.upperBound..<end])
  }

  /// The cursor in the response's body or in its entity tag.
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
