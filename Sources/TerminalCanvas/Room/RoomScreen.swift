import CanvasCRDT

/// The live canvas as a screen: pixels of the drawing, and text around and over them.
public struct RoomScreen {
  let theme: Theme
  let depth: ColorDepth
  let layout: RoomLayout

  public init(layout: RoomLayout, theme: Theme, depth: ColorDepth) {
    self.layout = layout
    self.theme = theme
    self.depth = depth
  }

  /// The whole screen. If the caller passes the shapes' pixels from the previous screen, only the layer over them is
  /// painted.
  public func screen(_ frame: RoomFrame, shapes: Pixels? = nil) -> Screen {
    var painter = ScenePainter(view: frame.view, theme: theme, over: shapes)
    if shapes == nil { painter.paintShapes(frame.scene) }
    painter.paintMarks(frame.scene)
    var screen = Screen(columns: layout.columns, rows: layout.rows, filledWith: blank(theme.paper))
    SceneCells(view: frame.view, theme: theme, depth: depth).write(painter.pixels, frame.scene, to: &screen)
    if let notice = frame.notice { write(notice, over: frame, to: &screen) }
    if layout.hasPanel { writePanel(frame, to: &screen) }
    writeStatus(frame, to: &screen)
    if frame.showsHelp { writeHelp(frame.timeline == nil ? KeyHelp.room : KeyHelp.replay, to: &screen) }
    return screen
  }

  // MARK: - Looks

  func blank(_ color: Color) -> Cell {
    depth == .none ? Cell() : Cell(.space, .standard, on: depth.ink(color))
  }

  func look(_ color: Color, on background: Color, _ style: Cell.Style = []) -> Screen.Look {
    Screen.Look(depth.ink(color), on: depth.ink(background), style)
  }

  /// Highlighted text. On a terminal without colours, the text is in reverse video.
  func strong(_ color: Color, on background: Color) -> Screen.Look {
    depth == .none ? Screen.Look(.standard, on: .standard, .reversed) : look(color, on: background, .bold)
  }

  // MARK: - Notices

  private func write(_ notice: RoomFrame.Notice, over frame: RoomFrame, to screen: inout Screen) {
    let text = " \(notice.text) "
    // If the black hole is shown in the last rows, the notice is written above it.
    let row = max(0, layout.canvasRows - 1 - (frame.scene.hole == nil ? 0 : 6))
    let background =
      switch notice.kind {
      case .plain: theme.raised
      case .overlap: Theme.overlap
      case .warning: theme.warning
      }
    let color = notice.kind == .plain ? theme.text : background.legible
    let width = min(text.columns, layout.canvasColumns - 2)
    screen.write(text, row: row, column: 1, strong(color, on: background), columnsMax: width)
  }
}
