import Basics

/// A server's rooms and metrics at one moment.
struct ServerReading: Sendable {
  let microseconds: UInt64
  let rooms: [RoomListing]
  /// `nil` if the token doesn't allow reading the metrics, or they didn't come.
  let figures: ServerFigures?
  /// Whether the token allows reading the metrics, as far as this is known.
  var mayReadFigures = true

  /// - Parameter earlier: the reading before. If the metrics were refused then, they are not asked for again, because an
  ///   operator sees each refusal.
  @ClientLoop
  static func take(by requests: ServerRequests, after earlier: ServerReading? = nil) async throws -> ServerReading {
    guard let rooms = RoomListing.read(try await requests.get("/v1/rooms")) else {
      throw ClientFailure.failed("\(requests.server.authority): the list of rooms is malformed")
    }
    var figures: ServerFigures?
    var mayReadFigures = earlier?.mayReadFigures ?? true
    do {
      if mayReadFigures { figures = ServerFigures(try await requests.get("/metrics")) }
    } catch let failure as ClientFailure {
      mayReadFigures = failure.code != "forbidden" && failure.code != "no_token"
    }
    return ServerReading(
      microseconds: SteadyClock.microseconds(),
      rooms: rooms,
      figures: figures,
      mayReadFigures: mayReadFigures
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
