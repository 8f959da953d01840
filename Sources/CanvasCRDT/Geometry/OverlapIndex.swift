/// Knows which shapes of a canvas overlap, and is updated change by change.
///
/// The cost of a change grows with the number of the shape's neighbours, and logarithmically with the number of shapes.
/// Answers depend only on the outlines, and lists are sorted, so all replicas give the same answers.
public struct OverlapIndex: Sendable {
  struct Entry: Sendable {
    var identifier: Identifier
    var placed: PlacedOutline
    var leaf: Int32
    /// The overlapping shapes, in the order of identifiers.
    var neighbours: [Neighbour]
  }

  /// An overlapping shape. Its index in `entries` is stored here too: a look-up in a dictionary would cost more than
  /// everything else that is done with it.
  struct Neighbour: Sendable {
    var identifier: Identifier
    var place: Int32
  }

  /// The entries. An unused entry keeps its old shape, without neighbours, until it is used again.
  private(set) var entries: [Entry] = []
  private(set) var places = IdentifierMap<Int32>()
  private(set) var tree = BoxTree()
  private var unusedPlaces: [Int32] = []

  /// The result of the last query. It is kept so that the next query can reuse its memory.
  private var candidates: [Int32] = []
  /// For each entry, a number that `meet` sets during one change. It says whether the entry's shape overlapped the
  /// changed shape before the change, and whether it does so after the change.
  private var marks: [UInt32] = []
  private var lastMark: UInt32 = 0

  /// How many overlapping pairs are in the index.
  public private(set) var pairCount = 0

  /// An upper bound on the pairs in the index. A thousand shapes on one spot are already half a million pairs of 32
  /// bytes. An index that would exceed the bound is crowded, and stores no pairs.
  public let pairsMax: Int

  /// How much work may still go into finding pairs, in units of one comparison of two boxes. Shapes that are near each
  /// other cost steps even if they don't overlap. When no steps are left, the index is crowded. `nil` means no limit.
  public var stepsLeft: Int?

  /// Whether the index has given up on pairs: there are too many to store, or finding them takes too much work. A
  /// crowded index knows no pairs, but still answers where a box fits and which shapes are at a point. `lookAgain`
  /// searches for the pairs again. If `stepsLeft` is `nil` or refilled, the index also does so by itself, after half as
  /// many changes as there are shapes.
  public private(set) var isCrowded = false
  /// How many changes have come since the index last became crowded.
  private var changesUnseen = 0

  /// Whether each change adds steps to `stepsLeft`. `shown(_:)` sets this.
  private var isRefilled = false

  public init(pairsMax: Int = Int.max, stepsLeft: Int? = nil) {
    self.pairsMax = pairsMax
    self.stepsLeft = stepsLeft
  }

  /// How many shapes are in the index, without hidden shapes.
  public var count: Int { places.count }

  public func outline(of identifier: Identifier) -> Outline? {
    places[identifier].map { entries[Int($0)].placed.outline }
  }
}

// MARK: - Changes

extension OverlapIndex {
  /// Sets a shape's outline, which is `nil` if the shape is deleted or hidden.
  ///
  /// An outline without an area or without a finite position counts as `nil`. The update allocates nothing if the shape
  /// was in the index before and no overlap begins or ends.
  public mutating func update(_ identifier: Identifier, to outline: Outline?) -> OverlapChanges {
    guard let outline else { return remove(identifier) }
    let known = places[identifier]
    if let known, entries[Int(known)].placed.outline == outline { return OverlapChanges() }
    let placed = PlacedOutline(outline)
    guard placed.hasArea, placed.box.isFinite else { return remove(identifier) }
    let place: Int32
    if let known {
      place = known
      entries[Int(place)].placed = placed
      tree.move(entries[Int(place)].leaf, to: placed.box, turned: TurnedBox(TurnedExtent(placed)))
    } else {
      place = add(identifier, placed)
    }
    if isCrowded { return changedWhileCrowded() }
    refill()
    let changes = meet(place)
    return pairCount > pairsMax || isOutOfSteps ? crowd(undoing: changes) : changes
  }

  private mutating func add(_ identifier: Identifier, _ placed: PlacedOutline) -> Int32 {
    let place = unusedPlaces.popLast() ?? Int32(entries.count)
    let leaf = tree.insert(placed.box, turned: TurnedBox(TurnedExtent(placed)), payload: place)
    let entry = Entry(identifier: identifier, placed: placed, leaf: leaf, neighbours: [])
    if Int(place) == entries.count {
      entries.append(entry)
      marks.append(0)
    } else {
      entries[Int(place)] = entry
    }
    places[identifier] = place
    return place
  }

