import CanvasCRDT

/// Makes events from a room's changes. A drag changes a shape's position many times a second. All these changes become
/// one event, which is made when the shape has stopped changing.
struct RoomLedger: Sendable {
  /// A shape that hasn't changed for this long has come to rest.
  static let restMilliseconds: UInt64 = 300
  /// A shape that keeps changing is reported after this long.
  static let restlessMillisecondsMax: UInt64 = 5_000

  private struct ShapeEntry {
    var name: Text
    var isNew: Bool
    var mask: PropertyMask
    var set: Properties
    var by: RoomEvent.Writer
    let since: UInt64
    var due: UInt64
    let number: Int
  }

  private struct PairEntry {
    var overlaps: Bool
    let first: ShapeName
    let second: ShapeName
    let since: UInt64
    var due: UInt64
  }

  private(set) var picture: RoomPicture
  private(set) var people = People()
  private var shapes: [Identifier: ShapeEntry] = [:]
  private var pairs: [ShapePair: PairEntry] = [:]
  private var departing: Set<Identifier> = []
  private var entryCount = 0
  /// Whether the overlaps couldn't be listed at the last report.
  private var isToldUnlisted: Bool
  /// When to report that this has changed. `nil` if nothing has to be reported.
  private var unlistingDue: UInt64?

  init(_ canvas: Canvas) {
    picture = RoomPicture(canvas)
    isToldUnlisted = picture.overlaps.isCrowded
  }

  /// The latest time, on the monotonic clock, at which to call `due`.
  var nextDue: UInt64? {
    var next = unlistingDue
    for entry in shapes.values { next = min(next ?? entry.due, entry.due) }
    for (pair, entry) in pairs {
      // An overlap is reported after the changes of its shapes.
      let due = max(entry.due, shapes[pair.first]?.due ?? 0, shapes[pair.second]?.due ?? 0)
      next = min(next ?? due, due)
    }
    return next
  }

  func name(of shape: Identifier) -> ShapeName {
    ShapeName(id: shape, name: picture.names.name(of: shape) ?? Text(shape.text))
  }

  /// The shape's name before a change. If the canvas no longer has the shape, this is the last known name.
  private func nameBefore(_ shape: Identifier) -> ShapeName {
    ShapeName(id: shape, name: picture.names.name(of: shape) ?? shapes[shape]?.name ?? Text(shape.text))
  }

  mutating func note(_ peer: Peer) { people.note(peer) }
  mutating func note(all peers: [Peer]) { people.note(all: peers) }
  mutating func noteLeft(_ actor: Identifier) { people.noteLeft(actor) }

  /// Notes that the shape's next change is its deletion by the black hole.
  mutating func depart(_ shape: Identifier) { departing.insert(shape) }

  /// Starts again after the room was loaded anew. Returns the waiting events, and then one event for each difference
  /// from `earlier`.
  mutating func reset(to canvas: Canvas, from earlier: Canvas, at now: Moment) -> [RoomEvent] {
    var events = due(at: now, isLast: true)
    let before = picture
    picture = RoomPicture(canvas)
    departing = []
    func nameBefore(_ shape: Identifier) -> ShapeName {
      ShapeName(id: shape, name: before.names.name(of: shape) ?? Text(shape.text))
    }
    func add(_ what: RoomEvent.What, by writer: RoomEvent.Writer? = .several) {
      events.append(told(RoomEvent(milliseconds: now.wallMilliseconds, what: what, by: writer)))
    }
    for place in before.order.places where canvas[place.shape] == nil {
      add(.deleted(nameBefore(place.shape), intoBlackHole: false))
    }
    for place in picture.order.places {
      guard let shape = canvas[place.shape] else { continue }
      guard let old = earlier[place.shape] else {
        add(.made(name(of: shape.id), shape.properties))
        continue
      }
      let changes = shape.changes(since: old)
      if !changes.assigned.isEmpty { add(.changed(name(of: shape.id), changes)) }
    }
    if let event = unlisting(at: now) { return events + [event] }
    let overlaps = (before: Set(before.overlaps.pairs), now: Set(picture.overlaps.pairs))
    for pair in overlaps.before.subtracting(overlaps.now).sorted() {
      add(.overlapEnded(nameBefore(pair.first), nameBefore(pair.second)), by: nil)
    }
    var areas = CommonAreas()
    for pair in overlaps.now.subtracting(overlaps.before).sorted() {
      if let began = overlapBegan(pair, &areas) { add(began, by: nil) }
    }
    return events
  }

  // MARK: - Taking in

  /// Notes changes that `canvas` already has. Returns events that can't wait.
  mutating func take(
    _ changes: [Change],
    by writer: RoomEvent.Writer,
    on canvas: Canvas,
    at now: Moment
  ) -> [RoomEvent] {
    var events: [RoomEvent] = []
    picture.reorder(after: changes, in: canvas)
    for change in changes {
      let before = nameBefore(change.shape)
      let wasCrowded = picture.overlaps.isCrowded
      let overlaps = picture.follow(change, in: canvas)
      if let entry = shapes[change.shape], !entry.by.isSameHand(as: writer) || change.lifecycle == .vanished {
        shapes[change.shape] = nil
        events.append(event(entry, before.id, at: now))
      }
      switch change.lifecycle {
      case .vanished:
        let isDeparting = departing.remove(change.shape) != nil
        events.append(
          RoomEvent(
            milliseconds: now.wallMilliseconds,
            what: .deleted(before, intoBlackHole: isDeparting),
            by: writer
          )
        )
      case .appeared, .present: note(change, before: before, by: writer, on: canvas, at: now)
      case .absent: break
      }
      guard picture.overlaps.isCrowded == wasCrowded else {
        pairs = [:]
        unlistingDue = now.monotonicMilliseconds + RoomLedger.restMilliseconds
        continue
      }
      for pair in overlaps.began { note(pair, overlaps: true, gone: before, at: now) }
      for pair in overlaps.ended { note(pair, overlaps: false, gone: before, at: now) }
    }
    return events
  }

