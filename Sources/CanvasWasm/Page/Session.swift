/// One room as a page has it: the replica, and beside it what a page asks at every turn — the drawing order, the names
/// shown, what lies where — kept up with the changes, so that asking costs what is answered and no more.
///
/// A class, because it is large and nobody has use for a copy.
final class Session {
  var replica: Replica
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()

  /// What the page has not yet been told of.
  private(set) var unseen = UnseenChanges()

  private var plane = Plane()

  /// No stroke in the drawing is wider, so that nothing seen from its edge is missed.
  private(set) var strokeWidthMax = 0.0

  /// For what a replica leaves to its host: new identifiers, keys of the drawing order, colours.
  var chance: SplitMix

  init(_ replica: Replica, seed: UInt64) {
    self.replica = replica
    chance = SplitMix(seed: seed)
    rebuild()
  }

  /// Asks the replica in place. `replica.question` would copy the whole of it, with all that it refers to.
  func with<Answer>(_ question: (inout Replica) -> Answer) -> Answer { question(&replica) }

  /// Takes in what an event has led to.
  func follow(_ effects: [ReplicaEffect]) {
    for effect in effects {
      switch effect {
      case .changed(let changes, let origin):
        let canvas = replica.canvas
        for change in changes { follow(change, by: Writer(origin, own: replica.actor), in: canvas) }
      case .departed(let departure): unseen.depart(departure)
      case .reset: rebuild()
      default: break
      }
    }
  }

  private func follow(_ change: Change, by writer: Writer, in canvas: Canvas) {
    let shape = change.shape
    unseen.note(change, by: writer)
    if order.update(change, in: canvas) != nil { unseen.noteOrder() }
    for renamed in names.update(change, in: canvas) { unseen.noteName(of: renamed) }
    let touched = change.changed.union(change.erased)
    if touched.contains(.strokeWidth) {
      strokeWidthMax = max(strokeWidthMax, canvas[shape]?.properties.strokeWidth ?? 0)
    }
    if change.lifecycle != .present || !touched.intersection(.outline).isEmpty {
      plane.noteChange(of: shape)
    }
  }

  private func rebuild() {
    let canvas = replica.canvas
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
    strokeWidthMax = 0
    for shape in canvas.shapes { strokeWidthMax = max(strokeWidthMax, shape.properties.strokeWidth) }
    plane.noteReset()
    unseen.noteReset()
  }

  /// What the page has not yet been told of, which it is by now.
  func takeUnseen() -> UnseenChanges {
    defer { unseen = UnseenChanges() }
    return unseen
  }

  /// What lies where by now.
  var overlaps: OverlapIndex {
    plane.follow(replica.canvas)
    return plane.overlaps
  }

  /// The pairs that began or ceased to overlap since this was last asked.
  func takePairs() -> [ChangedPair] {
    plane.follow(replica.canvas)
    return plane.takePairs()
  }
}
