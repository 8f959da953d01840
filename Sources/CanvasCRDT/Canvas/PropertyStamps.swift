/// The stamps of a shape's properties. Those of the rare ones take no space until one of them is written.
struct PropertyStamps: Sendable {
  private var common = ForEachCommonProperty<Stamp>(repeating: .never)
  /// In the order of the bits, or empty.
  private var rare: [Stamp] = []

  @inline(__always)
  subscript(property: Property) -> Stamp {
    get {
      let place = Int(property.rawValue)
      return place < common.count ? common[place] : rareStamp(place &- common.count)
    }
    set {
      let place = Int(property.rawValue)
      if place < common.count { common[place] = newValue } else { setRare(place &- common.count, newValue) }
    }
  }

  @inline(never)
  private func rareStamp(_ place: Int) -> Stamp { place < rare.count ? rare[place] : .never }

  @inline(never)
  private mutating func setRare(_ place: Int, _ stamp: Stamp) {
    if rare.isEmpty { rare = [Stamp](repeating: .never, count: Property.count - common.count) }
    rare[place] = stamp
  }
}
