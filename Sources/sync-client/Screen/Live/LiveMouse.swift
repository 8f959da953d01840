import Basics
import CanvasCRDT
import Glibc
import TerminalCanvas
import WebSocketLoop

// The mouse.

extension LiveCanvas {
  /// The smallest size to which the mouse can shrink a shape that was larger before.
  private static let extentMin = 100.0

  func take(_ mouse: Mouse) {
    let part = layout.part(row: mouse.row, column: mouse.column)
    let place = view.point(inColumn: mouse.column, row: mouse.row)
    switch mouse.action {
    case .wheelUp, .wheelDown, .wheelLeft, .wheelRight: wheel(mouse, part)
    case .press:
      pointer = part == .canvas ? place : nil
      part == .canvas ? press(mouse, at: place) : pressPanel(part)
    case .drag:
      pointer = place
      drag(to: place, mouse)
    case .release:
      if !grip.isNone { release(at: place, isOverCanvas: part == .canvas) }
    case .move:
      // It moves without a button. So the release was lost, as outside the window.
      letGo()
      pointer = part == .canvas ? place : nil
    }
  }

  private func wheel(_ mouse: Mouse, _ part: RoomLayout.Part) {
    if part != .canvas {
      layersStart += mouse.action == .wheelUp ? -3 : mouse.action == .wheelDown ? 3 : 0
      return
    }
    stopFollowing()
    let isTurned = !mouse.modifiers.isEmpty
    switch mouse.action {
    case .wheelUp where isTurned: view.pan(columns: 0, rows: -3)
    case .wheelDown where isTurned: view.pan(columns: 0, rows: 3)
    case .wheelLeft: view.pan(columns: -6, rows: 0)
    case .wheelRight: view.pan(columns: 6, rows: 0)
    case .wheelUp: view.zoom(by: 1.2, atColumn: Double(mouse.column) + 0.5, row: Double(mouse.row) + 0.5)
    default: view.zoom(by: 1 / 1.2, atColumn: Double(mouse.column) + 0.5, row: Double(mouse.row) + 0.5)
    }
  }

  // MARK: - Pressing

  private func press(_ mouse: Mouse, at place: Point) {
    letGo()
    switch mouse.button {
    case .middle: grip = .panning(row: mouse.row, column: mouse.column)
    case .right: grip = .pulling(from: place, to: place, selects: true)
    case .left, .none: pressLeft(mouse, at: place)
    }
  }

  private func pressLeft(_ mouse: Mouse, at place: Point) {
    if takeHandle(mouse, at: place) { return }
    clicks.note(row: mouse.row, column: mouse.column, at: SteadyClock.milliseconds())
    let shape = drawing.shape(at: place, reach: 0.75 / view.scale, in: view) {
      self.canvas[$0]?.properties.isLocked == false
    }
    if clicks.count > 1 {
      click(clicks.count, on: shape, at: place)
      return
    }
    guard let shape else {
      if mouse.modifiers.isEmpty { select([]) }
      grip = .pulling(from: place, to: place, selects: !mouse.modifiers.isEmpty)
      return
    }
    if !mouse.modifiers.isEmpty {
      toggle(shape)
    } else if !selected.contains(shape) {
      select(group(of: shape))
    }
    let canvas = canvas
    grip = .moving(
      Grip.Moving(
        start: place,
        shapes: unlocked(selection).compactMap { id in canvas[id].map { (id, $0.properties.position) } }
      )
    )
  }

  private func takeHandle(_ mouse: Mouse, at place: Point) -> Bool {
    guard selection.count == 1, !isViewOnly, unlocked(selection) == selection,
      let outline = drawn(selection[0])?.outline
    else { return false }
    let handles = Handles(of: outline, in: view)
    let cell = Screen.Place(row: mouse.row, column: mouse.column)
    if let corner = handles.corner(at: cell) {
      grip = .resizing(Grip.Resizing(shape: selection[0], corner: corner, outline: outline))
    } else if handles.turning == cell {
      grip = .turning(Grip.Turning(shape: selection[0], outline: outline, start: place))
    } else {
      return false
    }
    client.edit { replica, _ in
      replica.beginGroup()
      return []
    }
    return true
  }

