/// The last writer of a shape, as a number for JavaScript: an actor, 0 or −1. 0 means that several people changed the
/// shape while the client was disconnected. −1 means that the server refused one of the user's own edits.
struct Writer {
  let number: Double

  init(_ origin: ChangeOrigin, own: Identifier) {
    switch origin {
    case .own: number = own.number
    case .remote(let actor): number = actor.number
    case .room: number = 0
    case .rejection: number = -1
    }
  }
}

/// The changes since the page last fetched changes. The page fetches them just before it draws a frame. All changes of
/// a shape between two frames are one entry, so the shape is drawn once. Before there are too many entries, as in a tab
/// that is hidden for hours, they are replaced by a reset.
struct UnseenChanges {
  struct ShapeChange {
    /// The changed properties, as a `PropertyMask`. The bit after the last property means the shown name.
    var mask: UInt32 = 0
    var by = 0.0
    /// The box towards which the page moves the deleted shape. `nil` if the deletion gives no box.
    var departure: Rect?
  }

  private(set) var shapes = IdentifierMap<ShapeChange>()
  private(set) var isOrderChanged = false
  /// Whether the page has to fetch the whole drawing again.
  private(set) var isReset = false

  /// How many entries there can be. With more of them, a reset takes the page less time.
  static let shapesMax = 20_000

  static let nameBit: UInt32 = 1 << UInt32(Property.count)

  private static var ends: PropertyMask { [.position, .size, .rotation, .path] }

  var isOverfull: Bool { shapes.count > UnseenChanges.shapesMax }

  mutating func note(_ change: Change, by writer: Writer) {
    if isReset { return }
    var entry = shapes[change.shape] ?? ShapeChange()
    entry.mask |= change.changed.union(change.erased).rawValue
    entry.by = writer.number
    if change.lifecycle == .appeared { entry.departure = nil }
    shapes[change.shape] = entry
  }

  mutating func noteName(of shape: Identifier) {
    if !isReset { shapes[shape, default: ShapeChange()].mask |= UnseenChanges.nameBit }
  }

  /// Records that a line's ends have moved with the shapes that they are tied to.
  mutating func noteEnds(of line: Identifier, by writer: Writer) {
    if isReset { return }
    var entry = shapes[line] ?? ShapeChange()
    entry.mask |= UnseenChanges.ends.rawValue
    entry.by = writer.number
    shapes[line] = entry
  }

  mutating func noteOrder() {
    isOrderChanged = true
  }

  mutating func depart(_ departure: ShapeEdit) {
    if isReset { return }
    shapes[departure.shape, default: ShapeChange()].departure =
      Rect(origin: departure.set.position, size: departure.set.size)
  }

  mutating func noteReset() {
    self = UnseenChanges()
    isReset = true
    isOrderChanged = true
  }
}
