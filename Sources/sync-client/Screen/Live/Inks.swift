import CanvasCRDT
import TerminalCanvas

/// Strokes that other people are drawing. They are put together from the pieces in the presence messages (S15).
struct Inks {
  private struct Ink {
    let shape: Identifier
    var color: Color
    var width: Double
    var points: [Point]
    var toldAt: UInt64
  }

  /// How long a finished stroke is shown while the drawing doesn't have it yet.
  static let patienceMilliseconds: UInt64 = 1_500
  /// More points of one stroke aren't shown before it is finished.
  private static let pointsMax = 20_000

  private var known: [Identifier: Ink] = [:]
  /// Whether a finished stroke is still shown because the drawing doesn't have it yet.
  private(set) var isWaiting = false

  var isEmpty: Bool { known.isEmpty }

  /// - Parameter isDrawn: whether the drawing has the stroke already.
  mutating func follow(_ people: [Identifier: PresenceState], at now: UInt64, isDrawn: (Identifier) -> Bool) {
    for (actor, state) in people {
      guard let piece = state.ink, piece.at <= Inks.pointsMax, !isDrawn(piece.shape) else { continue }
      var ink = Ink(shape: piece.shape, color: piece.color, width: piece.width, points: [], toldAt: now)
      if let before = known[actor], before.shape == piece.shape { ink.points = before.points }
      // If a piece was lost, a straight line takes its place.
      ink.points = ink.points.prefix(piece.at) + piece.points
      known[actor] = ink
    }
    known = known.filter { actor, ink in
      !isDrawn(ink.shape) && (people[actor]?.ink != nil || now &- ink.toldAt < Inks.patienceMilliseconds)
    }
    isWaiting = known.keys.contains { people[$0]?.ink == nil }
  }

  var items: [CanvasScene.Item] {
    known.sorted { $0.key < $1.key }.compactMap {
      CanvasScene.Item(inkThrough: $0.value.points, width: $0.value.width, color: $0.value.color)
    }
  }
}
