import Basics
import CanvasCRDT
import TerminalCanvas
import WebSocketLoop

/// A room's history on the terminal, which the user can play, pause and move through.
///
/// The server returns the drawing at a given time. Only one request is under way at once, so a slow connection or a
/// large room makes the playback less smooth.
@ClientLoop
final class ReplayCanvas: ScreenContent {
  private let host: ScreenHost
  private let server: ServerAddress
  private let room: RoomName
  private let span: ReplaySpan
  private let depth: ColorDepth
  private var theme: Theme

  private var drawing = LiveDrawing()
  private var shapes = PaintingInFrames()
  private var view = CanvasView(columns: 80, rows: 23)
  private var layout = RoomLayout(columns: 80, rows: 24)
  private var hasView = false
  private var isFitted = true
  private var wantsPanel = true
  private var showsHelp = false
  private var layersStart = 0
  private var notice: String?

  /// The moment to show, in milliseconds from the start of the span.
  private var place = 0.0
  private var playedAt: UInt64?
  private var speed: Double
  /// The time of the shown drawing. `nil` before the first one.
  private var shown: UInt64?
  private var isAsking = false

  /// Times that differ by less than a frame count as equal.
  private static let stepMilliseconds: UInt64 = 16

  init(_ invocation: Invocation, _ room: RoomName, _ span: ReplaySpan, speed: Double, host: ScreenHost) {
    self.host = host
    self.room = room
    self.span = span
    self.speed = speed
    server = invocation.server
    depth = invocation.colorDepth
    theme = invocation.arguments.has("--light") ? .light : .dark
    playedAt = SteadyClock.milliseconds()
  }

  /// Loads the first drawing. To be called before the full screen opens, so that an error message stays visible.
  func begin() async throws {
    try await fetch(span.to)
    hasView = false
    try await fetch(span.from)
  }

  var moves: Bool { playedAt != nil || shapes.moves }

  // MARK: - Time

  private var isPlaying: Bool { playedAt != nil }

  private func advance() {
    let now = SteadyClock.milliseconds()
    guard let before = playedAt else { return }
    place += Double(now - before) * speed
    playedAt = now
    guard place >= Double(span.milliseconds) else { return }
    place = Double(span.milliseconds)
    playedAt = nil
  }

  private var moment: UInt64 { span.from + UInt64(max(0, min(place, Double(span.milliseconds)))) }

  private func seek(to place: Double) {
    self.place = max(0, min(place, Double(span.milliseconds)))
    ask()
  }

  private func pause(_ pauses: Bool) {
    advance()
    if pauses {
      playedAt = nil
    } else {
      if place >= Double(span.milliseconds) { place = 0 }
      playedAt = SteadyClock.milliseconds()
    }
  }

  /// Requests the drawing at the moment to show. If a request is under way, this is called again when it ends.
  private func ask() {
    let moment = moment
    let isNear = shown.map { max($0, moment) - min($0, moment) < ReplayCanvas.stepMilliseconds } ?? false
    guard !isAsking, !isNear || moment == span.to && shown != span.to else { return }
    isAsking = true
    Task { @ClientLoop in
      do {
        try await fetch(moment)
        notice = nil
      } catch let failure as ClientFailure {
        notice = failure.words.printable
        shown = moment
        playedAt = nil
      } catch {}
      isAsking = false
      host.invalidate()
    }
  }

  private func fetch(_ moment: UInt64) async throws {
    let stored = try await StoredDrawing.fetch(room, by: ServerRequests(server: server), at: moment)
    drawing = await ReplayCanvas.drawing(of: stored)
    shapes.change()
    shown = moment
    union = drawing.bounds.map { bounds in union?.union(bounds) ?? bounds } ?? union
  }

  /// Not on the client's loop, because a large drawing takes long.
  private nonisolated static func drawing(of stored: StoredDrawing) async -> LiveDrawing { LiveDrawing(stored.canvas) }

  /// The bounding box of everything shown so far. The view is fitted to it, so that it doesn't jump.
  private var union: Rect?

  // MARK: - The screen

