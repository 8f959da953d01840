import CanvasCRDT
import TerminalCanvas

// Edits of shapes.

extension LiveCanvas {
  func edit(_ edits: [ShapeEdit]) {
    guard !edits.isEmpty else { return }
    client.edit { replica, now in replica.edit(edits, at: now) }
  }

  /// Changes all selected shapes, as one step, unless any of them is locked.
  func change(_ body: (Shape, inout Properties) -> Void) {
    guard !refusesLocked(selection) else { return }
    write(body)
  }

  private func write(_ body: (Shape, inout Properties) -> Void) {
    let canvas = canvas
    edit(
      selection.compactMap { id in
        guard let shape = canvas[id] else { return nil }
        var set = Properties()
        body(shape, &set)
        return set.assigned.isEmpty ? nil : ShapeEdit(shape: id, set: set)
      }
    )
  }

  // MARK: - Locks and groups

  /// Says so where any of these shapes is locked (S12).
  func refusesLocked(_ shapes: [Identifier]) -> Bool {
    let canvas = canvas
    guard let locked = shapes.first(where: { canvas[$0]?.properties.isLocked == true }) else { return false }
    say("\(drawing.name(of: locked)) is locked: k unlocks what is selected.", .warning)
    return true
  }

  /// Locks what is selected, or unlocks it where all of it is locked.
  func toggleLock() {
    let canvas = canvas
    let isLocked = selection.allSatisfy { canvas[$0]?.properties.isLocked == true }
    write { shape, set in
      if shape.properties.isLocked == isLocked { set.isLocked = !isLocked }
    }
  }

  /// Makes one group of what is selected, or takes it apart where it is one.
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

  /// A shape with those that are grouped with it and not locked (S13).
  func group(of shape: Identifier) -> [Identifier] {
    let canvas = canvas
    guard let group = canvas[shape]?.properties.group else { return [shape] }
    return drawing.order.identifiers.filter { id in
      guard let properties = canvas[id]?.properties else { return false }
      return id == shape || properties.group == group && !properties.isLocked
    }
  }

  // MARK: - Adding

  /// A new shape is placed at the mouse, or else in the middle of the view.
  private var newPlace: Point { pointer.flatMap { view.visibleBox.contains($0) ? $0 : nil } ?? view.center }

  func add(_ kind: ShapeKind) {
    var set = Properties()
    set.kind = kind
    let isBox = kind == .rectangle || kind == .roundedRectangle
    let size = isBox ? Size(width: 150, height: 120) : Size(width: 140, height: 140)
    set.size = size
    set.position = clamped(Point(x: newPlace.x - size.width / 2, y: newPlace.y - size.height / 2))
    set.fill = Color.bright(using: &chance)
    if kind == .polygon { set.points = 6 }
    add([set])
  }

  /// Adds shapes in front of all others, and selects them.
  func add(_ sets: [Properties]) {
    var edits: [ShapeEdit] = []
    let insertion = drawing.order.inserting(sets.count, at: drawing.count, using: &chance)
    for place in insertion.moved {
      var set = Properties()
      set.z = place.key
      edits.append(ShapeEdit(shape: place.shape, set: set))
    }
    var added: [Identifier] = []
    for (set, key) in zip(sets, insertion.keys) {
      var set = set
      set.z = key
      let shape = newIdentifier()
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

  func addSquares(_ count: Int) {
    let factory = ShapeFactory(area: view.visibleBox)
    add((0..<count).map { _ in factory.square(using: &chance).1 })
  }

  func addCircle(at place: Point) {
    add([ShapeFactory.circle(centredAt: place, using: &chance).1])
  }

  /// The first shape of a room is yellow and the second red; the others get random colours.
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
    var groups = CopiedGroups()
    let copies = drawing.order.places.compactMap { place -> Properties? in
      guard selection.contains(place.shape), let shape = canvas[place.shape] else { return nil }
      var set = shape.properties
      groups.regroup(&set) { Identifier.random(using: &chance) }
      set.position = clamped(Point(x: set.position.x + 24, y: set.position.y + 24))
      return set
    }
    if !copies.isEmpty { add(copies) }
  }

  // MARK: - Changing

  func moveSelection(_ columns: Double, _ rows: Double) {
    change { shape, set in
      let position = shape.properties.position
      set.position = self.clamped(Point(x: position.x + columns, y: position.y + rows))
    }
  }

  func turn(by degrees: Double) {
    change { shape, set in set.rotation = LiveCanvas.turned(shape.properties.rotation + degrees) }
  }

  static func turned(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 360 : rest
  }

  func scale(by factor: Double) {
    change { shape, set in
      let size = shape.properties.size
      let scaled = Size(width: LiveCanvas.extent(size.width * factor), height: LiveCanvas.extent(size.height * factor))
      let position = shape.properties.position
      set.size = scaled
      set.position = self.clamped(
        Point(x: position.x + (size.width - scaled.width) / 2, y: position.y + (size.height - scaled.height) / 2)
      )
    }
  }

  static func extent(_ value: Double) -> Double {
    max(PropertyRules.sides.lowerBound, min((value * 10).rounded() / 10, PropertyRules.sides.upperBound))
  }

  func recolor() {
    change { shape, set in
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

  /// Cycles through no outline, a thin one and a thick one. The outline's colour is a darker fill.
  func changeOutline() {
    change { shape, set in
      let properties = shape.properties
      set.strokeWidth = properties.strokeWidth == 0 ? 4 : properties.strokeWidth < 12 ? 12 : 0
      if set.strokeWidth == 0, !properties.isFilled { set.isFilled = true }
      if properties.strokeWidth == 0 { set.stroke = properties.fill.covered(by: Color(packed: 0), part: 0.55) }
    }
  }

  /// Takes the fill away, or gives it back. What has no outline gets one in its colour, so that it can still be seen.
  func toggleFill() {
    change { shape, set in
      let properties = shape.properties
      guard properties.kind != .text else { return }
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

  func rename(_ shape: Identifier, to name: String) {
    let text = Text(name)
    guard canvas[shape] != nil, !text.isEmpty else { return }
    guard PropertyRules.takesName(text) else {
      say("A name is 1 to 128 bytes of text.", .warning)
      return
    }
    var set = Properties()
    set.name = text
    edit([ShapeEdit(shape: shape, set: set)])
  }

  func write(_ words: String, in shape: Identifier) {
    let text = Text(words)
    guard let before = canvas[shape]?.properties.text, before != text else { return }
    guard PropertyRules.allowsText(text) else {
      say("A text has at most 4,096 bytes.", .warning)
      return
    }
    var set = Properties()
    set.text = text
    edit([ShapeEdit(shape: shape, set: set)])
  }

  func reorder(_ places: [DrawingOrder.Place]) {
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

  /// Drops shapes into the black hole: one operation tells where each goes, and deletes it.
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

  /// Drops all shapes into the black hole. It can be undone.
  func swallowEverything() {
    swallow(drawing.order.identifiers)
  }

  func undo() {
    if !client.replica.canUndo { say("There is nothing to undo.") }
    client.edit { replica, now in replica.undo(at: now) }
  }

  func redo() {
    if !client.replica.canRedo { say("There is nothing to redo.") }
    client.edit { replica, now in replica.redo(at: now) }
  }

  func clamped(_ point: Point) -> Point {
    let limit = PropertyRules.coordinates.upperBound
    func clamp(_ value: Double) -> Double { max(-limit, min((value * 10).rounded() / 10, limit)) }
    return Point(x: clamp(point.x), y: clamp(point.y))
  }
}
