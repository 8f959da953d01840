import CanvasCRDT
import TerminalCanvas

// Edits of shapes.

extension LiveCanvas {
  func edit(_ edits: [ShapeEdit]) {
    guard !edits.isEmpty else { return }
    client.edit { replica, now in replica.edit(edits, at: now) }
  }

  /// Changes all selected shapes in one undo step. Does nothing if one of them is locked.
  func change(_ body: (Shape, inout Properties) -> Void) { change(selection, body) }

  private func change(_ shapes: [Identifier], _ body: (Shape, inout Properties) -> Void) {
    guard !refusesLocked(shapes) else { return }
    write(shapes, body)
  }

  private func write(_ shapes: [Identifier], _ body: (Shape, inout Properties) -> Void) {
    let canvas = canvas
    edit(
      shapes.compactMap { id in
        guard let shape = canvas[id] else { return nil }
        var set = Properties()
        body(shape, &set)
        return set.assigned.isEmpty ? nil : ShapeEdit(shape: id, set: set)
      }
    )
  }

  // MARK: - Locks and groups

  /// Returns whether any of these shapes is locked (S12). If so, tells the user.
  func refusesLocked(_ shapes: [Identifier]) -> Bool {
    let canvas = canvas
    guard let locked = shapes.first(where: { canvas[$0]?.properties.isLocked == true }) else { return false }
    say("\(drawing.name(of: locked)) is locked: k unlocks what is selected.", .warning)
    return true
  }

  /// Sets the lock of the selected shapes. If all of them are locked already, removes the lock.
  func toggleLock() {
    let canvas = canvas
    let isLocked = selection.allSatisfy { canvas[$0]?.properties.isLocked == true }
    write(selection) { shape, set in
      if shape.properties.isLocked == isLocked { set.isLocked = !isLocked }
    }
  }

  /// Groups the selected shapes. Ungroups them if they are one group.
  func toggleGroup() {
    let canvas = canvas
    let groups = Set(selection.map { canvas[$0]?.properties.group })
    let isOne = groups.count == 1 && groups != [nil]
    guard isOne || selection.count > 1 else {
      say("Select several shapes to group them.")
      return
    }
    let group = isOne ? nil : Identifier.random(using: &chance)
    change { _, set in set.group = group }
  }

  /// The shape and the unlocked shapes of its group (S13).
  func group(of shape: Identifier) -> [Identifier] {
    let canvas = canvas
    guard let group = canvas[shape]?.properties.group else { return [shape] }
    return drawing.order.identifiers.filter { id in
      guard let properties = canvas[id]?.properties else { return false }
      return id == shape || properties.group == group && !properties.isLocked
    }
  }

  // MARK: - Adding

  /// Where to put a new shape: at the mouse, or in the middle of the view if the mouse is elsewhere.
  var newPlace: Point { pointer.flatMap { view.visibleBox.contains($0) ? $0 : nil } ?? view.center }

  func add(_ kind: ShapeKind) {
    var set = Properties()
    set.kind = kind
    let isBox = kind == .rectangle || kind == .roundedRectangle
    let size = isBox ? Size(width: 150, height: 120) : Size(width: 140, height: 140)
    set.size = size
    let wanted = Point(x: newPlace.x - size.width / 2, y: newPlace.y - size.height / 2)
    // Puts the shape beside others, so that shapes added one after the other don't cover each other.
    set.position = clamped(drawing.picture.overlaps.freePlace(for: size, near: wanted) ?? wanted)
    set.fill = Color.bright(using: &chance)
    if kind == .polygon { set.points = 6 }
    add([set])
  }

  func add(_ sets: [Properties]) { add(sets.map { (newIdentifier(), $0) }) }

  /// Adds shapes in front, and selects them.
  private func add(_ shapes: [(shape: Identifier, set: Properties)]) {
    var edits: [ShapeEdit] = []
    let insertion = drawing.order.inserting(shapes.count, at: drawing.count, using: &chance)
    for place in insertion.moved {
      var set = Properties()
      set.z = place.key
      edits.append(ShapeEdit(shape: place.shape, set: set))
    }
    var added: [Identifier] = []
    for ((shape, set), key) in zip(shapes, insertion.keys) {
      var set = set
      set.z = key
      added.append(shape)
      edits.append(ShapeEdit(shape: shape, set: set))
    }
    edit(edits)
    let canvas = canvas
    select(added.filter { canvas[$0] != nil })
  }

  private func newIdentifier() -> Identifier {
    let canvas = canvas
    while true {
      let shape = Identifier.random(using: &chance)
      if canvas.registers(of: shape).isEmpty, canvas.stamp(of: .deleted, in: shape) == nil { return shape }
    }
  }

  private static let arrowLength = 200.0