  private mutating func remove(_ identifier: Identifier) -> OverlapChanges {
    guard let place = places.removeValue(forKey: identifier) else { return OverlapChanges() }
    var changes = OverlapChanges()
    let neighbours = entries[Int(place)].neighbours
    entries[Int(place)].neighbours = []
    pairCount -= neighbours.count
    for neighbour in neighbours {
      changes.ended.append(ShapePair(identifier, neighbour.identifier))
      entries[Int(neighbour.place)].forget(identifier)
    }
    tree.remove(entries[Int(place)].leaf)
    unusedPlaces.append(place)
    return isCrowded ? changedWhileCrowded() : changes
  }

  /// Drops all pairs. The result lists the pairs from before the last change as ended.
  private mutating func crowd(undoing last: OverlapChanges) -> OverlapChanges {
    // `pairs` and `began` are both sorted, so one pass finds the pairs that began with the last change.
    var began = last.began[...]
    var ended = last.ended
    for pair in pairs {
      if pair == began.first { began.removeFirst() } else { ended.append(pair) }
    }
    ended.sort()
    forgetPairs()
    var changes = OverlapChanges()
    changes.ended = ended
    return changes
  }

  private mutating func forgetPairs() {
    for place in entries.indices { entries[place].neighbours = [] }
    pairCount = 0
    isCrowded = true
    changesUnseen = 0
  }

  /// Counts a change, and sometimes searches for all pairs again. The search is expensive, so it comes only after many
  /// changes.
  private mutating func changedWhileCrowded() -> OverlapChanges {
    changesUnseen += 1
    guard stepsLeft == nil || isRefilled, 2 * changesUnseen >= places.count else { return OverlapChanges() }
    if isRefilled { stepsLeft = OverlapIndex.stepsMax(shapes: places.count) }
    return lookAgain()
  }

  private mutating func refill() {
    guard isRefilled, let left = stepsLeft else { return }
    stepsLeft = Swift.min(left + OverlapIndex.stepsPerChange, OverlapIndex.stepsMax(shapes: places.count))
  }

  private var isOutOfSteps: Bool { stepsLeft.map { $0 < 0 } ?? false }

  private mutating func spend(_ steps: Int) {
    if let left = stepsLeft { stepsLeft = left - steps }
  }

  /// Whether the index is crowded and has changed after its last search. Without a change, another search would have
  /// the same result.
  public var isWorthALook: Bool { isCrowded && changesUnseen > 0 }

  /// Searches for all pairs again if the index is crowded. If the search succeeds, `began` of the result has all pairs.
  public mutating func lookAgain() -> OverlapChanges {
    var changes = OverlapChanges()
    guard isWorthALook else { return changes }
    isCrowded = false
    findAllPairs()
    changes.began = pairs
    return changes
  }

  /// Finds the shapes that now overlap the shape of an entry, and compares them with the shape's earlier neighbours.
  private mutating func meet(_ place: Int32) -> OverlapChanges {
    let wasOverlapping = nextMark()
    let stillOverlapping = wasOverlapping + 1
    for neighbour in entries[Int(place)].neighbours { marks[Int(neighbour.place)] = wasOverlapping }
    let identifier = entries[Int(place)].identifier
    let placed = entries[Int(place)].placed
    spend(findCandidates(for: placed))

    var changes = OverlapChanges()
    var remaining = 0
    for candidate in candidates where candidate != place {
      var steps = 0
      defer { spend(steps) }
      // When no steps are left, no more outlines are compared. The result is then incomplete, so the caller drops all
      // pairs.
      guard
        isOutOfSteps
          ? marks[Int(candidate)] == wasOverlapping
          : placed.overlaps(entries[Int(candidate)].placed, steps: &steps)
      else { continue }
      if marks[Int(candidate)] == wasOverlapping {
        marks[Int(candidate)] = stillOverlapping
        remaining += 1
      } else {
        changes.began.append(ShapePair(identifier, entries[Int(candidate)].identifier))
        entries[Int(candidate)].remember(Neighbour(identifier: identifier, place: place))
        marks[Int(candidate)] = stillOverlapping
      }
    }
    if remaining < entries[Int(place)].neighbours.count {
      for neighbour in entries[Int(place)].neighbours where marks[Int(neighbour.place)] == wasOverlapping {
        changes.ended.append(ShapePair(identifier, neighbour.identifier))
        entries[Int(neighbour.place)].forget(identifier)
      }
    }
    pairCount += changes.began.count - changes.ended.count
    if !changes.isEmpty {
      rewriteNeighbours(of: place, marked: stillOverlapping)
      changes.began.sort()
    }
    return changes
  }

