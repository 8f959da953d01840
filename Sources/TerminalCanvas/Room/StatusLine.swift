import CanvasCRDT

extension RoomScreen {
  /// Writes the last row: the room, the state of its connection and the people at the left, the scale and the key for
  /// help at the right.
  func writeStatus(_ frame: RoomFrame, to screen: inout Screen) {
    let row = layout.rows - 1
    let isTrouble =
      switch frame.connection {
      case .reconnecting, .closed: true
      case .loading, .live: false
      }
    let background = isTrouble ? theme.warning : theme.raised
    let color = isTrouble ? background.legible : theme.text
    let quiet = isTrouble ? color : theme.quiet
    let style: Cell.Style = depth == .none ? .reversed : []
    let plain = look(color, on: background, style)
    let faint = look(quiet, on: background, style)
    screen.fill(
      row: row,
      columns: 0..<layout.columns,
      with: Cell(.space, plain.foreground, on: plain.background ?? .standard, style)
    )
    if let prompt = frame.prompt {
      write(prompt, row, plain, to: &screen)
      return
    }
    if let timeline = frame.timeline {
      write(timeline, row, plain, to: &screen)
      return
    }
    var column = screen.write(" \(frame.room)", row: row, column: 0, strongStatus(plain), columnsMax: 24)
    column = screen.write("  \(frame.connectionWords)", row: row, column: column, plain)
    let details = details(of: frame)
    let end = end(of: frame)
    let room = layout.columns - end.columns - column
    if room > 4 { screen.write(details, row: row, column: column, faint, columnsMax: room) }
    if layout.columns - end.columns > column {
      screen.write(end, row: row, column: layout.columns - end.columns, faint)
    }
  }

  private func strongStatus(_ plain: Screen.Look) -> Screen.Look {
    var look = plain
    look.style.insert(.bold)
    return look
  }

  private func details(of frame: RoomFrame) -> String {
    guard frame.connection == .live || frame.connection == .loading else { return "" }
    var parts: [String] = []
    let count = frame.people.count + frame.unnamedCount
    parts.append(count == 1 ? "only you" : "\(count) people")
    if let milliseconds = frame.roundTripMilliseconds { parts.append("\(milliseconds) ms") }
    if frame.layers.count > 0 { parts.append(frame.layers.count == 1 ? "1 shape" : "\(frame.layers.count) shapes") }
    if frame.overlaps.count > 0 { parts.append("⚠ \(frame.overlaps.count)") }
    if let followed = frame.people.first(where: { $0.isFollowed }) { parts.append("following \(followed.name)") }
    return parts.reduce("") { $0 + " · " + $1 }
  }

  private func end(of frame: RoomFrame) -> String { " \(frame.view.percent) % · ? keys " }

  private func write(_ prompt: RoomFrame.Prompt, _ row: Int, _ look: Screen.Look, to screen: inout Screen) {
    let column = screen.write(" \(prompt.label) ", row: row, column: 0, strongStatus(look))
    let window = prompt.line.window(columns: max(layout.columns - column - 1, 1))
    screen.write(window.text, row: row, column: column, look)
    screen.cursor = Screen.Place(row: row, column: min(column + window.cursor, layout.columns - 1))
  }
}
