import CanvasCRDT

/// What the mouse is dragging.
enum Grip {
  case none
  /// Shapes that are moved, with the point where they were grabbed.
  case moving(Moving)
  case resizing(Resizing)
  case turning(Turning)
  /// A box that the mouse draws: a new rectangle, or a selection of all shapes that the box touches.
  case pulling(from: Point, to: Point, selects: Bool)
  case panning(row: Int, column: Int)

  struct Moving {
    let start: Point
    var shapes: [(shape: Identifier, position: Point)]
    /// Whether the shapes have really moved, so that they are drawn as lifted.
    var isLifted = false
  }

  struct Resizing {
    let shape: Identifier
    let corner: Int
    let outline: Outline
  }

  struct Turning {
    let shape: Identifier
    let outline: Outline
    let start: Point
  }

  var isNone: Bool {
    if case .none = self { return true }
    return false
  }

  /// The shapes that other people see as lifted.
  var lifted: [Identifier] {
    switch self {
    case .moving(let moving) where moving.isLifted: moving.shapes.map { $0.shape }
    default: []
    }
  }

  var band: Rect? {
    guard case .pulling(let from, let to, _) = self, from != to else { return nil }
    return Rect(
      origin: Point(x: min(from.x, to.x), y: min(from.y, to.y)),
      size: Size(width: max((to.x - from.x).magnitude, 0.001), height: max((to.y - from.y).magnitude, 0.001))
    )
  }
}

/// Counts quick clicks at the same place.
struct Clicks {
  /// If the pause between two clicks is longer than this, counting starts again.
  static let pauseMilliseconds: UInt64 = 350

  private(set) var count = 0
  private var last: (row: Int, column: Int, time: UInt64)?

  mutating func note(row: Int, column: Int, at now: UInt64) {
    if let last, now &- last.time <= Clicks.pauseMilliseconds, (last.row - row).magnitude <= 1,
      (last.column - column).magnitude <= 1
    {
      count += 1
    } else {
      count = 1
    }
    last = (row, column, now)
  }

  /// Makes the next click the first one.
  mutating func forget() { last = nil }
}