  /// The event that takes the place of all pairs if there have become too many to list, or no longer are.
  private mutating func unlisting(at now: Moment) -> RoomEvent? {
    unlistingDue = nil
    guard picture.overlaps.isCrowded != isToldUnlisted else { return nil }
    isToldUnlisted.toggle()
    let what: RoomEvent.What = isToldUnlisted ? .overlapsUnlisted : .overlapsListed(picture.overlaps.pairCount)
    return RoomEvent(milliseconds: now.wallMilliseconds, what: what, by: nil)
  }

  private mutating func note(
    _ change: Change,
    before: ShapeName,
    by writer: RoomEvent.Writer,
    on canvas: Canvas,
    at now: Moment
  ) {
    guard let shape = canvas[change.shape] else { return }
    let time = now.monotonicMilliseconds
    let isNew = change.lifecycle == .appeared
    entryCount += 1
    var entry =
      shapes[shape.id]
      ?? ShapeEntry(
        name: isNew ? name(of: shape.id).name : before.name,
        isNew: isNew,
        mask: [],
        set: Properties(),
        by: writer,
        since: time,
        due: time,
        number: entryCount
      )
    entry.mask = entry.mask.union(change.changed).union(change.erased).intersection(.registers)
    if entry.isNew {
      entry.mask = entry.mask.union(shape.properties.assigned)
      entry.name = name(of: shape.id).name
    }
    entry.set = entry.isNew ? shape.properties.keeping(entry.mask) : shape.values(of: entry.mask)
    entry.due = RoomLedger.due(since: entry.since, now: time)
    shapes[shape.id] = entry
  }

  private mutating func note(_ pair: ShapePair, overlaps: Bool, gone: ShapeName, at now: Moment) {
    let time = now.monotonicMilliseconds
    if let entry = pairs[pair], entry.overlaps != overlaps {
      // The pair's state is the same as in the last report, so there is nothing to report.
      pairs[pair] = nil
      return
    }
    func name(_ shape: Identifier) -> ShapeName { shape == gone.id ? gone : self.name(of: shape) }
    var entry =
      pairs[pair]
      ?? PairEntry(overlaps: overlaps, first: name(pair.first), second: name(pair.second), since: time, due: time)
    entry.due = RoomLedger.due(since: entry.since, now: time)
    pairs[pair] = entry
  }

  private static func due(since: UInt64, now: UInt64) -> UInt64 {
    min(now + restMilliseconds, since + restlessMillisecondsMax)
  }

  // MARK: - Telling

  /// The events of shapes that have come to rest, in order. Overlaps come after the changes that caused them.
  /// - Parameter isLast: also returns the events of shapes that still move, because there will be no later call.
  mutating func due(at now: Moment, isLast: Bool = false) -> [RoomEvent] {
    let time = isLast ? UInt64.max : now.monotonicMilliseconds
    var events: [RoomEvent] = []
    let rested = shapes.filter { $0.value.due <= time }.sorted { $0.value.number < $1.value.number }
    for (shape, entry) in rested {
      shapes[shape] = nil
      events.append(event(entry, shape, at: now))
    }
    // An overlap is not reported while one of its shapes is still changing, because the overlap can change too.
    let settled = pairs.filter { pair, entry in
      entry.due <= time && shapes[pair.first] == nil && shapes[pair.second] == nil
    }
    var areas = CommonAreas()
    for (pair, entry) in settled.sorted(by: { $0.key < $1.key }) {
      pairs[pair] = nil
      events.append(event(entry, pair, &areas, at: now))
    }
    if let due = unlistingDue, due <= time, let event = unlisting(at: now) { events.append(event) }
    return events
  }

  private func event(_ entry: ShapeEntry, _ shape: Identifier, at now: Moment) -> RoomEvent {
    let name = ShapeName(id: shape, name: entry.name)
    return told(
      RoomEvent(
        milliseconds: now.wallMilliseconds,
        what: entry.isNew ? .made(name, entry.set) : .changed(name, entry.set),
        by: entry.by
      )
    )
  }

  /// Adds the present names of the shapes that the event refers to.
  private func told(_ event: RoomEvent) -> RoomEvent {
    var event = event
    switch event.what {
    case .made(_, let set), .changed(_, let set):
      for tie in [set.from, set.to] {
        if let shape = tie?.shape { event.tied[shape] = name(of: shape).name }
      }
    default: break
    }
    return event
  }

  private func event(_ entry: PairEntry, _ pair: ShapePair, _ areas: inout CommonAreas, at now: Moment) -> RoomEvent {
    let began = entry.overlaps ? overlapBegan(pair, &areas) : nil
    return RoomEvent(
      milliseconds: now.wallMilliseconds,
      what: began ?? .overlapEnded(entry.first, entry.second)
    )
  }

  private func overlapBegan(_ pair: ShapePair, _ areas: inout CommonAreas) -> RoomEvent.What? {
    guard let first = picture.overlaps.outline(of: pair.first), let second = picture.overlaps.outline(of: pair.second)
    else { return nil }
    return .overlapBegan(name(of: pair.first), name(of: pair.second), share: areas.share(first, second))
  }
}
