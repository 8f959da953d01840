import CanvasCRDT
import TerminalCanvas

// Selecting shapes, and following people.

extension LiveCanvas {
  func select(_ shapes: [Identifier]) {
    selection = shapes
    showInLayers()
    host.invalidate()
  }

  /// Adds a shape and its group to the selection. Removes both if the shape is selected.
  func toggle(_ shape: Identifier) {
    let group = group(of: shape)
    if selected.contains(shape) {
      let removed = Set(group)
      selection.removeAll { removed.contains($0) }
    } else {
      selection += group.filter { !selected.contains($0) }
    }
    showInLayers()
  }

  func selectAll() { select(unlocked(drawing.order.identifiers)) }

  func unlocked(_ shapes: [Identifier]) -> [Identifier] {
    let canvas = canvas
    return shapes.filter { canvas[$0]?.properties.isLocked == false }
  }

  /// Selects the next visible shape in z-order.
  func selectNext(backwards: Bool) {
    let places = drawing.order.places
    guard !places.isEmpty, !drawing.items.isEmpty else { return }
    var index = selection.last.flatMap { drawing.order.index(of: $0) } ?? (backwards ? 0 : -1)
    for _ in 0..<places.count {
      index = (index + (backwards ? places.count - 1 : 1)) % places.count
      let shape = places[index].shape
      if drawing.items[shape] != nil {
        select([shape])
        show(shape)
        return
      }
    }
  }

  /// Moves the view so that the shape is in it.
  func show(_ shape: Identifier) {
    guard let outline = drawn(shape)?.outline, !view.visibleBox.intersects(outline.bounds) else { return }
    stopFollowing()
    view.show(center: outline.bounds.center)
  }

  private func showInLayers() {
    guard let shape = selection.last, let index = drawing.order.index(of: shape), layout.layers.count > 0 else {
      return
    }
    let row = drawing.count - 1 - index
    if row < layersStart { layersStart = row }
    if row >= layersStart + layout.layers.count { layersStart = row - layout.layers.count + 1 }
  }

  /// The shape in a row of the list of layers.
  func layer(inRow row: Int) -> Identifier? {
    let index = drawing.count - 1 - layersStart - row
    return drawing.order.places.indices.contains(index) ? drawing.order.places[index].shape : nil
  }

  // MARK: - Following

  /// Follows the next person. After the last one, follows nobody.
  func followNext() {
    let actors = client.replica.peers.map { $0.actor }
    guard !actors.isEmpty else {
      say("Nobody else is here.")
      return
    }
    let index = followed.flatMap { actors.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    follow(index < actors.count ? actors[index] : nil)
  }

  func follow(_ actor: Identifier?) {
    followed = actor
    awaitsView = false
    guard let actor, let peer = client.replica.peer(actor) else {
      say("You are not following anyone.")
      return
    }
    awaitsView = people[actor]?.view == nil
    say(awaitsView ? "\(peer.shownName) hasn’t looked around yet." : "You see what \(peer.shownName) sees.")
  }

  /// Stops following, because the user has moved the view themselves.
  func stopFollowing() { followed = nil }
}
