/// The live shapes of a canvas in the order in which they are drawn, from the back to the front: by `z`, then by
/// identifier.
///
/// An update costs two binary searches, and a shift of all entries between the shape's old and new place. Many updates
/// at once cost one pass over all entries.
public struct DrawingOrder: Sendable {
  /// A shape and its `z` key. Sorting these gives the drawing order.
  public struct Place: Hashable, Comparable, Sendable {
    public let shape: Identifier
    public let key: OrderKey

    public init(shape: Identifier, key: OrderKey) {
      self.shape = shape
      self.key = key
    }

    public static func < (left: Place, right: Place) -> Bool {
      left.key != right.key ? left.key < right.key : left.shape < right.shape
    }
  }

  /// A shape's index before and after a change of the order. `nil` means that the shape isn't in the order.
  public struct Move: Hashable, Sendable {
    public let from: Int?
    public let to: Int?
  }

  public private(set) var places: [Place] = []
  private var keys = IdentifierMap<OrderKey>()

  public init() {}

  public init(_ canvas: Canvas) {
    places.reserveCapacity(canvas.liveCount)
    keys.reserveCapacity(canvas.liveCount)
    for shape in canvas.shapes {
      places.append(Place(shape: shape.id, key: shape.properties.z))
      keys[shape.id] = shape.properties.z
    }
    places.sort()
  }

  // MARK: - Reading

  public var count: Int { places.count }
  public var isEmpty: Bool { places.isEmpty }

  public var identifiers: [Identifier] { places.map { $0.shape } }

  public func place(of shape: Identifier) -> Place? {
    keys[shape].map { Place(shape: shape, key: $0) }
  }

  /// The shape's index, which is the number of shapes drawn before it.
  public func index(of shape: Identifier) -> Int? {
    place(of: shape).map { place in index(of: place) }
  }

  /// The index of an entry, or the index at which to insert an entry that is missing.
  private func index(of place: Place) -> Int {
    // Most new shapes are drawn on top, so the end is tried before the binary search.
    guard let last = places.last, !(last < place) else { return places.count }
    return places.partitionIndex { places[$0] < place }
  }

  // MARK: - Updates from the canvas

  /// Updates the order after an operation that the canvas has already applied.
  /// - Returns: `nil` if the order hasn't changed.
  @discardableResult
  public mutating func update(_ change: Change, in canvas: borrowing Canvas) -> Move? {
    switch change.lifecycle {
    case .absent: return nil
    case .present where !change.changed.contains(.z) && !change.erased.contains(.z): return nil
    case .present, .appeared, .vanished: return update(change.shape, in: canvas)
    }
  }

  /// Updates the order after several changes that the canvas already has.
  /// - Returns: whether the order has changed.
  @discardableResult
  public mutating func update(_ changes: [Change], in canvas: borrowing Canvas) -> Bool {
    var isChanged = false
    guard changes.count >= DrawingOrder.onePassMin else {
      for change in changes where update(change, in: canvas) != nil { isChanged = true }
      return isChanged
    }
    var moved = IdentifierSet()
    for change in changes {
      let key = canvas[change.shape]?.properties.z
      guard key != keys[change.shape] else { continue }
      keys[change.shape] = key
      moved.insert(change.shape)
    }
    guard !moved.isEmpty else { return false }
    places.removeAll { moved.contains($0.shape) }
    for shape in moved.members { if let place = place(of: shape) { places.append(place) } }
    places.sort()
    return true
  }

  /// The number of changes from which on one pass over all entries is quicker than shifting them for each change.
  private static let onePassMin = 64

  /// Updates one shape's entry to match the canvas.
  @discardableResult
  public mutating func update(_ shape: Identifier, in canvas: borrowing Canvas) -> Move? {
    set(canvas[shape]?.properties.z, of: shape)
  }

  @discardableResult
  mutating func set(_ key: OrderKey?, of shape: Identifier) -> Move? {
    let before = place(of: shape)
    guard before?.key != key else { return nil }
    var from: Int?
    if let before {
      let index = index(of: before)
      places.remove(at: index)
      from = index
    }
    keys[shape] = key
    guard let key else { return Move(from: from, to: nil) }
    let after = Place(shape: shape, key: key)
    let to = index(of: after)
    places.insert(after, at: to)
    return from == to ? nil : Move(from: from, to: to)
  }
}

extension DrawingOrder: Equatable {
  public static func == (left: DrawingOrder, right: DrawingOrder) -> Bool { left.places == right.places }
}
