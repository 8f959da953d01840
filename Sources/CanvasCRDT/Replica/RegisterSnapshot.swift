/// The state of some of a shape's registers at one moment. A step that can be undone has two snapshots of each shape:
/// from before the step and from after it.
struct RegisterSnapshot: Sendable {
  var isLive: Bool

  /// The properties that the snapshot describes; `deleted` means the erasure. If a covered property has no value, its
  /// register did not exist at that moment.
  private(set) var covered = PropertyMask()

  private(set) var values = Properties()

  /// The stamps of the assigned values, in the order of the properties' bits.
  private(set) var stamps: [Stamp] = []

  init(isLive: Bool) { self.isLive = isLive }

  /// Whether the snapshot covers no register. It can still cover the erasure.
  var isEmpty: Bool { covered.intersection(.registers).isEmpty }

  func stamp(of property: Property) -> Stamp? {
    values.assigned.contains(property) ? stamps[place(of: property)] : nil
  }

  mutating func set(_ property: Property, to source: borrowing Properties, at stamp: Stamp) {
    remove(property)
    stamps.insert(stamp, at: place(of: property))
    values.take(property, from: source)
    covered.insert(property)
  }

  mutating func setAbsent(_ property: Property) {
    remove(property)
    covered.insert(property)
  }

  mutating func set(_ property: Property, from other: RegisterSnapshot) {
    if let stamp = other.stamp(of: property) {
      set(property, to: other.values, at: stamp)
    } else {
      setAbsent(property)
    }
  }

  mutating func uncover(_ property: Property) {
    remove(property)
    covered.remove(property)
  }

  /// Replaces the stamps of operations that were given new stamps.
  mutating func restamp(_ replaced: ReplacedStamps) {
    for index in stamps.indices {
      if let stamp = replaced[stamps[index]] { stamps[index] = stamp }
    }
  }

  private mutating func remove(_ property: Property) {
    guard values.assigned.contains(property) else { return }
    stamps.remove(at: place(of: property))
    values.clear(property)
  }

  private func place(of property: Property) -> Int {
    let lower: UInt32 = (1 << UInt32(property.rawValue)) - 1
    return (values.assigned.rawValue & lower).nonzeroBitCount
  }
}