  /// Finds the shapes that an outline might overlap. A line overlaps nothing, so no shapes are searched for it,
  /// although thousands of lines can cross it.
  /// - Returns: how many steps the search took.
  private mutating func findCandidates(for placed: PlacedOutline) -> Int {
    candidates.removeAll(keepingCapacity: true)
    return placed.overlaps ? tree.collect(touching: TurnedExtent(placed), into: &candidates) : 0
  }

  private mutating func rewriteNeighbours(of place: Int32, marked stillOverlapping: UInt32) {
    var neighbours: [Neighbour] = []
    for candidate in candidates where candidate != place && marks[Int(candidate)] == stillOverlapping {
      neighbours.append(Neighbour(identifier: entries[Int(candidate)].identifier, place: candidate))
    }
    neighbours.sort { $0.identifier < $1.identifier }
    entries[Int(place)].neighbours = neighbours
  }

  /// Returns a mark that no entry has. The mark plus one is unused too.
  private mutating func nextMark() -> UInt32 {
    if lastMark >= UInt32.max - 3 {
      for place in marks.indices { marks[place] = 0 }
      lastMark = 0
    }
    lastMark += 2
    return lastMark
  }
}

extension OverlapIndex.Entry {
  /// The index of a neighbour, or the index at which to insert it.
  private func position(of identifier: Identifier) -> Int {
    var low = 0
    var high = neighbours.count
    while low < high {
      let middle = low + (high - low) / 2
      if neighbours[middle].identifier < identifier { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate mutating func remember(_ neighbour: OverlapIndex.Neighbour) {
    neighbours.insert(neighbour, at: position(of: neighbour.identifier))
  }

  fileprivate mutating func forget(_ identifier: Identifier) {
    let position = position(of: identifier)
    if position < neighbours.count, neighbours[position].identifier == identifier { neighbours.remove(at: position) }
  }
}

// MARK: - Limits for drawings on a screen

extension OverlapIndex {
  /// An upper bound on the pairs that a server announces by default (R9). More pairs than this are too many for people
  /// to tell apart.
  public static let pairsShownMax = 20_000
  /// How many comparisons for each shape a server allows by default.
  public static let stepsPerShape = 500
  /// Added to the number of shapes when the allowed comparisons are computed. Without it, a drawing of a few hundred
  /// crowded shapes could run out of comparisons.
  private static let shapesAlways = 8_000
  /// How many more comparisons each change allows. An ordinary change takes about a hundred.
  private static let stepsPerChange = 5_000

  /// An upper bound on the comparisons that finding all pairs of a drawing may take.
  public static func stepsMax(shapes: Int, perShape: Int = stepsPerShape) -> Int { (shapesAlways + shapes) * perShape }

  /// An index with the default limits of a server (R9), for a drawing on a screen. With these limits, even many shapes
  /// on one spot cost little. An index with too many pairs lacks some of them. It looks for all of them again after n / 2
  /// changes, where n is the number of shapes.
  public static func shown(_ shapes: [(identifier: Identifier, outline: Outline)]) -> OverlapIndex {
    var index = OverlapIndex(shapes, pairsMax: pairsShownMax, stepsLeft: stepsMax(shapes: shapes.count))
    index.isRefilled = true
    return index
  }
}

// MARK: - Bulk loading

extension OverlapIndex {
  /// Builds the index from all shapes of a canvas, which is much faster than adding them one by one. If a shape is
  /// given twice, its later outline counts.
  public init(
    _ shapes: [(identifier: Identifier, outline: Outline)],
    pairsMax: Int = Int.max,
    stepsLeft: Int? = nil
  ) {
    self.pairsMax = pairsMax
    self.stepsLeft = stepsLeft
    var latest = IdentifierMap<Int>()
    latest.reserveCapacity(shapes.count)
    for (offset, shape) in shapes.enumerated() { latest[shape.identifier] = offset }
    var identifiers: [Identifier] = []
    var outlines: [PlacedOutline] = []
    for (offset, shape) in shapes.enumerated() where latest[shape.identifier] == offset {
      let placed = PlacedOutline(shape.outline)
      guard placed.hasArea, placed.box.isFinite else { continue }
      identifiers.append(shape.identifier)
      outlines.append(placed)
    }
    // Entries are stored in the order of the tree. So shapes that are near each other on the canvas are near each other
    // in memory too.
    let order = HilbertOrder.offsets(of: outlines.map { $0.box })
    let turned = order.map { TurnedBox(TurnedExtent(outlines[$0])) }
    tree = BoxTree(
      ordered: order.map { outlines[$0].box },
      turned: turned.contains { !$0.isNone } ? turned : [],
      widened: true
    )
    marks = Array(repeating: 0, count: order.count)
    entries.reserveCapacity(order.count)
    places.reserveCapacity(order.count)
    for offset in order {
      let place = Int32(entries.count)
      entries.append(
        Entry(identifier: identifiers[offset], placed: outlines[offset], leaf: place, neighbours: [])
      )
      places[identifiers[offset]] = place
    }
    findAllPairs()
  }

  /// Finds all pairs. No entry may have neighbours yet. If there are too many pairs to store, or finding them takes too
  /// much work, the search stops and the index is crowded.
  private mutating func findAllPairs() {
    for place in entries.indices where places[entries[place].identifier] == Int32(place) {
      let placed = entries[place].placed
      var steps = findCandidates(for: placed)
      defer { spend(steps) }
      for candidate in candidates where Int(candidate) > place {
        if let stepsLeft, steps > stepsLeft { return forgetPairs() }
        guard placed.overlaps(entries[Int(candidate)].placed, steps: &steps) else { continue }
        let identifier = entries[place].identifier
        entries[place].neighbours.append(
          Neighbour(identifier: entries[Int(candidate)].identifier, place: candidate)
        )
        entries[Int(candidate)].neighbours.append(Neighbour(identifier: identifier, place: Int32(place)))
        pairCount += 1
        if pairCount > pairsMax { return forgetPairs() }
      }
    }
    for place in entries.indices { entries[place].neighbours.sort { $0.identifier < $1.identifier } }
  }
}

// MARK: - Questions

extension OverlapIndex {
  public var pairs: [ShapePair] {
    var pairs: [ShapePair] = []
    for identifier in places.keys.sorted() {
      guard let place = places[identifier] else { continue }
      for neighbour in entries[Int(place)].neighbours where identifier < neighbour.identifier {
        pairs.append(ShapePair(identifier, neighbour.identifier))
      }
    }
    return pairs
  }

  /// The shapes that a shape overlaps, sorted.
  public func neighbours(of identifier: Identifier) -> [Identifier] {
    guard let place = places[identifier] else { return [] }
    return entries[Int(place)].neighbours.map { $0.identifier }
  }

  /// The shapes that an upright box would overlap, sorted.
  public func overlapping(_ box: Rect) -> [Identifier] {
    let placed = PlacedOutline(Outline(box))
    return identifiers(touching: placed.box) { placed.overlaps($0) }
  }

  /// The shapes whose outlines share area with an upright box, sorted. Unlike `overlapping`, this includes texts,
  /// because a text can be selected like any other shape.
  public func meeting(_ box: Rect) -> [Identifier] {
    let placed = PlacedOutline(Outline(box))
    return identifiers(touching: placed.box) { other in
      if other.overlaps { return placed.overlaps(other) }
      var area = other.outline
      area.kind = .rectangle
      return placed.overlaps(PlacedOutline(area))
    }
  }

  /// The shapes whose outline contains a point, sorted. A point on the outline counts.
  public func shapes(at point: Point) -> [Identifier] {
    identifiers(touching: Box(minX: point.x, minY: point.y, maxX: point.x, maxY: point.y)) { $0.contains(point) }
  }

  /// The shapes whose bounds meet or touch the given bounds, sorted. A picture of this area needs no other shapes.
  public func shapes(in bounds: Rect) -> [Identifier] {
    let asked = Box(bounds)
    return identifiers(touching: asked) { placed in
      placed.box.minX <= asked.maxX && asked.minX <= placed.box.maxX && placed.box.minY <= asked.maxY
        && asked.minY <= placed.box.maxY
    }
  }

  /// Whether an upright box would overlap no shape.
  func isFree(_ box: Rect) -> Bool {
    let placed = PlacedOutline(Outline(box))
    return !tree.contains(touching: placed.box) { entries[Int($0)].placed.overlaps(placed) }
  }

  private func identifiers(touching box: Box, where isWanted: (PlacedOutline) -> Bool) -> [Identifier] {
    var found: [Identifier] = []
    _ = tree.contains(touching: box) { place in
      if isWanted(entries[Int(place)].placed) { found.append(entries[Int(place)].identifier) }
      return false
    }
    found.sort()
    return found
  }
}
