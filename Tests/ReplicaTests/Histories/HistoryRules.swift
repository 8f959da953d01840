@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// MARK: - The rules

extension HistoryPlay {
  /// Checks that an undo or redo changed only the client's own values. There is one exception: a redo that deletes a
  /// shape can remove other people's values that an undo had restored.
  mutating func checkOthers(_ host: Int, from before: Canvas, to after: Canvas, isUndo: Bool) {
    let writes = room.hosts[host].writes!
    for shape in IdentifierSet(after.operations().map(\.shape)).members {
      let (wasLive, isLive) = (before.contains(shape), after.contains(shape))
      if !wasLive, isLive {
        returned[host, default: [:]][shape] = Set(
          after.registers(of: shape).compactMap { after.stamp(of: $0, in: shape) }
        )
        if let erasure = before.stamp(of: .deleted, in: shape), writes.place(of: erasure) == nil {
          fail(.others, "\(shape) is back, which \(erasure.actor) had deleted")
        }
      }
      for property in before.registers(of: shape) {
        guard let stamp = before.stamp(of: property, in: shape), stamp != after.stamp(of: property, in: shape) else {
          continue
        }
        if writes.place(of: stamp) != nil { continue }
        if wasLive, !isLive, !isUndo, returned[host]?[shape]?.contains(stamp) == true { continue }
        fail(.others, "\(property) of \(shape) was written by \(stamp.actor)")
      }
    }
  }

  mutating func checkLone() {
    guard isExact, failure == nil else { return }
    let writes = room.hosts[0].writes!
    // The model can't predict the result if the server accepted an edit under an old actor's stamp, and then refused
    // the same edit under the new actor's stamp.
    let taken = Set(room.log.map(\.at))
    if writes.isUnsure || writes.isExchangeRefused
      || writes.refused.contains(where: { !taken.isDisjoint(with: writes.all[$0].stamps) })
    {
      isExact = false
      return
    }
    // A value can be refused after an undo or redo has written it again. Then the model can't predict the result,
    // because the value still exists in that later operation.
    let done = model.places
    for place in writes.refused {
      // Undoing a step that made and deleted the same shape writes nothing. So if the deletion is refused, the shape
      // remains.
      if !done.contains(place), writes.all[place].set.deleted { (isExact, mayBeLeft) = (false, true) }
      guard done.contains(place) else { continue }
      let refused = writes.all[place]
      let isBack = writes.all.indices.contains { other in
        let later = writes.all[other]
        return other > place && !done.contains(other) && later.shape == refused.shape
          && (later.set.deleted || !later.set.assigned.intersection(refused.gone).isEmpty)
      }
      if isBack { isExact = false }
    }
    guard isExact else { return }
    let expected = model.picture(writes)
    let shown = Picture(room.hosts[0].replica.canvas)
    if shown != expected { fail(.lone, Picture.difference(expected, shown)) }
  }

  mutating func rest() {
    settle(for: 120_000)
    for host in room.hosts.indices {
      let replica = room.hosts[host].replica
      if replica.unsentCount > 0 { fail(.rest, "\(host) has edits that were not sent") }
      if replica.canvas != room.canvas {
        fail(.rest, "\(host): " + Picture.difference(Picture(room.canvas), Picture(replica.canvas)))
      }
      if let first = room.hosts[host].failures.first { fail(.rest, "\(host): \(first)") }
      checkNewest(host)
    }
    let refused = room.hosts.flatMap(\.rejected).count { $0.code == .clockAhead || $0.code == .tooOld }
    if refused > clockRefusals { fail(.clock, "\(refused - clockRefusals) edits") }
    checkLone()
  }

  /// Checks the values that the server has accepted from a client: in each register, the newest one must win.
  private mutating func checkNewest(_ host: Int) {
    let writes = room.hosts[host].writes!
    var newest: [Identifier: [Property: Int]] = [:]
    for (place, write) in writes.all.enumerated() {
      for property in write.left.assigned {
        if property == .deleted { newest[write.shape] = [:] }
        newest[write.shape, default: [:]][property] = place
      }
    }
    for shape in IdentifierSet(room.canvas.operations().map(\.shape)).members {
      for property in room.canvas.registers(of: shape) {
        guard let stamp = room.canvas.stamp(of: property, in: shape), let place = writes.place(of: stamp) else {
          continue
        }
        let own = newest[shape]?[property] ?? -1
        let erased = newest[shape]?[.deleted] ?? -1
        if place < max(own, erased) {
          fail(.newest, "\(host)'s \(property) of \(shape), write \(place), stands over write \(max(own, erased))")
        }
      }
    }
  }

  /// Undoes all steps, which must leave an empty canvas if only one person edits. Then redoes them, which must restore
  /// the drawing.
  mutating func everything() {
    exchangeAll(isUndo: false)
    let before = room.canvas
    exchangeAll(isUndo: true)
    if history.people == 1, !mayBeLeft, room.canvas.liveCount > 0 {
      fail(.everything, "\(room.canvas.liveCount) shapes are left")
    }
    exchangeAll(isUndo: false)
    if Picture(before) != Picture(room.canvas) {
      fail(.everything, Picture.difference(Picture(before), Picture(room.canvas)))
    }
  }

  private mutating func exchangeAll(isUndo: Bool) {
    for _ in 0..<200 where isUndo ? room.hosts[0].replica.canUndo : room.hosts[0].replica.canRedo {
      step(0, isUndo: isUndo)
      checkLone()
    }
    rest()
  }
}

extension UndoRedoLawTests.Picture {
  static func difference(_ expected: Self, _ shown: Self) -> String {
    for (shape, values) in expected.shapes {
      guard let there = shown.shapes[shape] else { return "\(shape) is gone" }
      for property in Property.allCases where property != .deleted {
        if !values.agrees(on: property, with: there) { return "\(property) of \(shape) differs" }
      }
      if values.name != there.name { return "\(shape) is \(there.name), not \(values.name)" }
    }
    return shown.shapes.keys.first { expected.shapes[$0] == nil }.map { "\($0) has appeared" } ?? "alike"
  }
}
