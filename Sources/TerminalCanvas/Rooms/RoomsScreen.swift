import CanvasCRDT

/// A server's rooms, as an operator sees them: a table, and above it the server's state.
public struct RoomsScreen: Sendable {
  public struct Row: Equatable, Sendable {
    public var room: String
    /// `nil` if the server doesn't know it now.
    public var shapes: Int?
    public var peers: Int
    public var operations: Int
    public var operationsPerSecond: Double
    /// The operations per second at the last readings, the newest last.
    public var recentRates: [Double]
    /// Why the room can't be opened. `nil` if it can.
    public var fault: String?

    public init(
      room: String,
      shapes: Int?,
      peers: Int,
      operations: Int,
      operationsPerSecond: Double,
      recentRates: [Double] = [],
      fault: String? = nil
    ) {
      self.room = room
      self.shapes = shapes
      self.peers = peers
      self.operations = operations
      self.operationsPerSecond = operationsPerSecond
      self.recentRates = recentRates
      self.fault = fault
    }
  }

  public enum Column: String, CaseIterable, Sendable {
    case room = "Room"
    case shapes = "Shapes"
    case peers = "Peers"
    case rate = "Ops/s"
    case operations = "Operations"

    var width: Int { self == .room ? 0 : 12 }

    /// Whether one row comes before another one. Larger numbers come first; names are in alphabetical order.
    public func isBefore(_ one: Row, _ other: Row) -> Bool {
      switch self {
      case .room: break
      case .shapes where one.shapes ?? 0 != other.shapes ?? 0: return one.shapes ?? 0 > other.shapes ?? 0
      case .peers where one.peers != other.peers: return one.peers > other.peers
      case .rate where one.operationsPerSecond != other.operationsPerSecond:
        return one.operationsPerSecond > other.operationsPerSecond
      case .operations where one.operations != other.operations: return one.operations > other.operations
      default: break
      }
      return Text(one.room) < Text(other.room)
    }
  }

  public var server = ""
  /// The server's state: a few words for each metric.
  public var figures: [String] = []
  /// The rooms, in the order in which they are shown.
  public var rooms: [Row] = []
  public var sortedBy = Column.rate
  public var selected = 0
  /// A part of a name. Only rooms whose names contain it are in the table.
  public var filter = ""
  /// The filter while it is being typed.
  public var typedFilter: LineEditor?
  /// An error, as text.
  public var trouble: String?

  public init() {}

  public static let firstRow = 4
  /// How many of the newest rates a row shows.
  public static let sparklineWidth = 6

  /// How many rooms fit on the screen.
  public static func capacity(rows: Int) -> Int { max(0, rows - firstRow - 1) }

  /// The index of the first room that is shown, chosen so that the selected room is visible.
  public func start(rows: Int) -> Int {
    let capacity = RoomsScreen.capacity(rows: rows)
    return max(0, min(selected - capacity / 2, rooms.count - capacity))
  }

  /// The column whose heading is at a place on the screen.
  public static func heading(row: Int, column: Int, columns: Int) -> Column? {
    guard row == firstRow - 1 else { return nil }
    return places(columns).last { column >= $0.start }?.column
  }

  private static func places(_ columns: Int) -> [(column: Column, start: Int, width: Int)] {
    let numbers = Column.allCases.dropFirst()
    let nameWidth = max(8, min(columns - 2 - numbers.count * 12, 66))
    var places: [(column: Column, start: Int, width: Int)] = [(.room, 1, nameWidth)]
    var start = 1 + nameWidth
    for column in numbers {
      places.append((column, start, column.width))
      start += column.width
    }
    return places
  }

  // MARK: - The screen

  public func screen(columns: Int, rows: Int, theme: Theme, depth: ColorDepth) -> Screen {
    let blank = depth == .none ? Cell() : Cell(.space, .standard, on: depth.ink(theme.paper))
    var screen = Screen(columns: columns, rows: rows, filledWith: blank)
    let paper = depth.ink(theme.paper)
    let plain = Screen.Look(depth.ink(theme.text), on: paper)
    let quiet = Screen.Look(depth.ink(theme.quiet), on: paper)
    var strong = plain
    strong.style = .bold
    let end = screen.write(" \(server)", row: 0, column: 0, strong, columnsMax: columns)
    screen.write("  \(countWords(rows: rows))", row: 0, column: end, quiet)
    if let trouble {
      let warning = Screen.Look(depth.ink(theme.warning), on: paper, .bold)
      screen.write(" \(trouble)", row: 1, column: 0, warning, columnsMax: columns)
    } else {
      screen.write(" \(figures.joined(separator: " · "))", row: 1, column: 0, quiet, columnsMax: columns)
    }
    writeHeadings(quiet, strong, to: &screen)
    let start = start(rows: rows)
    for (offset, row) in rooms.dropFirst(start).prefix(RoomsScreen.capacity(rows: rows)).enumerated() {
      write(
        row,
        RoomsScreen.firstRow + offset,
        isSelected: start + offset == selected,
        theme,
        depth,
        plain,
        to: &screen
      )
    }
    if rooms.isEmpty, trouble == nil {
      let words = filter.isEmpty ? "Nobody has drawn anything yet." : "No room has “\(filter)” in its name."
      screen.write(" \(words)", row: RoomsScreen.firstRow, column: 0, quiet, columnsMax: columns)
    }
    writeBar(theme, depth, to: &screen)
    return screen
  }

