import CanvasCRDT
import WebSocketLoop

// Requests of operators: list and remove the people in a room, lock the room, have it forget deletions, revert
// somebody's edits.

extension RoomService {
  func removal(of actor: String, from name: String, by request: Request) async -> Response {
    guard let actor = Identifier(actor) else { return .noSuchPeer }
    switch await remove(actor, from: name, by: request) {
    case .done: return .done
    case .absent: return .noSuchPeer
    case .unanswered: return .unavailable("the node that has this actor doesn't answer; try again")
    }
  }

  /// Only rooms that somebody has written to can be locked. Otherwise made-up names could make the list of locks grow.
  func locking(_ name: String, by request: Request) async -> Response {
    await reading(name, request) { _ in await self.setting(lockOf: name, to: true, by: request) }
  }

  func setting(lockOf name: String, to isLocked: Bool, by request: Request) async -> Response {
    switch await setLock(name, isLocked: isLocked, by: request) {
    case .success: .done
    case .failure(.noSuchRoom): .noSuchRoom
    case .failure(.unstored(let fault)): .unavailable(fault.words)
    case .failure(.refused(let refusal)): .refusing(refusal)
    }
  }

  // MARK: Deletions

  func memoryDocument(_ room: OpenedRoom, _ name: String) -> Response {
    guard let memory = memory(of: room) else { return .roomIsGone }
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.key("room")
    writer.value(text: Text(name))
    writer.key("erasures")
    writer.value(UInt64(memory.erasures))
    writer.key("most")
    writer.value(limits.erasures)
    writer.key("forgottenBefore")
    writer.value(memory.forgottenBefore)
    writer.endObject()
    return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
  }

  func forgetting(_ request: Request, _ name: String, _ grant: Grant) async -> Response {
    let now = now.wallMilliseconds
    let before = request.parameter("before").map { UInt64($0) } ?? now
    guard let before, before <= now else {
      return .error(
        400,
        code: "bad_request",
        message: "before must be a time in Unix milliseconds, and not in the future"
      )
    }
    return await reading(name, request) { room in
      let writer = self.writer(of: request, with: grant, in: name, needs: .operator)
      if case .failure(let refusal) = await self.forgetErasures(of: room, before: before, by: writer) {
        return refusal.response
      }
      self.record("forgot", request, room: name, actor: nil)
      return .done
    }
  }

  // MARK: What somebody has written

  /// Writes operations that revert everything that an actor has written, as far as history goes back.
  func takingBack(_ actor: String, in name: String, _ request: Request, _ grant: Grant) async -> Response {
    guard let actor = Identifier(actor) else { return .noSuchActor }
    return await reading(name, request) { room in
      guard var view = self.view(of: room) else { return .roomIsGone }
      defer { self.drop(view, of: room) }
      let work: TakingBack
      switch await self.readingHistory(of: room, at: .position(view.position), leavingOut: actor, request) {
      case .success(let history): work = TakingBack(history)
      case .failure(let refusal): return refusal.response
      }
      defer {
        self.requestBook.historyTurns.leave(self.party(of: request))
        self.free(work, shapes: work.shapeCount)
      }
      guard work.wasHere else { return .noSuchActor }
      // The edits get an actor of their own instead of the operator's, so that they can be reverted separately from the
      // operator's other edits.
      var randomness = self.randomness()
      var writer = self.writer(of: request, with: grant, in: name, needs: .operator)
      writer.actor = self.keys.newActor(in: view.name, using: &randomness)
      var shapes: [Identifier] = []
      var cursor = view.cursor
      // A refusal can come after some parts are written.
      defer { if !shapes.isEmpty { self.record("took_back", request, room: name, actor: actor.text) } }
      for _ in 0..<TakingBack.roundsMax {
        if let refusal = await self.update(work, &view, of: room, request) { return refusal }
        while let part = self.nextPart(of: work, for: room) {
          switch await self.submit(part, to: room, by: writer) {
          case .success(let stored): cursor = stored
          case .failure(let refusal): return refusal.response
          }
          shapes += part.map { $0.shape }
        }
        guard work.hasLeftOut else { break }
        await self.settle(room)
      }
      guard !shapes.isEmpty else { return .written(view.cursor, shapes: [], by: writer.actor) }
      let (end, written, by) = (cursor, shapes, writer.actor)
      return await self.heavily(request) { .written(end, shapes: written, by: by) }
    }
  }

  /// Makes the edits for the room as it is now. The room may change meanwhile. The edits are then brought up to date,
  /// which takes less time each round. A busy room changes in every round. Then few edits are brought up to date here,
  /// so that the room can't change before it gets them. Of many, those for shapes that change are left out.
  /// - Returns: the refusal, or `nil`.
  private func update(
    _ work: TakingBack,
    _ view: inout RoomView,
    of room: OpenedRoom,
    _ request: Request
  ) async -> Response? {
    for _ in 0..<TakingBack.roundsMax {
      do throws(HeavyWork.Refusal) {
        let seen = view
        try await workOut(for: party(of: request)) { work.follow(seen) }
      } catch {
        return .refusing(error)
      }
      guard let now = self.view(of: room) else { return .roomIsGone }
      if now.position == view.position { break }
      drop(view, of: room)
      view = now
    }
    if work.position != view.position, work.operations.count <= operationsAtOnce { work.catchUp(with: view) }
    return nil
  }

  /// The next operations to write, or `nil` if there are none.
  private func nextPart(of work: TakingBack, for room: OpenedRoom) -> [ProposedOperation]? {
    let coming = registersBeingStored(in: room)
    return view(of: room).flatMap { work.take(operationsAtOnce, for: $0, sparing: coming) }
  }

  /// Taking back writes at most this many operations at once, because each batch keeps the loop busy as a whole.
  private var operationsAtOnce: Int { Int(clamping: limits.operationsPerMessage) }

  func peopleDocument(_ name: String) -> Response {
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
  static let done = Response(status: 204)
  fileprivate static let noSuchPeer = error(404, code: "no_such_peer", message: "this actor is not in the room")
  fileprivate static let noSuchActor = error(
    404,
    code: "no_such_actor",
    message: "this actor has written nothing here, as far as the room's history goes back"
  )

  static let locked = error(403, code: "read_only", message: "the room is locked: only operators may write")
}

extension Person {
  /// As operators see it.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("actor")
    writer.value(actor)
    writer.key("name")
    writer.value(text: peer.name)
    writer.key("color")
    writer.value(peer.color)
    writer.key("role")
    writer.value(role.wireName)
    if let token = origin.token {
      writer.key("token")
      writer.value(text: Text(token))
    }
    writer.key("address")
    writer.value(text: Text(origin.address))
    writer.endObject()
  }
}

/// The outcome of removing somebody.
enum Removal: Sendable {
  case done
  /// The actor is not in the room.
  case absent
  /// The node to which the actor is connected has not answered.
  case unanswered
}
