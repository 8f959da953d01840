import CanvasCRDT
import WebSocketLoop

// Writing over HTTP.

extension RoomService {
  func operations(_ request: Request, _ body: [UInt8], _ name: String, _ grant: Grant) async -> Response {
    guard body.count <= Int(limits.messageBytes) else {
      return .error(413, code: "too_large", message: "the body is longer than \(limits.messageBytes) bytes")
    }
    var writer = writer(of: request, with: grant, in: name)
    guard let charged = spend(reading: body, writer.payer) else { return .tooFast }
    let submission: Submission
    switch await read(body, for: writer.payer.address) {
    case .success(.success(let read)): submission = read
    case .success(.failure(let error)): return .refusing(error)
    case .failure(let refusal): return .refusing(refusal)
    }
    // A stamp names its writer, and over HTTP nothing proves who the writer is. So only operators may send stamps.
    if grant.level < .operator, let index = submission.operations.firstIndex(where: { $0.at != nil }) {
      return .rejected(Rejection(operation: index, code: .badStamp, message: RoomServiceWords.stamped))
    }
    // The stamps that operators send may name other actors as writers. The actor of the first stamp is recorded as the
    // writer.
    let stamped = submission.operations.lazy.compactMap { $0.at?.actor }.first
    if stamped != nil { writer.level = .operator }
    let actor = stamped ?? writer.actor
    guard spend(submission.operations.count, paid: charged, writer.payer) else { return .tooFast }
    return await writing(name, request) { [writer] room in
      switch await self.submit(submission.operations, to: room, by: writer) {
      case .success(let cursor):
        self.recordWriting("wrote", request, room: name, as: actor, operations: submission.operations.count)
        return .written(cursor, by: actor)
      case .failure(let refusal): return refusal.response
      }
    }
  }

  func layout(_ request: Request, _ body: [UInt8], _ name: String, _ grant: Grant) async -> Response {
    let writer = writer(of: request, with: grant, in: name)
    guard let charged = spend(reading: body, writer.payer) else { return .tooFast }
    let shapes: [ImportedShape]
    let shapesMax = Int(limits.shapes)
    let party = writer.payer.address
    switch await made(for: party, { ImportedShape.read(body, shapesMax: shapesMax) }) {
    case .failure(let refusal): return .refusing(refusal)
    case .success(.success(let read)): shapes = read
    case .success(.failure(.tooManyShapes)): return .noRoom(limits)
    case .success(.failure(let error)): return .error(400, code: "bad_message", message: error.description)
    }
    // A layout without shapes counts too, and creates no room.
    guard spend(max(1, shapes.count), paid: charged, writer.payer) else { return .tooFast }
    let nothing = Response.written(Fold(epoch: 0, seed: 0).cursor, shapes: [], by: writer.actor)
    return await writing(name, request, orIfAbsent: shapes.isEmpty ? nothing : nil) { room in
      await self.write(shapes, to: room, by: writer, request)
    }
  }

  private func write(
    _ shapes: [ImportedShape],
    to room: OpenedRoom,
    by writer: Writer,
    _ request: Request
  ) async -> Response {
    let name: Text
    let edits: LayoutEdits
    do throws(RefusedReading) {
      (name, edits) = try await self.edits(importing: shapes, into: room, request)
    } catch {
      return error.response
    }
    // If there is no space in the drawing order, a new shape moves its neighbours. The client is charged for the
    // operations that move them, too.
    requestBook.owe(edits.moves.count, party: writer.payer.address, now: now.monotonicMilliseconds)
    switch await submit(edits, to: room, by: writer) {
    case .success(let cursor):
      let operations = edits.made.count + edits.moves.count
      if operations > 0 {
        recordWriting("imported", request, room: name.string, as: writer.actor, operations: operations)
      }
      return .written(cursor, shapes: edits.made.map { $0.shape }, by: writer.actor)
    case .failure(let refusal): return refusal.response
    }
  }

  /// The permit for the copy of the room is given back before the edits wait to be stored.
  private func edits(
    importing shapes: [ImportedShape],
    into room: OpenedRoom,
    _ request: Request
  ) async throws(RefusedReading) -> (name: Text, edits: LayoutEdits) {
    let party = party(of: request)
    guard let hasTurn = await takeCopyTurn(room, request) else { throw .tooMany }
    defer { if hasTurn { requestBook.copyTurns.leave(party) } }
    guard let view = view(of: room) else { throw RefusedReading(response: .roomIsGone) }
    defer { drop(view, of: room) }
    let randomness = randomness()
    switch await made(for: party, { LayoutEdits.importing(shapes, into: view.canvas, randomness) }) {
    case .success(.success(let made)): return (view.name, made)
    case .success(.failure(let rejection)): throw RefusedReading(response: .rejected(rejection))
    case .failure(let refusal): throw RefusedReading(response: .refusing(refusal))
    }
  }

