/// One room for a page. A session has the replica, and what the page needs all the time: the drawing order, the shown
/// names and the overlaps. These are updated with each change, so questions are cheap.
///
/// It is a class because it is large and nothing needs a copy.
final class Session {
  var replica: Replica
  /// `nil` until the page wants the session to look after its connection.
  var line: ReplicaLine?
  private var textLosses: TextLosses
  private(set) var order = DrawingOrder()
  private var shownNames = ShownNames()
  /// The shapes that were named, made or deleted since the shown names were last updated.
  private var named = IdentifierSet()

  /// A number that grows whenever the shown drawing changes.
  private(set) var revision: UInt32 = 0

  /// The changes that the page hasn't fetched yet.
  private(set) var unseen = UnseenChanges()

  private var plane = Plane()
  private var ties = TiedLines()
  /// The shapes that have moved since the lines tied to them were last updated. The value is who moved the shape.
  private var moved = IdentifierMap<Writer>()
  /// A cache of tied lines with their ends as drawn. Finding the ends is slow, and the page needs a line several times
  /// in a frame.
  private var drawnLines = IdentifierMap<Shape>()

  /// The properties that decide how far a shape's stroke and caption reach.
  private static let reaching: PropertyMask = [.kind, .strokeWidth, .text, .textSize]

  private(set) var reaches = Reaches()

  /// The session's own random numbers: for new identifiers, `z` keys and colours.
  var chance: SplitMix

  init(_ replica: Replica, seed: UInt64) {
    self.replica = replica
    textLosses = TextLosses(of: replica)
    chance = SplitMix(seed: seed)
    rebuild()
  }

  /// Calls `question` with the replica in place. Returning the replica instead would copy all of it.
  func with<Answer>(_ question: (inout Replica) -> Answer) -> Answer { question(&replica) }

  /// Updates the order, the names and the overlaps after an event.
  /// - Returns: the effects for the page.
  func follow(_ effects: [ReplicaEffect], at now: Moment) -> [ReplicaEffect] {
    for effect in effects {
      switch effect {
      case .changed(let changes, let origin):
        revision &+= 1
        let canvas = replica.canvas
        for change in changes { follow(change, by: Writer(origin, own: replica.actor), in: canvas) }
        if order.update(changes, in: canvas) { unseen.noteOrder() }
      case .departed(let departure): unseen.depart(departure)
      case .reset: rebuild()
      default: break
      }
    }
    return line?.follow(effects, of: &replica, at: now) ?? effects
  }

  /// Notes in which shape another person writes.
  func note(_ actor: Identifier, writesIn shape: Identifier?, at now: Moment) {
    textLosses.note(actor, writesIn: shape, at: replica.serverMilliseconds(at: now))
  }

  /// The texts of this user's that were lost.
  func losses(through effects: [ReplicaEffect], at now: Moment) -> [TextLosses.Loss] {
    textLosses.follow(effects, of: replica, at: now)
  }

  private func follow(_ change: Change, by writer: Writer, in canvas: Canvas) {
    let shape = change.shape
    if unseen.isOverfull || moved.count > UnseenChanges.shapesMax { forgetUnseen() }
    unseen.note(change, by: writer)
    if ShownNames.concerns(change) { named.insert(shape) }
    let touched = change.changed.union(change.erased)
    if change.lifecycle != .present || !touched.intersection(Session.reaching).isEmpty {
      reaches.note(shape, canvas[shape]?.reach)
    }
    if change.lifecycle != .present || !touched.intersection(.outline).isEmpty {
      plane.noteChange(of: shape)
      moved[shape] = writer
    } else if !touched.intersection(.leading).isEmpty {
      plane.noteChange(of: shape)
    }
    drawnLines[shape] = nil
    if change.lifecycle != .present || !touched.intersection([.kind, .from, .to]).isEmpty {
      ties.update(shape, to: canvas[shape])
    }
  }

  /// The shown names. They are updated only when they are needed, because a change of one name can change those of all
  /// other shapes, and there can be many changes in a frame.
  var names: ShownNames {
    for renamed in shownNames.update(named.members, in: replica.canvas) { unseen.noteName(of: renamed) }
    named.removeAll()
    return shownNames
  }

  /// Treats the lines that are tied to moved shapes as changed. Called only when a query needs these lines, because
  /// thousands of lines can be tied to a shape that moves many times in a frame.
  private func moveTiedLines() {
    for (place, shape) in moved.keys.enumerated() {
      for line in ties.lines(of: shape) {
        unseen.noteEnds(of: line, by: moved.values[place])
        plane.noteChange(of: line)
        drawnLines[line] = nil
      }
    }
    moved.removeAll()
  }

  private func rebuild() {
    revision &+= 1
    let canvas = replica.canvas
    order = DrawingOrder(canvas)
    shownNames = ShownNames(canvas)
    named.removeAll()
    reaches = Reaches()
    ties = TiedLines()
    moved.removeAll()
    drawnLines.removeAll()
    for shape in canvas.shapes {
      reaches.note(shape.id, shape.reach)
      ties.update(shape.id, to: shape)
    }
    plane.noteReset()
    unseen.noteReset()
  }

  /// Makes the page fetch the whole drawing, because there are too many changes.
  private func forgetUnseen() {
    _ = names
    moved.removeAll()
    drawnLines.removeAll()
    plane.noteReset()
    unseen.noteReset()
  }

  /// A shape as it is drawn: a tied end of a line is drawn at the shape that it is tied to.
  func drawn(_ shape: Identifier) -> Shape? {
    moveTiedLines()
    return drawn(shape, in: replica.canvas)
  }

  private func drawn(_ id: Identifier, in canvas: Canvas) -> Shape? {
    if let known = drawnLines[id] { return known }
    guard let shape = canvas[id] else { return nil }
    guard shape.findsItsPlace else { return shape }
    let drawn = canvas.drawn(shape)
    drawnLines[id] = drawn
    return drawn
  }

  /// Returns the changes that the page hasn't fetched yet, and clears them.
  func takeUnseen() -> UnseenChanges {
    _ = names
    moveTiedLines()
    defer { unseen = UnseenChanges() }
    return unseen
  }

  private func placeShapes() {
    moveTiedLines()
    let canvas = replica.canvas
    plane.follow(canvas) { drawn($0, in: canvas) }
  }

  var overlaps: OverlapIndex {
    placeShapes()
    return plane.overlaps
  }

  /// The pairs that began or stopped overlapping since the last call.
  func takePairs() -> [ChangedPair] {
    placeShapes()
    return plane.takePairs()
  }
}