  private func writeBar(_ theme: Theme, _ depth: ColorDepth, to screen: inout Screen) {
    guard let typedFilter else {
      let keys = " ↑↓ choose · Enter opens · w people · / filters · n s p o t sort · q leaves"
      screen.writeKeyBar(keys, theme: theme, depth: depth)
      return
    }
    let question = " Rooms with: "
    screen.writeKeyBar(question + typedFilter.text, theme: theme, depth: depth)
    let typed = question + String(String.UnicodeScalarView(typedFilter.scalars.prefix(typedFilter.cursor)))
    screen.cursor = Screen.Place(row: screen.rows - 1, column: min(typed.columns, screen.columns - 1))
  }

  /// The number of rooms. If some are not visible, the text also says which ones are visible.
  private func countWords(rows: Int) -> String {
    let shown = RoomsScreen.capacity(rows: rows)
    let start = start(rows: rows)
    let range = rooms.count > shown && shown > 0 ? "\(start + 1)–\(start + shown) of " : ""
    let words = range + (rooms.count == 1 ? "1 room" : "\(rooms.count) rooms")
    return filter.isEmpty ? words : words + " with “\(filter)”"
  }

  private func writeHeadings(_ quiet: Screen.Look, _ strong: Screen.Look, to screen: inout Screen) {
    for (column, start, width) in RoomsScreen.places(screen.columns) {
      var text = column.rawValue
      if column == sortedBy {
        text = column == .room ? "Room ▴" : "▾ \(column.rawValue)"
        // The longest heading takes the place of the space, so that it is whole.
        if column != .room, text.columns >= width { text = "▾\(column.rawValue)" }
      }
      let look = column == sortedBy ? strong : quiet
      write(text, RoomsScreen.firstRow - 1, start, width, look, isNumber: column != .room, to: &screen)
    }
  }

  private func write(
    _ row: Row,
    _ line: Int,
    isSelected: Bool,
    _ theme: Theme,
    _ depth: ColorDepth,
    _ plain: Screen.Look,
    to screen: inout Screen
  ) {
    let look = isSelected ? screen.writeSelection(row: line, theme: theme, depth: depth) : plain
    if let fault = row.fault {
      // The fault takes the place of the numbers.
      let places = RoomsScreen.places(screen.columns)
      write(row.room, line, places[0].start, places[0].width, look, isNumber: false, to: &screen)
      var warning = look
      if !isSelected { warning.foreground = depth.ink(theme.warning) }
      let start = places[1].start + 1
      screen.write(fault, row: line, column: start, warning, columnsMax: screen.columns - start - 1)
      return
    }
    // The sparkline is in the empty half of the column of rates.
    if let place = RoomsScreen.places(screen.columns).first(where: { $0.column == .rate }) {
      let width = RoomsScreen.sparklineWidth
      screen.write(Sparkline.text(of: row.recentRates, width: width), row: line, column: place.start + 1, look)
    }
    for (column, start, width) in RoomsScreen.places(screen.columns) {
      let text =
        switch column {
        case .room: row.room
        case .shapes: row.shapes.map { "\($0)" } ?? "?"
        case .peers: "\(row.peers)"
        case .rate: row.operationsPerSecond == 0 ? "·" : "\(Int(row.operationsPerSecond.rounded(.up)))"
        case .operations: "\(row.operations)"
        }
      write(text, line, start, width, look, isNumber: column != .room, to: &screen)
    }
  }

  private func write(
    _ text: String,
    _ row: Int,
    _ start: Int,
    _ width: Int,
    _ look: Screen.Look,
    isNumber: Bool,
    to screen: inout Screen
  ) {
    let fitted = text.fitting(width - 1)
    let column = isNumber ? start + width - 1 - fitted.columns : start
    screen.write(fitted, row: row, column: column, look)
  }
}
