import CanvasCRDT

/// A piece of work on a room's index of overlaps. Another thread does it, because it would keep the event loop busy too
/// long. The room gives its index away, and has no index until the work is done.
///
/// A `Handover` carries the work, so that the room keeps no second reference to the index. Then the index is changed in
/// place instead of being copied.
struct OverlapWork: Sendable {
  /// Where the work gets the outlines of the shapes.
  enum Source: Sendable {
    /// Builds the whole index from the canvas.
    case all(Canvas)
    /// The outlines of the shapes that have changed. A shape without an outline is deleted or hidden.
    case shapes([(shape: Identifier, outline: Outline?)])
    /// Another thread reads these shapes from the canvas, because reading many outlines takes a while.
    case shapesOf(Canvas, Set<Identifier>)
    /// There is nothing to read: the index is only freed. For many shapes that takes a while, so another thread does
    /// it.
    case nothing
  }

  /// The number of the work.
  let number: UInt64
  var index: OverlapIndex?
  let source: Source
  /// Whether to check if a room that had too many pairs still has too many.
  let looksAgain: Bool
  /// Whether the outcome has to contain all pairs, for members who want notices.
  let wantsPairs: Bool
  /// The log position that the index has after the work.
  let position: UInt64
  let pairsMax: Int
  let stepsMax: Int
}

/// The result of the work.
struct OverlapOutcome: Sendable {
  let number: UInt64
  let index: OverlapIndex
  let position: UInt64
  /// Whether the outcome has all pairs, because the order asked for them. Otherwise it has only the pairs that began
  /// and ended.
  let isAll: Bool
  let changes: OverlapChanges
}

extension OverlapWork {
  /// - Returns: `nil` if the work was only to free something.
  consuming func done() -> OverlapOutcome? {
    // `take` leaves only one reference to the index, so that it is changed in place instead of being copied.
    var index = self.index.take() ?? OverlapIndex(pairsMax: pairsMax)
    index.stepsLeft = stepsMax
    var net = NetChanges()
    switch source {
    case .nothing: return nil
    case .all(let canvas): index = OverlapIndex(of: canvas, pairsMax: pairsMax, stepsLeft: stepsMax)
    case .shapes(let shapes): for (shape, outline) in shapes { net.note(index.update(shape, to: outline)) }
    case .shapesOf(let canvas, let shapes):
      for shape in shapes.sorted() {
        net.note(index.update(shape, to: canvas[shape]?.visibleOutline))
      }
    }
    if looksAgain { net.note(index.lookAgain()) }
    var changes = OverlapChanges()
    if wantsPairs { changes.began = index.pairs } else { changes = net.changes }
    return OverlapOutcome(number: number, index: index, position: position, isAll: wantsPairs, changes: changes)
  }
}

/// Several changes combined. A pair that begins and ends again, or ends and begins again, has not changed.
struct NetChanges {
  private var net: [ShapePair: Bool] = [:]

  mutating func note(_ changes: OverlapChanges) {
    for pair in changes.began { net[pair] = net[pair] == nil ? true : nil }
    for pair in changes.ended { net[pair] = net[pair] == nil ? false : nil }
  }

  var changes: OverlapChanges {
    var changes = OverlapChanges()
    for (pair, began) in net {
      if began { changes.began.append(pair) } else { changes.ended.append(pair) }
    }
    changes.began.sort()
    changes.ended.sort()
    return changes
  }
}

extension OverlapIndex {
  /// An index of all visible shapes.
  init(of canvas: borrowing Canvas, pairsMax: Int, stepsLeft: Int) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    outlines.reserveCapacity(canvas.liveCount)
    for shape in canvas.shapes where shape.properties.visible { outlines.append((shape.id, shape.outline)) }
    self.init(outlines, pairsMax: pairsMax, stepsLeft: stepsLeft)
  }
}
