import CanvasCRDT

/// From when to when a room's history is played: what was asked for, or what the room itself tells.
struct ReplaySpan: Hashable, Sendable {
  var from: UInt64
  var to: UInt64

  var milliseconds: UInt64 { to - from }

  /// A history is played within a minute, unless it is said otherwise: at the next of 1, 2, 5, 10, 20 … times as fast.
  var speed: Double {
    let wanted = Double(milliseconds) / 60_000
    var speed = 1.0
    var factors = [2.0, 2.5, 2.0]
    while speed < wanted {
      speed *= factors[0]
      factors = [factors[1], factors[2], factors[0]]
    }
    return speed
  }

  @ClientLoop
  static func find(
    _ room: RoomName,
    from server: ServerAddress,
    arguments: Arguments
  ) async throws -> ReplaySpan {
    let from = try moment("--from", arguments)
    let to = try moment("--to", arguments)
    if let from, let to {
      guard from < to else { throw ClientFailure.usage("--from must be before --to") }
      return ReplaySpan(from: from, to: to)
    }
    let bytes = try await ServerRequests(server: server).get(room.path(), query: "stamps=1")
    let stamps = StampSpan.read(bytes)
    guard let begins = from ?? stamps?.first, let ends = to ?? stamps.map({ $0.last + 1_000 }) else {
      throw ClientFailure.failed("\(room.text): nothing is drawn there now; say --from and --to to see what was")
    }
    guard begins < ends else { throw ClientFailure.usage("there is nothing to replay after --from") }
    return ReplaySpan(from: begins, to: ends)
  }

  private static func moment(_ option: String, _ arguments: Arguments) throws(ClientFailure) -> UInt64? {
    guard let text = arguments[option] else { return nil }
    guard let moment = TimeWords.milliseconds(text, now: Clocks.wallMilliseconds()) else {
      throw .usage("\(option) \(text): must be a time such as 2026-11-20T18:00, 10m or Unix milliseconds")
    }
    return moment
  }
}

/// When what is in a document was first and last written to.
private enum StampSpan {
  static func read(_ bytes: [UInt8]) -> (first: UInt64, last: UInt64)? {
    bytes.span.withUnsafeBytes { bytes in
      guard var reader = try? JSONReader(validating: bytes) else { return nil }
      return try? read(&reader)
    }
  }

  private static func read(_ reader: inout JSONReader) throws(JSONFailure) -> (first: UInt64, last: UInt64)? {
    var span: (first: UInt64, last: UInt64)?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      guard case "shapes" = key else {
        try reader.skipValue()
        continue
      }
      try reader.beginArray()
      while try reader.nextElement() { try readShape(&reader, &span) }
    }
    return span
  }

  private static func readShape(
    _ reader: inout JSONReader,
    _ span: inout (first: UInt64, last: UInt64)?
  ) throws(JSONFailure) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      guard case "stamps" = key else {
        try reader.skipValue()
        continue
      }
      try reader.beginObject()
      while try reader.nextKey() != nil {
        guard let time = Stamp(try reader.readString().text.string)?.milliseconds else { continue }
        span = (min(span?.first ?? time, time), max(span?.last ?? time, time))
      }
    }
  }
}
