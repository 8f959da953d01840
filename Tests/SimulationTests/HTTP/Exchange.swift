import WebSocketLoop

@testable import CanvasCRDT
@testable import SyncServer

/// A request that was made over HTTP, and what is known of it when the answer comes.
struct Exchange {
  /// The subject of the request.
  enum Subject {
    case write([ProposedOperation])
    /// The places of the squares.
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
    /// Something is wrong with it, and one of these codes says so.
    case wrong([String])
  }

  /// As of when.
  enum Moment {
    case now
    /// - Parameter isKnown: whether the room gave this cursor out in its present life, so that it has to honour it.
    case position(UInt64, isKnown: Bool)
    case milliseconds(UInt64)
  }

  let number: UInt64
  let subject: Subject
  var moment = Moment.now
  /// An accepted request is sent again.
  var isRepeated = false
  /// The tag that the client already has.
  var tag: String?
  let words: String
  /// How far the room had come, and how far its log, when it was asked.
  let position: UInt64
  let stored: UInt64
  let life: Int
  /// Which room of the node's it was: another after each time that the node closed it.
  let room: Int
}

/// Earlier answers that can be asked for or sent again.
struct Remembered {
  /// A cursor, and which life of the log it is of.
  var cursors: [(cursor: String, life: Int)] = []
  /// Messages with stamps that were taken.
  var writes: [(operations: [ProposedOperation], life: Int)] = []
  /// Tags of drawings.
  var tags: [String] = []
}

extension Response {
  /// The code of a refusal.
  var code: String? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "{\"error\":{\"code\":\""), start.lowerBound == text.startIndex,
      let end = text[start.upperBound...].firstIndex(of: "\"")
    else { return nil }
    return String(text[start.upperBound..<end])
  }

  /// The cursor of an answer, by its body or by its tag.
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

  /// The statuses of refusals, and the codes that may stand with them (H1).
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