  // MARK: - Clicking

  /// A double click recolours a shape, and a triple click deletes it with its group, or goes on with its text if it has
  /// one. So a double click takes effect only when no third click follows.
  private func click(_ count: Int, on shape: Identifier?, at place: Point) {
    pendingClick?.cancel()
    pendingClick = nil
    guard !isViewOnly else { return }
    switch (count, shape) {
    case (2, nil):
      addCircle(at: place)
      clicks.forget()
    case (2, let shape?):
      select([shape])
      pendingClick = ClientLoop.shared.loop.schedule(afterMilliseconds: Clicks.pauseMilliseconds) { [weak self] in
        ClientLoop.assumeIsolated {
          self?.pendingClick = nil
          // Recolours the clicked shape, because another shape might be selected by now.
          self?.recolor([shape])
        }
      }
    case (3, let shape?):
      clicks.forget()
      if canvas[shape]?.properties.text.isEmpty == false {
        // What is being typed stays.
        guard prompt == nil else { break }
        select([shape])
        beginWriting()
      } else {
        let shapes = group(of: shape)
        client.edit { replica, now in replica.delete(shapes, at: now) }
      }
    default: break
    }
  }

  // MARK: - Dragging

  private func drag(to place: Point, _ mouse: Mouse) {
    switch grip {
    case .none: break
    case .moving(var moving):
      guard !isViewOnly else { return }
      if !moving.isLifted {
        moving.isLifted = true
        shapes.change()
        clicks.forget()
        client.edit { replica, _ in
          replica.beginGroup()
          return []
        }
        moving.shapes = loosened(moving.shapes)
      }
      grip = .moving(moving)
      move(moving, to: place)
    case .resizing(let resizing): resize(resizing, to: place)
    case .turning(let turning): turn(turning, to: place, inSteps: mouse.modifiers.contains(.alt))
    case .pulling(let from, _, let selects): grip = .pulling(from: from, to: place, selects: selects)
    case .panning(let row, let column):
      stopFollowing()
      view.pan(columns: Double(column - mouse.column), rows: Double(row - mouse.row))
      grip = .panning(row: mouse.row, column: mouse.column)
    }
  }

  /// Detaches the moved lines from shapes that don't move with them. Returns each shape with the position from which it
  /// moves.
  private func loosened(_ shapes: [(shape: Identifier, position: Point)]) -> [(shape: Identifier, position: Point)] {
    let canvas = canvas
    var edits: [ShapeEdit] = []
    let placed = shapes.map { id, position -> (shape: Identifier, position: Point) in
      guard let shape = canvas[id], !shape.properties.isLocked else { return (id, position) }
      let set = loosened(shape)
      if !set.assigned.isEmpty { edits.append(ShapeEdit(shape: id, set: set)) }
      return (id, set.assigned.contains(.position) ? set.position : position)
    }
    edit(edits)
    return placed
  }

  /// Moves the grabbed shapes. One that somebody deletes or locks in the midst of the gesture stays where it is.
  private func move(_ moving: Grip.Moving, to place: Point) {
    let canvas = canvas
    var edits: [ShapeEdit] = []
    for (shape, position) in moving.shapes where canvas[shape]?.properties.isLocked == false {
      var set = Properties()
      set.position = clamped(Point(x: position.x + place.x - moving.start.x, y: position.y + place.y - moving.start.y))
      edits.append(ShapeEdit(shape: shape, set: set))
    }
    edit(edits)
  }