  /// Adds an arrow. It joins two selected shapes, or leads from one selected shape to the mouse, or is free.
  func addArrow() {
    let canvas = canvas
    let ends = selection.prefix(2).compactMap { canvas[$0] }.filter { !$0.properties.kind.isStroke }
    var set = Properties()
    set.kind = .line
    set.stroke = Color(packed: 0x76_76_76)
    set.strokeWidth = 4
    set.toEnd = .arrow
    var points = [newPlace, Point(x: newPlace.x + LiveCanvas.arrowLength, y: newPlace.y)]
    if let first = ends.first {
      set.from = Tie(shape: first.id, place: .middle)
      points[0] = first.point(of: .middle)
      points[1] = Point(x: points[0].x + first.properties.size.width / 2 + LiveCanvas.arrowLength, y: points[0].y)
      if ends.count > 1 {
        set.to = Tie(shape: ends[1].id, place: .middle)
        points[1] = ends[1].point(of: .middle)
      } else if let pointer, drawing.shape(at: pointer) != first.id {
        points[1] = clamped(pointer)
      }
    }
    set.lead(through: points)
    add([set])
  }

  func addSquares(_ count: Int) {
    let factory = ShapeFactory(area: view.visibleBox)
    add((0..<count).map { _ in factory.square(using: &chance).1 })
  }

  func addCircle(at place: Point) {
    add([ShapeFactory.circle(centredAt: place, using: &chance).1])
  }

  /// Adds a rectangle. The room's first shape is yellow, and the second one red. All others get random colours.
  func addRectangle(_ box: Rect) {
    var set = Properties()
    set.kind = .rectangle
    set.size = Size(width: max(box.size.width, 100), height: max(box.size.height, 100))
    set.position = clamped(box.origin)
    switch drawing.count {
    case 0: set.fill = Color(packed: 0xFFFF00)
    case 1: set.fill = Color(packed: 0xFF0000)
    default: set.fill = Color.bright(using: &chance)
    }
    add([set])
  }

  func duplicate() {
    let canvas = canvas
    let originals = drawing.order.places.compactMap { place in
      selected.contains(place.shape) ? canvas[place.shape] : nil
    }
    guard !originals.isEmpty else { return }
    let copied = Set(originals.map { $0.id })
    var relations = Copies()
    var copies = originals.map { shape in
      let copy = newIdentifier()
      relations.note(shape.id, as: copy)
      var set = shape.untied(butFrom: { copied.contains($0) }) { canvas[$0] }.properties
      set.position = clamped(Point(x: set.position.x + 24, y: set.position.y + 24))
      return (shape: copy, set: set)
    }
    for index in copies.indices { relations.relate(&copies[index].set) { Identifier.random(using: &chance) } }
    add(copies)
  }

  // MARK: - Changing

  func moveSelection(_ columns: Double, _ rows: Double) {
    change { shape, set in
      set = self.loosened(shape)
      let position = set.assigned.contains(.position) ? set.position : shape.properties.position
      set.position = self.clamped(Point(x: position.x + columns, y: position.y + rows))
    }
  }

  /// The properties that detach a line from its shapes, when the user changes the line alone. The ends stay where they
  /// are drawn.
  func loosened(_ shape: Shape) -> Properties {
    let canvas = canvas
    return canvas.loosened(shape, butFrom: { selected.contains($0) })
  }

  func turn(by degrees: Double) {
    change { shape, set in
      set = self.loosened(shape)
      let rotation = set.assigned.contains(.rotation) ? set.rotation : shape.properties.rotation
      set.rotation = LiveCanvas.turned(rotation + degrees)
    }
  }

  static func turned(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 360 : rest
  }

  func scale(by factor: Double) {
    change { shape, set in
      set = self.loosened(shape)
      let size = set.assigned.contains(.size) ? set.size : shape.properties.size
      let scaled = Size(width: LiveCanvas.extent(size.width * factor), height: LiveCanvas.extent(size.height * factor))
      let position = set.assigned.contains(.position) ? set.position : shape.properties.position
      set.size = scaled
      set.position = self.clamped(
        Point(x: position.x + (size.width - scaled.width) / 2, y: position.y + (size.height - scaled.height) / 2)
      )
    }
  }

  static func extent(_ value: Double) -> Double {
    max(PropertyRules.sides.lowerBound, min((value * 10).rounded() / 10, PropertyRules.sides.upperBound))
  }

  func recolor(_ shapes: [Identifier]) {
    change(shapes) { shape, set in
      guard !shape.properties.kind.isStroke else {
        set.stroke = Color.bright(using: &self.chance)
        return
      }
      set.fill = Color.bright(using: &self.chance)
      if !shape.properties.isFilled { set.isFilled = true }
    }
  }

