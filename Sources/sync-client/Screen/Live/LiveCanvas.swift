import CanvasCRDT
import TerminalCanvas
import WebSocketLoop

/// The live canvas of a room on the terminal: a full peer, with a view, a selection, keys and a mouse.
///
/// Changes in the room arrive as effects; keys and the mouse arrive as events. The host asks for a screen when it needs
/// one.
@ClientLoop
final class LiveCanvas: ScreenContent {
  let host: ScreenHost
  let depth: ColorDepth
  var theme: Theme
  private(set) var client: RoomClient!
  var chance = SystemRandomNumberGenerator()

  var drawing = LiveDrawing()
  var departures = Departures()
  var people: [Identifier: PresenceState] = [:]
  var inks = Inks()
  /// The timer after which finished strokes that have waited long enough are dropped.
  var inkTimer: LoopTimer?
  var textLosses = TextLosses()
  /// A text that this user wrote and that was lost, and until when it can be put back.
  var lostText: (text: LostText, until: UInt64)?
  /// The newest state of the shape whose text is being written.
  var written: Shape?
  /// The timer that counts the seconds until the next attempt, while the server can't be reached.
  var countdown: LoopTimer?
  var followed: Identifier?
  /// Whether the user has been told that the followed person's view isn't known yet.
  var awaitsView = false

  var view: CanvasView
  var layout: RoomLayout
  private var hasView = false
  var wantsPanel = true
  var layersStart = 0
  var showsHelp = false
  var prompt: (shape: Identifier, prompt: RoomFrame.Prompt)?

  var selection: [Identifier] = []
  var grip = Grip.none
  /// Where the mouse last was over the canvas.
  var pointer: Point?
  var clicks = Clicks()
  var pendingClick: LoopTimer?

  var notice: (notice: RoomFrame.Notice, until: UInt64)?
  var roundTrip: UInt64?
  var isSlow = false
  var leaving = Leaving.no
  private var told: PresenceState?

  /// The painted shapes.
  var shapes = PaintingInFrames()
  /// Other people's shapes glide only if painting a frame takes no longer than this.
  private static let glidePaintMillisecondsMax: UInt64 = 8

  /// The upper bound on the pause between two attempts to connect. It is short, because a person at a screen wants to
  /// be back soon after the server is.
  private static let pauseMillisecondsMax: UInt64 = 2_500

  /// The page's colours for people. A user without a chosen colour gets one of these.
  private static let colors = [
    0xB42318, 0xBE185D, 0x86198F, 0x6D28D9, 0x4338CA, 0x1D4ED8, 0x0369A1, 0x0F766E, 0x15803D, 0x4D7C0F,
  ].map { Color(packed: $0) }

  init(_ invocation: Invocation, _ room: RoomName, host: ScreenHost, theme: Theme) {
    self.host = host
    self.theme = theme
    depth = invocation.colorDepth
    layout = RoomLayout(columns: 80, rows: 24)
    view = CanvasView(columns: 80, rows: 23)
    var configuration = invocation.replicaConfiguration(name: invocation.ownName)
    configuration.color = invocation.color ?? LiveCanvas.colors.randomElement(using: &chance)
    configuration.readonly = invocation.arguments.has("--view")
    configuration.pauseMillisecondsMax = LiveCanvas.pauseMillisecondsMax
    client = invocation.client(of: room, configuration, follower: self)
  }

  /// Called when the room has been reached for the first time.
  func begin() {
    rebuild()
  }

  func finish() async {
    pendingClick?.cancel()
    await client.leave()
    // The client retains its follower, which is this object, so the client is released here.
    client = nil
  }

  var canvas: Canvas { client.replica.canvas }

  /// The shape as it is drawn now.
  func drawn(_ shape: Identifier) -> Shape? {
    let canvas = canvas
    return canvas.drawn(shape)
  }

  // MARK: - Time

  var moves: Bool { shapes.moves || !departures.isEmpty || drawing.moves }

  /// Whether there is time for the frames of a glide. There is none over a slow terminal, or if painting takes long.
  var hasTimeToGlide: Bool { host.keepsUp && shapes.milliseconds <= LiveCanvas.glidePaintMillisecondsMax }

  func say(_ text: String, _ kind: RoomFrame.Notice.Kind = .plain, forMilliseconds milliseconds: UInt64 = 5_000) {
    let until = Clocks.monotonicMilliseconds() + milliseconds
    notice = (RoomFrame.Notice(text, kind), until)
    host.invalidate()
    ClientLoop.shared.loop.schedule(afterMilliseconds: milliseconds + 10) { [weak self] in
      ClientLoop.assumeIsolated { self?.forgetNotice() }
    }
  }

  private func forgetNotice() {
    guard let notice, notice.until <= Clocks.monotonicMilliseconds() else { return }
    self.notice = nil
    host.invalidate()
  }

  // MARK: - Presence

  /// Sends the others where this user points, which shapes they have selected, and which part of the canvas they see.
  func tellPresence() {
    var state = PresenceState()
    state.cursor = pointer
    state.selection = selection
    state.lifted = grip.lifted
    state.view = view.visibleBox
    guard state != told, let json = state.json else { return }
    told = state
    client.showPresence(json)
  }

  // MARK: - The size

  func fit(_ size: Terminal.Size) {
    layout = RoomLayout(
      columns: size.columns,
      rows: size.rows,
      wantsPanel: wantsPanel,
      peopleCount: client.replica.peers.count + 1,
      overlapCount: drawing.overlapCount
    )
    if !hasView {
      hasView = true
      view = CanvasView(columns: layout.canvasColumns, rows: layout.canvasRows, aspect: size.aspect)
      showEverything()
    } else if view.columns != layout.canvasColumns || view.rows != layout.canvasRows {
      view.resize(columns: layout.canvasColumns, rows: layout.canvasRows)
    }
  }

  func showEverything() {
    if let bounds = drawing.bounds {
      view.fit(bounds, scaleMax: 1 / CanvasView.unitsPerColumn)
    } else {
      view.zoom(toPercent: 100)
      view.show(center: Point(x: 0, y: 0))
    }
  }

  func rebuild() {
    drawing = LiveDrawing(canvas)
    selection.removeAll { canvas[$0] == nil }
    shapes.change()
    host.invalidate()
  }
}