  /// Moves the grabbed corner to the mouse. The opposite corner stays in place, even if the box is rotated.
  private func resize(_ resizing: Grip.Resizing, to place: Point) {
    guard let shape = canvas[resizing.shape], !shape.properties.isLocked else { return }
    let outline = resizing.outline
    let angle = outline.rotation * .pi / 180
    let right: Double = resizing.corner == 1 || resizing.corner == 2 ? 1 : -1
    let down: Double = resizing.corner >= 2 ? 1 : -1
    let half = Size(width: outline.size.width / 2, height: outline.size.height / 2)
    let center = Point(x: outline.position.x + half.width, y: outline.position.y + half.height)
    func turned(_ x: Double, _ y: Double, _ angle: Double) -> Point {
      Point(x: x * cos(angle) - y * sin(angle), y: x * sin(angle) + y * cos(angle))
    }
    let across = turned(-right * half.width, -down * half.height, angle)
    let fixed = Point(x: center.x + across.x, y: center.y + across.y)
    let seen = turned(place.x - fixed.x, place.y - fixed.y, -angle)
    func extent(_ wanted: Double, _ before: Double) -> Double {
      LiveCanvas.extent(max(wanted, min(LiveCanvas.extentMin, before)))
    }
    let size = Size(
      width: extent(right * seen.x, outline.size.width),
      height: extent(down * seen.y, outline.size.height)
    )
    let toCenter = turned(right * size.width / 2, down * size.height / 2, angle)
    var set = loosened(shape)
    set.size = size
    set.position = clamped(
      Point(x: fixed.x + toCenter.x - size.width / 2, y: fixed.y + toCenter.y - size.height / 2)
    )
    edit([ShapeEdit(shape: resizing.shape, set: set)])
  }

  private func turn(_ turning: Grip.Turning, to place: Point, inSteps: Bool) {
    guard let shape = canvas[turning.shape], !shape.properties.isLocked else { return }
    let outline = turning.outline
    let center = Rect(origin: outline.position, size: outline.size).center
    let before = atan2(turning.start.y - center.y, turning.start.x - center.x)
    let after = atan2(place.y - center.y, place.x - center.x)
    var degrees = outline.rotation + (after - before) * 180 / .pi
    degrees = inSteps ? (degrees / 15).rounded() * 15 : degrees.rounded()
    var set = loosened(shape)
    set.rotation = LiveCanvas.turned(degrees)
    edit([ShapeEdit(shape: turning.shape, set: set)])
  }

  // MARK: - Letting go

  private func release(at place: Point, isOverCanvas: Bool) {
    let grip = grip
    switch grip {
    case .moving(let moving) where moving.isLifted && isOverCanvas && BlackHole(view: view).contains(place):
      swallow(unlocked(moving.shapes.map { $0.shape }))
    case .pulling(_, _, selects: true):
      if let band = grip.band { select(unlocked(drawing.shapes(touching: band))) }
    case .pulling(_, _, selects: false):
      // A box below this size comes from an unsteady hand, so no shape is drawn.
      if let band = grip.band, band.size.width * view.scale >= 2 || band.size.height * view.rowScale >= 2 {
        clicks.forget()
        addRectangle(
          Rect(
            origin: Point(x: band.minX.rounded(), y: band.minY.rounded()),
            size: Size(width: band.size.width.rounded(), height: band.size.height.rounded())
          )
        )
      }
    default: break
    }
    letGo()
  }

  func letGo() {
    switch grip {
    case .moving(let moving) where moving.isLifted: endStep()
    case .resizing, .turning: endStep()
    default: break
    }
    grip = .none
  }

  private func endStep() {
    shapes.change()
    client.edit { replica, _ in
      replica.endGroup()
      return []
    }
  }

  // MARK: - The panel

  private func pressPanel(_ part: RoomLayout.Part) {
    switch part {
    case .layer(let row):
      guard let shape = layer(inRow: row) else { return }
      selection = [shape]
      show(shape)
    case .layerEye(let row):
      if let shape = layer(inRow: row) { toggleVisibility(of: shape) }
    case .person(let row):
      let peers = client.replica.peers
      if row > 0, row <= peers.count { follow(peers[row - 1].actor == followed ? nil : peers[row - 1].actor) }
    case .overlap(let row):
      let pairs = drawing.listedPairs(rows: layout.overlaps.count, selected: selection.first)
      guard pairs.indices.contains(row) else { return }
      let pair = pairs[row]
      select([pair.first, pair.second])
      show(pair.first)
    case .canvas, .panel, .status: break
    }
  }
}
