/// Where the parts of the live canvas are on a screen of a given size: the canvas, the panel to its right, and the last
/// row.
public struct RoomLayout: Equatable, Sendable {
  /// The panel is shown on screens with at least this many columns.
  public static let columnsForPanel = 96
  public static let panelColumns = 30

  public let columns: Int
  public let rows: Int
  public let canvasColumns: Int
  public let canvasRows: Int
  public let hasPanel: Bool

  // The rows of each list in the panel, without the list's heading.
  public let people: Range<Int>
  public let layers: Range<Int>
  public let overlaps: Range<Int>

  public init(columns: Int, rows: Int, wantsPanel: Bool = true, peopleCount: Int = 1, overlapCount: Int = 0) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    hasPanel = wantsPanel && columns >= RoomLayout.columnsForPanel && rows >= 12
    canvasColumns = hasPanel ? self.columns - RoomLayout.panelColumns : self.columns
    canvasRows = max(self.rows - 1, 1)
    guard hasPanel else {
      people = 0..<0
      layers = 0..<0
      overlaps = 0..<0
      return
    }
    // The rows that are left for the lists, without three headings and an empty row before each heading. The layers get
    // at least a third of these rows.
    let room = canvasRows - 6
    let peopleRows = min(max(peopleCount, 1), max(1, room / 4))
    let overlapRows = min(max(overlapCount, 1), max(1, room / 3))
    people = 1..<(1 + (peopleCount == 0 ? 0 : peopleRows))
    let layersStart = peopleCount == 0 ? 1 : people.upperBound + 2
    layers = layersStart..<max(layersStart, canvasRows - overlapRows - 2)
    overlaps = (layers.upperBound + 2)..<max(layers.upperBound + 2, canvasRows)
  }

  /// What is at a place on the screen.
  public enum Part: Equatable, Sendable {
    case canvas
    /// A row in the list of people.
    case person(Int)
    case layer(Int)
    /// The symbol at the end of a layer's row that shows or hides the layer.
    case layerEye(Int)
    case overlap(Int)
    case panel
    case status
  }

  public func part(row: Int, column: Int) -> Part {
    if row >= canvasRows { return .status }
    if column < canvasColumns { return .canvas }
    if people.contains(row) { return .person(row - people.lowerBound) }
    if layers.contains(row) {
      return column >= columns - 3 ? .layerEye(row - layers.lowerBound) : .layer(row - layers.lowerBound)
    }
    if overlaps.contains(row) { return .overlap(row - overlaps.lowerBound) }
    return .panel
  }
}
