import CanvasCRDT

// Who overlaps whom: kept up only while somebody asks.

extension OverlapIndex {
  /// Of all that can be seen.
  init(of canvas: Canvas, pairsMax: Int) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    outlines.reserveCapacity(canvas.liveCount)
    for shape in canvas.shapes where shape.properties.visible { outlines.append((shape.id, shape.outline)) }
    self.init(outlines, pairsMax: pairsMax)
  }
}

extension Room {
  var wantsOverlaps: Bool { memberCounts[2] + memberCounts[3] > 0 }

  /// A change that may move an outline is looked at once, at the end of the beat.
  mutating func noteForOverlaps(_ change: Change) {
    switch change.lifecycle {
    case .absent: return
    case .present where change.changed.union(change.erased).intersection(.outline).isEmpty: return
    case .present, .appeared, .vanished: unsettledShapes.insert(change.shape)
    }
  }

  /// Brings the index up to the canvas; returns the difference, each pair in one of the lists at most.
  mutating func settleOverlaps(now: Moment) -> OverlapChanges {
    guard index != nil, !unsettledShapes.isEmpty || isLookDue(now) else { return OverlapChanges() }
    var net: [ShapePair: Bool] = [:]
    func note(_ changes: OverlapChanges) {
      // What begins and ends again in one beat was never there.
      for pair in changes.began { net[pair] = net[pair] == nil ? true : nil }
      for pair in changes.ended { net[pair] = net[pair] == nil ? false : nil }
    }
    for shape in unsettledShapes.sorted() {
      let live = canvas[shape]
      guard let changes = index?.update(shape, to: live?.properties.visible == true ? live?.outline : nil) else {
        break
      }
      note(changes)
    }
    unsettledShapes.removeAll(keepingCapacity: true)
    if isLookDue(now), let changes = index?.lookAgain() {
      note(changes)
      lookedAt = now.monotonicMilliseconds
    }
    guard wantsOverlaps else { return OverlapChanges() }
    var changes = OverlapChanges()
    for (pair, began) in net {
      if began { changes.began.append(pair) } else { changes.ended.append(pair) }
    }
    changes.began.sort()
    changes.ended.sort()
    return changes
  }

  /// Where too many overlap, whether that is so still is looked at every so often while something changes: it may
  /// take as long as telling all that may be told.
  private func isLookDue(_ now: Moment) -> Bool {
    index?.isWorthALook == true && now.monotonicMilliseconds >= lookedAt &+ Room.lookMilliseconds
  }

  /// A beat is due for a look alone.
  mutating func lookIfDue(now: Moment) {
    if wantsOverlaps, isLookDue(now) { gather(now) }
  }

  private static let lookMilliseconds: UInt64 = 2_000

  /// The index is needed from here on, for notices.
  mutating func keepOverlaps(_ now: Moment) {
    guard !wantsOverlaps else { return }
    flush(now: now)
    makeIndex()
    pairsAtStart = Set(index?.pairs ?? [])
    pairsSince = ring.end
  }

  private mutating func makeIndex() {
    guard index == nil else { return }
    index = OverlapIndex(of: canvas, pairsMax: Int(clamping: limits.overlapPairs))
    unsettledShapes = []
  }

  /// The index as the canvas is now, for a question over HTTP; the next will find it ready.
  mutating func overlapIndex(now: Moment) -> OverlapIndex {
    indexNeededUntil = now.monotonicMilliseconds &+ limits.indexIdleMilliseconds
    // Where notices are asked for, the beat must tell what changes.
    if wantsOverlaps { flush(now: now) }
    _ = settleOverlaps(now: now)
    makeIndex()
    return index ?? OverlapIndex()
  }

  /// In as many messages as the bound on one asks for; one even where there is nothing to tell.
  func notices(began: [ShapePair], ended: [ShapePair]) -> [OverlapNotice] {
    // Twenty-eight bytes a pair in the longer of the encodings.
    let pairsMax = max(1, Int(clamping: limits.messageBytes / 32) - 4)
    var notices: [OverlapNotice] = []
    var began = began[...]
    var ended = ended[...]
    repeat {
      let first = began.prefix(pairsMax)
      let second = ended.prefix(pairsMax - first.count)
      began = began.dropFirst(first.count)
      ended = ended.dropFirst(second.count)
      notices.append(
        OverlapNotice(began: Array(first), ended: Array(second), more: !began.isEmpty || !ended.isEmpty)
      )
    } while !began.isEmpty || !ended.isEmpty
    return notices
  }
}
