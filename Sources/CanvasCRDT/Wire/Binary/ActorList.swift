/// The distinct actors in the order of their first occurrence, and the index of each.
struct ActorList {
  private(set) var list: [Identifier] = []

  /// The indices by actor. Only filled for a long list, where a linear search would take longer than hashing.
  private var places = IdentifierMap<Int>()

  /// A small cache: the index that was found last for each value of an actor's lowest bits. A room has few writers, so
  /// the cached index is nearly always right.
  private var hints = InlineArray<64, Int32>(repeating: -1)

  private static let shortLength = 16

  @inline(__always)
  mutating func enter(_ actor: Identifier) {
    if hinted(actor) == nil { enterUnhinted(actor) }
  }

  /// The index of an actor, which must be in the list.
  @inline(__always)
  func place(of actor: Identifier) -> Int {
    if let place = hinted(actor) { return place }
    guard let place = find(actor) else { preconditionFailure("an actor is looked up that was not entered") }
    return place
  }

  @inline(__always)
  private static func hint(_ actor: Identifier) -> Int {
    Int(truncatingIfNeeded: (actor.packed &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  @inline(__always)
  private func hinted(_ actor: Identifier) -> Int? {
    let place = Int(hints[ActorList.hint(actor)])
    return place >= 0 && list[place] == actor ? place : nil
  }

  private mutating func enterUnhinted(_ actor: Identifier) {
    if let place = find(actor) {
      hints[ActorList.hint(actor)] = Int32(truncatingIfNeeded: place)
      return
    }
    hints[ActorList.hint(actor)] = Int32(truncatingIfNeeded: list.count)
    list.append(actor)
    if list.count == ActorList.shortLength + 1 {
      for (place, actor) in list.enumerated() { places[actor] = place }
    } else if list.count > ActorList.shortLength {
      places[actor] = list.count - 1
    }
  }

  private func find(_ actor: Identifier) -> Int? {
    if list.count > ActorList.shortLength { return places[actor] }
    for index in list.indices where list[index] == actor { return index }
    return nil
  }
}
