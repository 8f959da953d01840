import TerminalCanvas
import TestSupport
import Testing

@testable import CanvasCRDT
@testable import WebSocketLoop
@testable import sync_client

/// A live canvas without a terminal and without a socket. The test plays the server and the terminal.
@ClientLoop
final class Desk {
  static let size = Terminal.Size(columns: 80, rows: 24, aspect: 2)
  static let bob = Identifier("bob-000-000")!

  let live: LiveCanvas
  private var written: UInt64 = 0

  /// - Parameters:
  ///   - options: the words after `join demo`.
  ///   - hasBegun: whether the canvas is shown already.
  init(_ options: String..., role: Role = .editor, hasBegun: Bool = true) throws {
    let environment = ["TERM": "xterm", "COLORTERM": "truecolor", "USER": "ann", "CANVAS_SERVER": "ws://127.0.0.1:1"]
    let invocation = try Invocation(try Arguments(["demo"] + options, for: Join.command), environment: environment)
    live = LiveCanvas(invocation, try RoomName("demo"), host: ScreenHost(), theme: .dark)
    join(role: role)
    guard hasBegun else { return }
    live.begin()
    look()
  }

  isolated deinit {
    // It connects to nothing any more.
    live.client.edit { replica, now in replica.stop(at: now) }
  }

  // MARK: - The server

  /// Welcomes the client to an empty room, in which Bob is.
  private func join(role: Role) {
    live.client.edit { replica, now in
      // What it wants to do with a socket is left out.
      _ = replica.start(at: now)
      return []
    }
    live.client.socketOpened()
    hear(
      .welcome(
        Welcome(
          room: "demo",
          actor: live.client.replica.actor,
          role: role,
          milliseconds: 1_763_650_000_000,
          limits: RoomLimits(),
          peers: [Peer(actor: Desk.bob, name: "Bob", color: Color(packed: 0x0369A1))]
        )
      )
    )
    hear(.operations(Delivery(cursor: Cursor("1-1"), operations: [], reset: true)))
  }

  func hear(_ message: ServerMessage) {
    BinaryEncoding.encode(message).withUnsafeBytes { live.client.socketReceived(Message(bytes: $0, isText: false)) }
  }

  /// Bob writes, later than all that was written before.
  func write(_ shape: Identifier, _ assign: (inout Properties) -> Void) {
    written += 1
    let stamp = Stamp(milliseconds: 1_763_650_030_000 + written, counter: 0, actor: Desk.bob)!
    let operation = Operation(shape: shape, at: stamp, set: Properties(assign))
    hear(.operations(Delivery(cursor: Cursor(Text("1-\(written + 1)")), operations: [operation])))
  }

  /// Bob makes a shape, in front of all others.
  @discardableResult
  func draw(_ name: Text, _ box: Rect, _ kind: ShapeKind = .rectangle, _ assign: (inout Properties) -> Void = { _ in })
    -> Identifier
  {
    let shape = Identifier(packed: 1_000 + written)!
    write(shape) {
      $0.kind = kind
      $0.name = name
      $0.position = box.origin
      $0.size = box.size
      $0.z = OrderKey(Text("k\(Character(Unicode.Scalar(UInt8(97 + written))))"))!
      assign(&$0)
    }
    return shape
  }

  /// What Bob shows.
  func show(_ state: String) { hear(.presence([PeerState(actor: Desk.bob, state: JSONText(state))])) }

  // MARK: - The terminal

  /// Paints a frame.
  @discardableResult
  func look(_ size: Terminal.Size = Desk.size) -> Screen { live.screen(size) }

  var status: String { look().text(row: Desk.size.rows - 1) }
  var notice: String? { live.notice?.notice.text }

  func press(_ keys: String) { for key in keys.unicodeScalars { press(.character(key)) } }
  func press(_ key: Key, _ modifiers: Modifiers = []) { live.take(.key(key, modifiers)) }

  func mouse(_ action: Mouse.Action, _ button: Mouse.Button = .left, at place: Point, _ modifiers: Modifiers = []) {
    let cell = live.view.cell(of: place)
    let (row, column) = (Int(cell.y.rounded(.down)), Int(cell.x.rounded(.down)))
    live.take(.mouse(Mouse(action, button, row: row, column: column, modifiers: modifiers)))
  }

  /// Presses a button, moves the mouse from place to place, and releases it.
  func drag(_ places: Point..., button: Mouse.Button = .left, modifiers: Modifiers = []) {
    mouse(.press, button, at: places[0], modifiers)
    for place in places.dropFirst() { mouse(.drag, button, at: place, modifiers) }
    mouse(.release, button, at: places[places.count - 1], modifiers)
    // However soon the next click comes, it is the first one.
    live.clicks.forget()
  }

  func click(_ place: Point, _ modifiers: Modifiers = []) { drag(place, modifiers: modifiers) }

  /// The canvas at 100 %, where a column takes 8 units and a row 16, with this place in the top left corner.
  func settle(at origin: Point = Point(x: 0, y: 0)) {
    look()
    live.view.zoom(toPercent: 100)
    live.view.origin = origin
  }

  /// Waits until all timers of at most `milliseconds` that were set before have fired.
  func passes(milliseconds: UInt64) async {
    await withCheckedContinuation { continuation in
      _ = ClientLoop.shared.loop.schedule(afterMilliseconds: milliseconds) { continuation.resume() }
    }
  }

  // MARK: - What is there

  func shape(_ shape: Identifier) -> Properties { live.canvas[shape]?.properties ?? Properties() }

  /// The only selected shape.
  var selected: Properties { live.selection.count == 1 ? shape(live.selection[0]) : Properties() }

  /// The only selected shape, after these keys.
  func after(_ keys: String) -> Properties {
    press(keys)
    return selected
  }

  /// The names that are shown, from back to front.
  var names: [String] { live.drawing.order.places.map { live.drawing.name(of: $0.shape) } }
}
