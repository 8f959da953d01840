import CanvasCRDT
import TerminalCanvas

/// Strokes that other people are drawing. They are put together from the pieces in the presence messages (S15).
struct Inks {
  private struct Ink {
    /// The newest piece.
    var piece: PresenceState.InkPiece
    var points: [Point] = []
    /// How many of the stroke's first points are not known any more, or never came.
    var forgotten = 0
    /// Until when a finished stroke is shown. `nil` while somebody draws it.
    var until: UInt64?

    init(_ piece: PresenceState.InkPiece) {
      self.piece = piece
      add(piece)
    }

    mutating func add(_ piece: PresenceState.InkPiece) {
      self.piece = piece
      // If a piece was lost, a straight line takes its place.
      forgotten = max(forgotten, piece.at - points.count)
      let known = piece.at - forgotten
      points.removeLast(points.count - max(0, known))
      points += piece.points.dropFirst(max(0, -known))
    }

    mutating func forgetFirst(_ count: Int) {
      points.removeFirst(count)
      forgotten += count
    }
  }

  /// How long a finished stroke is shown while the drawing doesn't have it yet.
  static let patienceMilliseconds: UInt64 = 1_500
  /// An upper bound on the points of all strokes together. No limit of the server's counts them, because they are not in
  /// the drawing. When there are more, the longest stroke loses its first points.
  static let pointsMax = 20_000
  /// If a stroke is long enough, this many points are forgotten at once, because the others have to be moved each time.
  private static let forgottenMin = 256

  private var known: [Identifier: Ink] = [:]
  /// Whether a finished stroke is still shown because the drawing doesn't have it yet.
  private(set) var isWaiting = false

  var isEmpty: Bool { known.isEmpty }
  var pointsCount: Int { known.values.reduce(0) { $0 + $1.points.count } }

  /// - Parameter isDrawn: whether the drawing has the stroke already.
  /// - Returns: whether the strokes look different now.
  mutating func follow(_ people: Presences, at now: UInt64, isDrawn: (Identifier) -> Bool) -> Bool {
    var isChanged = false
    for (actor, piece) in people.inkPieces where known[actor]?.piece != piece && !isDrawn(piece.shape) {
      if known[actor]?.piece.shape == piece.shape { known[actor]?.add(piece) } else { known[actor] = Ink(piece) }
      isChanged = true
    }
    isWaiting = false
    for (actor, ink) in known {
      let until = people[actor]?.ink == nil ? ink.until ?? now + Inks.patienceMilliseconds : nil
      if isDrawn(ink.piece.shape) || until ?? .max <= now {
        known[actor] = nil
        isChanged = true
      } else {
        known[actor]?.until = until
        if until != nil { isWaiting = true }
      }
    }
    forgetExcess()
    return isChanged
  }

  private mutating func forgetExcess() {
    var excess = pointsCount - Inks.pointsMax
    while excess > 0, let longest = known.max(by: { $0.value.points.count < $1.value.points.count }) {
      let count = max(1, min(longest.value.points.count / 2, max(excess, Inks.forgottenMin)))
      known[longest.key]?.forgetFirst(count)
      excess -= count
    }
  }

  var items: [CanvasScene.Item] {
    known.sorted { $0.key < $1.key }.compactMap {
      CanvasScene.Item(inkThrough: $0.value.points, width: $0.value.piece.width, color: $0.value.piece.color)
    }
  }
}