  func deletion(of name: String, by request: Request) async -> Response {
    switch await delete(name) {
    case .done: record("deleted", request, room: name, actor: nil)
    // An earlier request deleted the room, but could not remove its lock. This request tries again to remove the lock.
    case .absent where isLocked(name) && !sharesRooms: break
    case .absent: return .noSuchRoom
    case .failed(let words): return .unreadable(words)
    }
    // The lock is removed too, because a room that is later created under that name must not be locked. If other nodes
    // have the room too, the log has removed the lock together with the room, and one of them might have locked a new
    // room of that name by now.
    return sharesRooms ? .done : await setting(lockOf: name, to: false, by: request)
  }

  /// - Parameter nothing: the answer if the room doesn't exist. `nil` if it may be created.
  private func writing(
    _ name: String,
    _ request: Request,
    orIfAbsent nothing: Response? = nil,
    _ answer: (OpenedRoom) async -> Response
  ) async -> Response {
    guard !isStopping else { return .unavailable("the server is stopping") }
    switch await take(name, mayCreate: nothing == nil, for: party(of: request)) {
    case .open(let room):
      defer { giveBack(room) }
      return await answer(room)
    case .absent: return nothing ?? .tooManyRooms
    case .full: return .tooManyRooms
    case .failed(let words): return .unreadable(words)
    }
  }

  private func spend(_ operations: Int, paid: Int = 0, _ payer: Payer) -> Bool {
    requestBook.spend(operations, paid: paid, party: payer.address, now: now.monotonicMilliseconds)
  }

  /// Charges the client for reading a body, whatever the body contains.
  /// - Returns: how many operations were charged. `nil` if the rate is used up.
  private func spend(reading body: [UInt8], _ payer: Payer) -> Int? {
    let operations = min(body.count / RoomServiceWords.bytesForOperation, Int(limits.operationsPerMessage))
    return spend(operations, payer) ? operations : nil
  }

  /// Reads a body. A short one is read on this thread, because handing it to another thread would take longer.
  private func read(
    _ body: [UInt8],
    for party: String
  ) async -> Result<Result<Submission, MessageError>, HeavyWork.Refusal> {
    let operationsMax = limits.operationsPerMessage
    guard body.count > RoomServiceWords.shortBytesMax else { return .success(Submission.read(body, operationsMax)) }
    return await made(for: party) { Submission.read(body, operationsMax) }
  }
}

private enum RoomServiceWords {
  static let stamped: Text = "over HTTP only operators may write stamps; leave `at` out"
  /// A body is charged before it is read, as if it had one operation in every 1,024 bytes. Most operations are shorter
  /// than that.
  static let bytesForOperation = 1_024
  static let shortBytesMax = 8_192
}

extension Submission {
  fileprivate static func read(_ bytes: [UInt8], _ operationsMax: UInt64) -> Result<Submission, MessageError> {
    do throws(MessageError) {
      let read = try JSONEncoding.decodeSubmission(bytes.withoutByteOrderMark, operationsMax: operationsMax)
      return read.id?.isTooLong == true ? .failure(.rejected(MessageIdentifier.tooLong)) : .success(read)
    } catch {
      return .failure(error)
    }
  }
}

// These functions run on another thread, because reading a document and finding places in the drawing order takes long
// in a large room.

extension RoomService {
  private func made<Value: Sendable>(
    for party: String,
    _ work: @escaping @Sendable () -> Value
  ) async -> Result<Value, HeavyWork.Refusal> {
    do throws(HeavyWork.Refusal) {
      return .success(try await workOut(for: party, work))
    } catch {
      return .failure(error)
    }
  }
}

extension ImportedShape {
  fileprivate static func read(_ bytes: [UInt8], shapesMax: Int) -> Result<[ImportedShape], ImportError> {
    do throws(ImportError) {
      return .success(try Import.read(bytes.withoutByteOrderMark, shapesMax: shapesMax))
    } catch {
      return .failure(error)
    }
  }
}

extension LayoutEdits {
  fileprivate static func importing(
    _ shapes: [ImportedShape],
    into canvas: Canvas,
    _ randomness: some RandomNumberGenerator
  ) -> Result<LayoutEdits, Rejection> {
    var generator = randomness
    do throws(Rejection) {
      return .success(try LayoutEdits(importing: shapes, into: canvas, using: &generator))
    } catch {
      return .failure(error)
    }
  }
}

extension Response {
  fileprivate static func noRoom(_ limits: Limits) -> Response {
    error(409, code: "room_full", message: "the room may have at most \(limits.shapes) shapes")
  }

  fileprivate static func refusing(_ error: MessageError) -> Response {
    switch error {
    case .malformed(let words), .unknownType(let words), .badHello(let words), .badField(let words):
      .error(400, code: "bad_message", message: words.string)
    case .rejected(let rejection): .rejected(rejection)
    }
  }
}