  func screen(_ size: Terminal.Size) -> Screen {
    advance()
    ask()
    fit(size)
    let painted = paintShapes()
    var frame = RoomFrame(view: view)
    frame.room = room.text
    frame.scene.labels = painted.labels
    layersStart = max(0, min(layersStart, drawing.count - layout.layers.count))
    frame.layers = drawing.layers(from: layersStart, rows: layout.layers.count)
    frame.isCrowded = drawing.picture.overlaps.isCrowded
    frame.overlaps = drawing.overlaps(rows: layout.overlaps.count)
    frame.notice = notice.map { RoomFrame.Notice($0, .warning) }
    frame.showsHelp = showsHelp
    frame.timeline = timeline
    if drawing.count == 0 { frame.scene.invitation = ["Nothing is drawn yet."] }
    return RoomScreen(layout: layout, theme: theme, depth: depth).screen(frame, shapes: painted.pixels(in: view))
  }

  private var timeline: Timeline {
    Timeline(
      words: "\(room.text)  \(TimeWords.shown(moment))",
      part: span.milliseconds == 0 ? 1 : place / Double(span.milliseconds),
      isPlaying: isPlaying,
      speed: speed
    )
  }

  private func paintShapes() -> PaintedShapes {
    shapes.next(view, theme, findsAll: { drawing.findCommonRegions(in: view.visibleBox) }) {
      PaintedShapes(&drawing, view: view, theme: theme)
    }
  }

  private func fit(_ size: Terminal.Size) {
    layout = RoomLayout(
      columns: size.columns,
      rows: size.rows,
      wantsPanel: wantsPanel,
      peopleCount: 0,
      overlapCount: drawing.overlapCount
    )
    if !hasView {
      hasView = true
      view = CanvasView(columns: layout.canvasColumns, rows: layout.canvasRows, aspect: size.aspect)
    } else if view.columns != layout.canvasColumns || view.rows != layout.canvasRows {
      view.resize(columns: layout.canvasColumns, rows: layout.canvasRows)
    }
    if isFitted, let union { view.fit(union, scaleMax: 1 / CanvasView.unitsPerColumn) }
  }

  // MARK: - Keys

  func take(_ event: TerminalEvent) {
    switch event {
    case .key(let key, let modifiers):
      if showsHelp {
        showsHelp = false
      } else {
        take(key, modifiers)
      }
    case .mouse(let mouse): take(mouse)
    case .background(let red, let green, let blue):
      theme = Color(red: red, green: green, blue: blue).luminance > 128 ? .light : .dark
    case .focus, .paste: break
    }
  }

  private func take(_ key: Key, _ modifiers: Modifiers) {
    let step = Double(span.milliseconds) / 50
    switch key {
    case .left where modifiers.isEmpty: seek(to: place - step)
    case .right where modifiers.isEmpty: seek(to: place + step)
    case .home: seek(to: 0)
    case .end: seek(to: Double(span.milliseconds))
    case .up: pan(0, -2)
    case .down: pan(0, 2)
    case .left: pan(-4, 0)
    case .right: pan(4, 0)
    case .escape, .character("q"),
      .character("c") where key != .character("c") || modifiers == .control:
      host.end()
    case .character(let scalar): take(scalar)
    default: break
    }
  }

  private func take(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "?": showsHelp = true
    case " ": pause(isPlaying)
    case "<", ",": speed = max(speed / 2, 0.125)
    case ">", ".": speed = min(speed * 2, 1_048_576)
    case "+", "=": zoom(by: 1.25)
    case "-", "_": zoom(by: 1 / 1.25)
    case "0": isFitted = true
    case "g": wantsPanel.toggle()
    case "t": theme = theme.isDark ? .light : .dark
    default: break
    }
  }

  private func pan(_ columns: Double, _ rows: Double) {
    isFitted = false
    view.pan(columns: columns, rows: rows)
  }

  private func zoom(by factor: Double) {
    isFitted = false
    view.zoom(by: factor)
  }

  private func take(_ mouse: Mouse) {
    let part = layout.part(row: mouse.row, column: mouse.column)
    switch mouse.action {
    case .press where part == .status, .drag where part == .status:
      guard let part = timeline.part(atColumn: mouse.column, columns: layout.columns) else { return }
      seek(to: part * Double(span.milliseconds))
    case .wheelUp, .wheelDown:
      if part == .canvas {
        isFitted = false
        let factor = mouse.action == .wheelUp ? 1.2 : 1 / 1.2
        view.zoom(by: factor, atColumn: Double(mouse.column) + 0.5, row: Double(mouse.row) + 0.5)
      } else {
        layersStart += mouse.action == .wheelUp ? -3 : 3
      }
    default: break
    }
  }
}
