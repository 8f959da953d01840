import Basics

/// A server's rooms and metrics at one moment.
struct ServerReading: Sendable {
  let microseconds: UInt64
  let rooms: [RoomListing]
  /// `nil` if the token doesn't allow reading the metrics.
  let figures: ServerFigures?

  @ClientLoop
  static func take(by requests: ServerRequests) async throws -> ServerReading {
    guard let rooms = RoomListing.read(try await requests.get("/v1/rooms")) else {
      throw ClientFailure.failed("\(requests.server.authority): the list of rooms is malformed")
    }
    let metrics = try? await requests.get("/metrics")
    return ServerReading(
      microseconds: SteadyClock.microseconds(),
      rooms: rooms,
      figures: metrics.map { ServerFigures($0) }
    )
  }

  func seconds(since earlier: ServerReading) -> Double {
    Double(microseconds - min(earlier.microseconds, microseconds)) / 1_000_000
  }

  /// Each room's operations per second since an earlier reading.
  func rates(since earlier: ServerReading) -> [String: Double] {
    let seconds = seconds(since: earlier)
    guard seconds > 0 else { return [:] }
    let before = Dictionary(earlier.rooms.map { ($0.room, $0.operations) }) { first, _ in first }
    var rates: [String: Double] = [:]
    for room in rooms {
      // A room that was deleted and made again can have fewer operations than before.
      let count = room.operations - (before[room.room] ?? 0)
      rates[room.room] = Double(Figures.count(Double(count) / seconds * 1_000)) / 1_000
    }
    return rates
  }
}
