import Basics
import CanvasCRDT
import TerminalCanvas
import WebSocketLoop

/// A room's live canvas on the terminal, with a view, a selection, keys and the mouse. The user is an ordinary peer of
/// the room.
///
/// The room's changes arrive as effects of the replica, and keys and the mouse as events. The `ScreenHost` asks for a
/// screen when it needs one.
@ClientLoop
final class LiveCanvas: ScreenContent {
  let host: ScreenHost
  let depth: ColorDepth
  var theme: Theme
  private(set) var client: RoomClient!
  var chance = SystemRandomNumberGenerator()

  var drawing = LiveDrawing()
  var departures = Departures()
  var people = Presences()
  var inks = Inks()
  /// The timer that drops finished strokes that have waited too long.
  var inkTimer: LoopTimer?
  var textLosses: TextLosses!
  var lostTexts = LostTexts()
  /// The newest state of the shape whose text the user is writing.
  var written: Shape?
  /// The timer that counts down the seconds to the next try to connect.
  var countdown: LoopTimer?
  var followed: Identifier?
  /// Whether the user has been told that the followed person's view isn't known yet.
  var awaitsView = false

  var view: CanvasView
  var layout: RoomLayout
  private var hasView = false
  /// Whether the room has been joined.
  private(set) var hasBegun = false
  var wantsPanel = true
  var layersStart = 0
  var showsHelp = false
  var prompt: (shape: Identifier, prompt: RoomFrame.Prompt)?

  var selection: [Identifier] = [] {
    didSet { selected = Set(selection) }
  }
  /// The same shapes as `selection`, which can be a whole room.
  private(set) var selected: Set<Identifier> = []
  var grip = Grip.none
  /// Where the mouse was last over the canvas.
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
  /// Other people's shapes glide only if painting a frame takes at most this long.
  private static let glidePaintMillisecondsMax: UInt64 = 8

  /// The longest pause between two tries to connect. It is short, because somebody is looking at the screen.
  private static let pauseMillisecondsMax: UInt64 = 2_500

  /// Colours for users who haven't chosen one, the same as on the page.
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
    textLosses = TextLosses(of: client.replica)
  }

  /// To be called when the room has been joined for the first time.
  func begin() {
    hasBegun = true
    rebuild()
  }

  func finish() async {
    pendingClick?.cancel()
    await client.leave()
    // The client retains this object, so the reference is dropped here to break the cycle.
    client = nil
  }

  var canvas: Canvas { client.replica.canvas }

  /// This user's texts that others have overwritten.
  func losses(through effect: ReplicaEffect) -> [TextLosses.Loss] {
    textLosses.follow([effect], of: client.replica, at: .now())
  }

  /// The shape as it is drawn now. A gliding shape hasn't arrived yet.
  func drawn(_ shape: Identifier) -> Shape? {
    let canvas = canvas
    return canvas.drawn(shape)
  }

  // MARK: - Time

  var moves: Bool { shapes.moves || !departures.isEmpty || drawing.moves }

  /// Whether there is time to glide. False if the terminal is slow or painting takes long.
  var hasTimeToGlide: Bool { host.keepsUp && shapes.milliseconds <= LiveCanvas.glidePaintMillisecondsMax }

  func say(_ text: String, _ kind: RoomFrame.Notice.Kind = .plain, forMilliseconds milliseconds: UInt64 = 5_000) {
    let until = SteadyClock.milliseconds() + milliseconds
    notice = (RoomFrame.Notice(text, kind), until)
    host.invalidate()
    ClientLoop.shared.loop.schedule(afterMilliseconds: milliseconds + 10) { [weak self] in
      ClientLoop.assumeIsolated { self?.forgetNotice() }
    }
  }

  private func forgetNotice() {
    guard let notice, notice.until <= SteadyClock.milliseconds() else { return }
    self.notice = nil
    host.invalidate()
  }

  // MARK: - Presence

  /// Sends this user's presence: the pointer, the selected shapes, and the visible part of the canvas.
  func tellPresence() {
    var state = PresenceState()
    state.cursor = pointer
    state.selection = selection
    state.lifted = grip.lifted
    // Somebody who follows tells what the followed person sees. Otherwise two who follow each other would zoom out without
    // end, because the view of each has to be at least as large as the other's.
    state.view = followed.flatMap { people[$0]?.view } ?? view.visibleBox
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
