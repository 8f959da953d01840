import CanvasCRDT
import TerminalCanvas
import WebSocketLoop

/// The table of a server's rooms, updated regularly.
@ClientLoop
final class RoomsTable: ScreenContent {
  private let host: ScreenHost
  private let server: ServerAddress
  private let intervalMilliseconds: UInt64
  private let depth: ColorDepth
  private var theme: Theme
  private var table = RoomsScreen()
  /// All rooms at the last update, in the server's order.
  private var rooms: [RoomsScreen.Row] = []
  private var selectedRoom: String?
  private var newest: ServerReading?
  private var timer: LoopTimer?
  /// How often the table was stopped. A reading that began before doesn't ask again.
  private var stops = 0
  /// Why the room that the user chose could not be opened.
  private var refusal: String?
  /// For each room, the operations per second at the last updates.
  private var recentRates: [String: [Double]] = [:]
  private(set) var choice = Choice.leave

  enum Choice {
    case leave
    /// The user opens a room's live canvas.
    case open(String)
    /// The user opens the list of people in a room.
    case people(String)
  }

  init(_ invocation: Invocation, host: ScreenHost, intervalMilliseconds: UInt64) {
    self.host = host
    self.intervalMilliseconds = intervalMilliseconds
    server = invocation.server
    depth = invocation.colorDepth
    theme = invocation.arguments.has("--light") || host.terminalIsLight == true ? .light : .dark
    table.server = server.authority
  }

  let moves = false

  func screen(_ size: Terminal.Size) -> Screen {
    table.screen(columns: size.columns, rows: size.rows, theme: theme, depth: depth)
  }

  // MARK: - Asking

  /// Loads the rooms once, and then regularly until `stop`.
  func begin() async throws {
    try await ask()
    askAgain()
  }

  /// Goes on after something else was shown. The last rooms are shown until the server has answered again.
  func goOn() {
    choice = .leave
    askAgain(afterMilliseconds: 0)
  }

  /// Shows why a room could not be opened, until the next key.
  func refuse(_ failure: ClientFailure) {
    refusal = failure.words.printable
    table.trouble = refusal
  }

  func stop() {
    stops += 1
    timer?.cancel()
    timer = nil
  }

  private func askAgain(afterMilliseconds pause: UInt64? = nil) {
    timer = ClientLoop.shared.loop.schedule(afterMilliseconds: pause ?? intervalMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated {
        guard let self else { return }
        self.timer = nil
        let stops = self.stops
        Task { @ClientLoop in
          do {
            try await self.ask()
            self.table.trouble = self.refusal
          } catch let failure as ClientFailure {
            self.table.trouble = failure.words.printable
          } catch {}
          self.host.invalidate()
          if stops == self.stops { self.askAgain() }
        }
      }
    }
  }

  private func ask() async throws {
    let reading = try await ServerReading.take(by: ServerRequests(server: server), after: newest)
    let rates = newest.map { reading.rates(since: $0) } ?? [:]
    let seconds = newest.map { reading.seconds(since: $0) } ?? 0
    table.figures = reading.figures?.words(since: newest?.figures, seconds: seconds) ?? []
    if newest != nil {
      var recent: [String: [Double]] = [:]
      for room in reading.rooms {
        let before = recentRates[room.room] ?? []
        recent[room.room] = (before + [rates[room.room] ?? 0]).suffix(RoomsScreen.sparklineWidth)
      }
      recentRates = recent
    }
    newest = reading
    rooms = reading.rooms.map { room in
      RoomsScreen.Row(
        room: room.room.printable,
        shapes: room.knownShapes,
        peers: room.peers,
        operations: room.operations,
        operationsPerSecond: rates[room.room] ?? 0,
        recentRates: recentRates[room.room] ?? [],
        fault: room.fault?.printable
      )
    }
    show()
  }

  /// Shows the rooms that match the filter, in the chosen order.
  private func show() {
    let filter = table.typedFilter?.text ?? table.filter
    table.filter = filter
    table.rooms = filter.isEmpty ? rooms : rooms.filter { $0.room.lowercased().contains(filter.lowercased()) }
    let column = table.sortedBy
    table.rooms.sort { column.isBefore($0, $1) }
    // The same room stays selected, although its row changes when the order does.
    if let selectedRoom, let index = table.rooms.firstIndex(where: { $0.room == selectedRoom }) {
      table.selected = index
    } else {
      select(table.selected)
    }
  }

  private func select(_ index: Int) {
    table.selected = max(0, min(index, table.rooms.count - 1))
    selectedRoom = table.rooms.isEmpty ? nil : table.rooms[table.selected].room
  }

  // MARK: - Keys

  func take(_ event: TerminalEvent) {
    if table.typedFilter != nil, takeFilter(event) { return }
    switch event {
    case .key(let key, let modifiers): take(key, modifiers)
    case .mouse(let mouse): take(mouse)
    case .background(let red, let green, let blue):
      theme = Color(red: red, green: green, blue: blue).luminance > 128 ? .light : .dark
    case .focus, .paste: break
    }
  }

  /// The filter applies while the user types. Enter keeps it, and Escape removes it.
  private func takeFilter(_ event: TerminalEvent) -> Bool {
    switch event {
    case .key, .paste: break
    default: return false
    }
    switch table.typedFilter?.take(event) {
    case .accepted: table.typedFilter = nil
    case .cancelled:
      table.typedFilter = nil
      table.filter = ""
    case .editing, .full, nil: break
    }
    show()
    return true
  }

  private func take(_ key: Key, _ modifiers: Modifiers) {
    if refusal != nil { (refusal, table.trouble) = (nil, nil) }
    switch key {
    case .up: select(table.selected - 1)
    case .down: select(table.selected + 1)
    case .pageUp: select(table.selected - 10)
    case .pageDown: select(table.selected + 10)
    case .home: select(0)
    case .end: select(table.rooms.count - 1)
    case .enter: leaveFor(Choice.open)
    case .character("w"): leaveFor(Choice.people)
    case .character("/"): table.typedFilter = LineEditor(table.filter, bytesMax: 64)
    case .escape where !table.filter.isEmpty:
      table.filter = ""
      show()
    case .escape, .character("q"): host.end()
    case .character("c") where modifiers == .control: host.end()
    case .character("n"): sort(by: .room)
    case .character("s"): sort(by: .shapes)
    case .character("p"): sort(by: .peers)
    case .character("o"): sort(by: .rate)
    case .character("t"): sort(by: .operations)
    default: break
    }
  }

  private func take(_ mouse: Mouse) {
    switch mouse.action {
    case .wheelUp: select(table.selected - 3)
    case .wheelDown: select(table.selected + 3)
    case .press:
      let size = host.size
      if let column = RoomsScreen.heading(row: mouse.row, column: mouse.column, columns: size.columns) {
        sort(by: column)
        return
      }
      let index = table.start(rows: size.rows) + mouse.row - RoomsScreen.firstRow
      guard mouse.row >= RoomsScreen.firstRow, mouse.row < size.rows - 1, table.rooms.indices.contains(index) else {
        return
      }
      // A click on the selected room opens that room.
      if index == table.selected { leaveFor(Choice.open) } else { select(index) }
    default: break
    }
  }

  private func sort(by column: RoomsScreen.Column) {
    table.sortedBy = column
    show()
  }

  private func leaveFor(_ choice: (String) -> Choice) {
    guard table.rooms.indices.contains(table.selected) else { return }
    self.choice = choice(table.rooms[table.selected].room)
    host.end()
  }
}
