import CanvasCRDT
import RoomLog
import WebSocketLoop

// What is written over HTTP.

extension Hub {
  func operations(_ exchange: PendingRequest, _ name: String) async -> Response {
    let request = exchange.request
    guard request.isJSON else { return Hub.notJSON }
    guard exchange.body.count <= Int(limits.messageBytes) else {
      return .error(413, code: "too_large", message: "the body is longer than \(limits.messageBytes) bytes")
    }
    let submission: Submission
    do throws(MessageError) {
      submission = try JSONEncoding.decodeSubmission(exchange.body, operationsMax: limits.operationsPerMessage)
    } catch {
      return Hub.response(to: error)
    }
    guard spend(submission.operations.count, address: address(of: request)) else { return Hub.tooFast }
    return await writing(name) { open in
      switch await self.submit(submission.operations, to: open) {
      case .success(let cursor): .written(cursor)
      case .failure(let rejection): .rejected(rejection)
      }
    }
  }

  func layout(_ exchange: PendingRequest, _ name: String) async -> Response {
    let request = exchange.request
    guard request.isLayout else { return Hub.notJSON }
    let shapes: [ImportedShape]
    switch await Hub.read(exchange.body, shapesMax: Int(limits.shapes)) {
    case .success(let read): shapes = read
    case .failure(.tooManyShapes): return noRoom
    case .failure(let error): return .error(400, code: "bad_message", message: error.description)
    }
    guard spend(shapes.count, address: address(of: request)) else { return Hub.tooFast }
    return await writing(name) { open in
      let canvas = open.room.canvas
      guard UInt64(canvas.liveCount + shapes.count) <= self.limits.shapes else { return self.noRoom }
      let edits = await Hub.edits(importing: shapes, into: canvas)
      // Deleted meanwhile; nobody would answer.
      guard !open.isGone else { return Hub.noSuchRoom }
      switch await self.submit(edits.operations, to: open) {
      case .success(let cursor): return .written(cursor, shapes: edits.shapes)
      case .failure(let rejection): return .rejected(rejection)
      }
    }
  }

  private var noRoom: Response {
    .error(409, code: "room_full", message: "the room has room for \(limits.shapes) shapes")
  }

  @concurrent private static func read(_ bytes: [UInt8], shapesMax: Int) async -> Result<[ImportedShape], ImportError> {
    do throws(ImportError) {
      return .success(try Import.read(bytes, shapesMax: shapesMax))
    } catch {
      return .failure(error)
    }
  }

  /// Beside the loop, as reading it is: for a large room places in the order take a while.
  @concurrent private static func edits(
    importing shapes: [ImportedShape],
    into canvas: Canvas
  ) async -> (operations: [ProposedOperation], shapes: [Identifier]) {
    var generator = SystemRandomNumberGenerator()
    return Room.edits(importing: shapes, into: canvas, using: &generator)
  }

  func delete(_ name: String) async -> Response {
    if let open = rooms[name], !open.isStored, open.room.isUnwritten {
      return Hub.noSuchRoom
    }
    let event = await ask { .delete(id: $0, room: name) }
    switch event {
    case .deleted: return Response(status: 204, headers: Response.guarded)
    case .failed(_, _, .noSuchRoom): return Hub.noSuchRoom
    default: return .error(503, code: "unavailable", message: Hub.words(event))
    }
  }

  private func writing(_ name: String, _ answer: (OpenRoom) async -> Response) async -> Response {
    guard !stopping.isUnderWay else {
      return .error(503, code: "unavailable", message: "the server is going away")
    }
    switch await opened(name, mayCreate: true) {
    case .open(let open):
      open.holds += 1
      defer { open.holds -= 1 }
      return await answer(open)
    case .absent, .full:
      return .error(503, code: "unavailable", message: "the server has as many rooms open as it takes")
    case .failed(let words): return .error(503, code: "unavailable", message: words)
    }
  }

  /// A rate for each address, the same as for a connection. A layout of more than may ever come at once takes all of that,
  /// and who comes next has to wait.
  private func spend(_ count: Int, address: String) -> Bool {
    let now = Moment.now().monotonicMilliseconds
    let party = NetworkAddress.party(of: address)
    var rate =
      requestRates[party]
      ?? TokenBucket(
        clientPerSecond: limits.operationsPerSecond,
        atOnce: limits.operationsPerMessage,
        at: now
      )
    defer { requestRates[party] = rate }
    return rate.take(min(UInt64(count), rate.capacity), at: now)
  }

  private static let notJSON = Response.error(
    415,
    code: "unsupported_media_type",
    message: "send application/json"
  )
  private static let tooFast = Response.error(
    429,
    code: "rate_limited",
    message: "more operations a second than an address may send"
  ).retried(afterSeconds: 1)

  private static func response(to error: MessageError) -> Response {
    switch error {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words):
      .error(400, code: "bad_message", message: words.string)
    case .rejected(let rejection): .rejected(rejection)
    }
  }
}
