/// One room for a page: the replica, and beside it what the page asks for all the time: the drawing order, the shown
/// names, the overlaps. These are kept up to date with the changes, so that a question costs no more than its answer.
///
/// A class, because it is large and nothing needs a copy.
final class Session {
  var replica: Replica
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()

  /// A number that grows whenever the shown drawing changes.
  private(set) var revision: UInt32 = 0

  /// The changes that the page has not been told yet.
  private(set) var unseen = UnseenChanges()

  private var plane = Plane()
  private var ties = TiedLines()

  /// Nothing that is painted reaches farther beyond its outline. Shapes outside a box may reach into it by this much.
  private(set) var strokeReachMax = 0.0

  /// The host's own randomness: new identifiers, keys of the drawing order, colours.
  var chance: SplitMix

  init(_ replica: Replica, seed: UInt64) {
    self.replica = replica
    chance = SplitMix(seed: seed)
    rebuild()
  }

  /// Reads the replica in place. `replica.question` would copy all of it.
  func with<Answer>(_ question: (inout Replica) -> Answer) -> Answer { question(&replica) }

  /// Takes in the effects of an event.
  func follow(_ effects: [ReplicaEffect]) {
    for effect in effects {
      switch effect {
      case .changed(let changes, let origin):
        revision &+= 1
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
    if touched.contains(.strokeWidth) || touched.contains(.kind) { noteReach(of: canvas[shape]) }
    if change.lifecycle != .present || !touched.intersection(.outline).isEmpty {
      plane.noteChange(of: shape)
      // Lines that are tied to it follow it.
      for line in ties.lines(of: shape) {
        unseen.noteEnds(of: line, by: writer)
        plane.noteChange(of: line)
      }
    }
    if change.lifecycle != .present || !touched.intersection([.kind, .from, .to]).isEmpty {
      ties.update(shape, to: canvas[shape])
    }
  }

  private func rebuild() {
    revision &+= 1
    let canvas = replica.canvas
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
    strokeReachMax = 0
    ties = TiedLines()
    for shape in canvas.shapes {
      noteReach(of: shape)
      ties.update(shape.id, to: shape)
    }
    plane.noteReset()
    unseen.noteReset()
  }

  private func noteReach(of shape: Shape?) {
    guard let properties = shape?.properties else { return }
    let width = properties.strokeWidth
    strokeReachMax = max(strokeReachMax, properties.kind.isStroke ? DrawnLine.reach(width) : width / 2)
  }

  /// A shape as it is drawn: a line's tied ends lie where the shapes are that they are tied to.
  func drawn(_ shape: Identifier) -> Shape? {
    let canvas = replica.canvas
    return canvas.drawn(shape)
  }

  /// Returns the changes that the page has not been told yet. From then on they count as told.
  func takeUnseen() -> UnseenChanges {
    defer { unseen = UnseenChanges() }
    return unseen
  }

  /// The overlaps, up to date.
  var overlaps: OverlapIndex {
    plane.follow(replica.canvas)
    return plane.overlaps
  }

  /// The pairs that began or ceased to overlap since the last call.
  func takePairs() -> [ChangedPair] {
    plane.follow(replica.canvas)
    return plane.takePairs()
  }
}
