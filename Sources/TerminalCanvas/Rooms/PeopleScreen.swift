import CanvasCRDT

/// The people in a room, as an operator sees them.
public struct PeopleScreen: Sendable {
  public struct Row: Equatable, Sendable {
    public var actor: String
    public var name: String
    public var role: String
    public var token: String
    public var address: String

    public init(actor: String, name: String, role: String, token: String, address: String) {
      self.actor = actor
      self.name = name
      self.role = role
      self.token = token
      self.address = address
    }
  }

  public var room: String
  public var people: [Row] = []
  public var isLocked = false
  public var selected = 0
  /// What the operator did last, or why it was refused.
  public var notice: String?
  /// An error, which is shown instead of the notice.
  public var trouble: String?
  /// The question that the operator has to answer before something is done.
  public var question: String?

  public init(room: String) {
    self.room = room
  }

  private static let firstRow = 4
  private static let columns: [(heading: String, width: Int)] = [
    ("Actor", 13), ("Name", 24), ("Role", 10), ("Token", 16), ("Address", 40),
  ]

  public func screen(columns: Int, rows: Int, theme: Theme, depth: ColorDepth) -> Screen {
    let paper = depth.ink(theme.paper)
    let blank = depth == .none ? Cell() : Cell(.space, .standard, on: paper)
    var screen = Screen(columns: columns, rows: rows, filledWith: blank)
    let plain = Screen.Look(depth.ink(theme.text), on: paper)
    let quiet = Screen.Look(depth.ink(theme.quiet), on: paper)
    var strong = plain
    strong.style = .bold
    let end = screen.write(" \(room)", row: 0, column: 0, strong, columnsMax: columns)
    let count = people.count == 1 ? "1 person" : "\(people.count) people"
    screen.write("  \(count)\(isLocked ? " · locked" : "")", row: 0, column: end, quiet)
    if let words = trouble ?? notice { screen.write(" \(words)", row: 1, column: 0, quiet, columnsMax: columns) }
    write(PeopleScreen.columns.map(\.heading), PeopleScreen.firstRow - 1, quiet, to: &screen)
    let capacity = max(0, rows - PeopleScreen.firstRow - 1)
    let start = max(0, min(selected - capacity / 2, people.count - capacity))
    for (offset, row) in people.dropFirst(start).prefix(capacity).enumerated() {
      let line = PeopleScreen.firstRow + offset
      let isSelected = start + offset == selected
      let look = isSelected ? screen.writeSelection(row: line, theme: theme, depth: depth) : plain
      write([row.actor, row.name, row.role, row.token, row.address], line, look, to: &screen)
    }
    if people.isEmpty { screen.write(" Nobody is in this room.", row: PeopleScreen.firstRow, column: 0, quiet) }
    let keys = "↑↓ choose · x removes · l \(isLocked ? "unlocks" : "locks") the room · Esc goes back"
    screen.writeKeyBar(" \(question ?? keys)", theme: theme, depth: depth)
    return screen
  }

  private func write(_ texts: [String], _ row: Int, _ look: Screen.Look, to screen: inout Screen) {
    var start = 1
    for (text, column) in zip(texts, PeopleScreen.columns) {
      screen.write(text.fitting(column.width - 1), row: row, column: start, look)
      start += column.width
    }
  }
}