  func changeOpacity(by levels: Int16) {
    change { shape, set in
      let alpha = shape.properties.alpha + levels
      if PropertyRules.alphas.contains(alpha) { set.alpha = alpha }
    }
  }

  /// Changes the outline from none to thin, from thin to thick, and from thick to none. Its colour is a darker shade of
  /// the fill.
  func changeOutline() {
    change { shape, set in
      let properties = shape.properties
      guard !properties.kind.isStroke else {
        set.strokeWidth = properties.strokeWidth < 4 ? 4 : properties.strokeWidth < 12 ? 12 : 2
        return
      }
      set.strokeWidth = properties.strokeWidth == 0 ? 4 : properties.strokeWidth < 12 ? 12 : 0
      if set.strokeWidth == 0, !properties.isFilled { set.isFilled = true }
      if properties.strokeWidth == 0 { set.stroke = properties.fill.covered(by: Color(packed: 0), part: 0.55) }
    }
  }

  /// Removes the fill, or restores it. A shape without an outline gets one in the fill's colour, so that it stays
  /// visible.
  func toggleFill() {
    change { shape, set in
      let properties = shape.properties
      guard properties.kind.hasArea else { return }
      set.isFilled = !properties.isFilled
      if properties.isFilled, properties.strokeWidth == 0 {
        set.strokeWidth = 4
        set.stroke = properties.fill
      }
    }
  }

  func toggleVisibility() {
    let canvas = canvas
    let isAnyVisible = selection.contains { canvas[$0]?.properties.visible == true }
    change { shape, set in
      if shape.properties.visible == isAnyVisible { set.visible = !isAnyVisible }
    }
  }

  func toggleVisibility(of shape: Identifier) {
    guard let visible = canvas[shape]?.properties.visible else { return }
    var set = Properties()
    set.visible = !visible
    edit([ShapeEdit(shape: shape, set: set)])
  }

  /// - Returns: whether the name is written. If not, the user is told why.
  func rename(_ shape: Identifier, to name: String) -> Bool {
    guard canvas[shape] != nil else {
      say("The shape was deleted meanwhile, so it can't be renamed. Escape gives up the name.", .warning)
      return false
    }
    let text = Text(name)
    guard PropertyRules.takesName(text) else {
      say("A name is 1 to 128 bytes of text.", .warning)
      return false
    }
    var set = Properties()
    set.name = text
    edit([ShapeEdit(shape: shape, set: set)])
    return true
  }

  /// Moves the selected shapes within the drawing order. Does nothing if one of them is locked.
  func reorder(_ places: [DrawingOrder.Place]) {
    guard !refusesLocked(selection) else { return }
    edit(
      places.map { place in
        var set = Properties()
        set.z = place.key
        return ShapeEdit(shape: place.shape, set: set)
      }
    )
  }

  // MARK: - Removing

  func deleteSelection() {
    let shapes = selection
    guard !refusesLocked(shapes) else { return }
    client.edit { replica, now in replica.delete(shapes, at: now) }
  }

  /// Drops shapes into the black hole. One operation per shape both deletes it and says where it goes.
  func swallow(_ shapes: [Identifier]) {
    let hole = BlackHole(view: view)
    let place = clamped(Point(x: hole.center.x.rounded(), y: hole.center.y.rounded()))
    edit(
      shapes.filter { canvas[$0] != nil }.map { shape in
        var set = Properties()
        set.position = place
        set.size = Size(width: 1, height: 1)
        set.delete()
        return ShapeEdit(shape: shape, set: set)
      }
    )
  }

  /// Drops all shapes into the black hole. Undo brings them back.
  func swallowEverything() {
    swallow(drawing.order.identifiers)
  }

  func undo() {
    // Clearing the room ends the undo step of a drag. So the drag ends too. Otherwise each further movement would be a
    // step of its own.
    letGo()
    if !client.replica.canUndo { say("There is nothing to undo.") }
    client.edit { replica, now in replica.undo(at: now) }
  }

  func redo() {
    letGo()
    if !client.replica.canRedo { say("There is nothing to redo.") }
    client.edit { replica, now in replica.redo(at: now) }
  }

  func clamped(_ point: Point) -> Point {
    let limit = PropertyRules.coordinates.upperBound
    func clamp(_ value: Double) -> Double { max(-limit, min((value * 10).rounded() / 10, limit)) }
    return Point(x: clamp(point.x), y: clamp(point.y))
  }
}

extension Canvas {
  /// The properties that detach a line from its shapes, except from those for which `kept` is true. The ends stay where
  /// they are drawn. Of a line without such ties, and of any other shape, none.
  func loosened(_ shape: Shape, butFrom kept: (Identifier) -> Bool = { _ in false }) -> Properties {
    shape.untied(butFrom: kept) { self[$0] }.changes(since: shape)
  }
}
