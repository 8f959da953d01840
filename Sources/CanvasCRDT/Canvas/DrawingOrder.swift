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

  /// Updates the order after changes that the canvas already has.
  /// - Returns: whether the order has changed.
  @discardableResult
  public mutating func update(_ changes: [Change], in canvas: borrowing Canvas) -> Bool {
    var isChanged = false
    var moved = IdentifierSet()
    for change in changes where DrawingOrder.mayChange(by: change) {
      let key = canvas[change.shape]?.properties.z
      let before = keys[change.shape]
      guard key != before else { continue }
      isChanged = true
      if before == nil, let key, index(of: Place(shape: change.shape, key: key)) == places.count {
        set(key, of: change.shape)
      } else {
        moved.insert(change.shape)
      }
    }
    guard moved.count >= DrawingOrder.onePassMin else {
      for shape in moved.members { update(shape, in: canvas) }
      return isChanged
    }
    for shape in moved.members { keys[shape] = canvas[shape]?.properties.z }
    places.removeAll { moved.contains($0.shape) }
    for shape in moved.members { if let place = place(of: shape) { places.append(place) } }
    places.sort()
    return true
  }

  private static func mayChange(by change: Change) -> Bool {
    switch change.lifecycle {
    case .absent: false
    case .present: change.changed.contains(.z) || change.erased.contains(.z)
    case .appeared, .vanished: true
    }
  }

  /// From this number of shapes on that don't come on top, one pass over all entries is quicker than shifting them for
  /// each.
  private static let onePassMin = 64

  /// Updates one shape's entry to match the canvas.
  public mutating func update(_ shape: Identifier, in canvas: borrowing Canvas) {
    set(canvas[shape]?.properties.z, of: shape)
  }

  mutating func set(_ key: OrderKey?, of shape: Identifier) {
    let before = place(of: shape)
    guard before?.key != key else { return }
    if let before { places.remove(at: index(of: before)) }
    keys[shape] = key
    guard let key else { return }
    let after = Place(shape: shape, key: key)
    places.insert(after, at: index(of: after))
  }
}

extension DrawingOrder: Equatable {
  public static func == (left: DrawingOrder, right: DrawingOrder) -> Bool { left.places == right.places }
}
