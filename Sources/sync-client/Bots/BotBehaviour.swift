import CanvasCRDT
import Glibc

/// The moves of one bot. They depend only on the seed and the bot's number.
struct BotBehaviour: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// Each move goes to a random position in the area.
    case scatter
    /// Each move is a small random step within the area.
    case wander
    /// The shapes circle around a centre of the bot's own, each at its own speed.
    case orbit
    /// All bots with the same seed follow one wandering point.
    case swarm
    /// Each move goes to a neighbouring cell of a grid.
    case grid
  }

  struct Member: Sendable {
    let id: Identifier
    let size: Size
    var position: Point
    /// A random fraction from 0 to 1. It differs from shape to shape, so that a bot's shapes don't move in the same
    /// rhythm.
    let phase: Double
  }

  let kind: Kind
  let area: Rect
  private(set) var members: [Member] = []
  private var random: SplitMix
  private let center: Point
  private var next = 0

  static let cell = 60.0

  /// - Parameter number: the bot's number among those with the same seed. It decides the bot's shapes and random
  ///   numbers.
  init(_ kind: Kind, shapes: Int, area: Rect, seed: UInt64, number: Int) {
    self.kind = kind
    self.area = area
    // The seed is hashed before the number is added, because the second bot of one seed would otherwise be the first bot
    // of the next seed. The sum is hashed too. Otherwise two bots could get the same sequence of random numbers, shifted
    // by some steps.
    var seeds = SplitMix(seed: seed)
    var mixer = SplitMix(seed: seeds.next() &+ UInt64(number))
    random = SplitMix(seed: mixer.next())
    center = Point(
      x: area.minX + area.size.width * Double.random(in: 0.2...0.8, using: &random),
      y: area.minY + area.size.height * Double.random(in: 0.2...0.8, using: &random)
    )
    for index in 0..<shapes {
      let side = kind == .grid ? BotBehaviour.cell - 10 : Double(Int.random(in: 24...72, using: &random))
      let size = Size(width: side, height: side)
      members.append(
        Member(
          id: Identifier.random(using: &random),
          size: size,
          position: Point(x: 0, y: 0),
          phase: (Double(index) + 0.5) / Double(max(shapes, 1))
        )
      )
      members[index].position = opening(index)
    }
  }

  /// Makes the shapes.
  mutating func begin() -> [ProposedOperation] {
    members.map { member in
      var set = Properties()
      set.kind = ShapeKind.outlines[Int.random(in: 0..<ShapeKind.outlines.count, using: &random)]
      set.position = member.position
      set.size = member.size
      set.fill = Color.bright(using: &random)
      set.alpha = 8
      return ProposedOperation(shape: member.id, at: nil, set: set)
    }
  }

  /// The next move. The shapes take turns.
  mutating func move(atMilliseconds time: UInt64) -> ProposedOperation? {
    guard !members.isEmpty else { return nil }
    let index = next
    next = (next + 1) % members.count
    let member = members[index]
    members[index].position = rounded(kept(place(of: member, at: Double(time) / 1_000), member.size))
    var set = Properties()
    set.position = members[index].position
    return ProposedOperation(shape: member.id, at: nil, set: set)
  }

  // MARK: - Places

  private mutating func opening(_ index: Int) -> Point {
    let member = members[index]
    switch kind {
    case .grid:
      let columns = max(1, Int(area.size.width / BotBehaviour.cell))
      let rows = max(1, Int(area.size.height / BotBehaviour.cell))
      return Point(
        x: area.minX + Double(Int.random(in: 0..<columns, using: &random)) * BotBehaviour.cell,
        y: area.minY + Double(Int.random(in: 0..<rows, using: &random)) * BotBehaviour.cell
      )
    case .orbit, .swarm: return rounded(kept(place(of: member, at: 0), member.size))
    case .scatter, .wander: return rounded(anywhere(member.size))
    }
  }

  private mutating func place(of member: Member, at seconds: Double) -> Point {
    switch kind {
    case .scatter: return anywhere(member.size)
    case .wander:
      return Point(
        x: member.position.x + Double.random(in: -20...20, using: &random),
        y: member.position.y + Double.random(in: -20...20, using: &random)
      )
    case .orbit:
      let radius = 40 + 160 * member.phase
      return Cycle.point(around: center, radius: radius, turn: seconds * (0.3 - 0.2 * member.phase) + member.phase)
    case .swarm:
      let target = Cycle.point(
        around: area.center,
        radius: min(area.size.width, area.size.height) * 0.35,
        turn: seconds * 0.05
      )
      return Point(
        x: target.x + Double.random(in: -60...60, using: &random),
        y: target.y + Double.random(in: -60...60, using: &random)
      )
    case .grid:
      let steps = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
      let step = steps[Int.random(in: 0..<4, using: &random)]
      let stepped = Point(
        x: member.position.x + step.0 * BotBehaviour.cell,
        y: member.position.y + step.1 * BotBehaviour.cell
      )
      // A step that would leave the area is not made.
      return kept(stepped, member.size) == stepped ? stepped : member.position
    }
  }

  private mutating func anywhere(_ size: Size) -> Point {
    Point(
      x: area.minX + Double.random(in: 0...1, using: &random) * max(0, area.size.width - size.width),
      y: area.minY + Double.random(in: 0...1, using: &random) * max(0, area.size.height - size.height)
    )
  }

  private func kept(_ point: Point, _ size: Size) -> Point {
    Point(
      x: max(area.minX, min(point.x, area.maxX - size.width)),
      y: max(area.minY, min(point.y, area.maxY - size.height))
    )
  }

  private func rounded(_ point: Point) -> Point {
    Point(x: (point.x * 10).rounded() / 10, y: (point.y * 10).rounded() / 10)
  }
}

/// Points on a circle, by angle.
enum Cycle {
  /// - Parameter turn: the angle. A value of 1 is a full turn.
  static func point(around center: Point, radius: Double, turn: Double) -> Point {
    Point(x: center.x + radius * cos(turn * 2 * .pi), y: center.y + radius * sin(turn * 2 * .pi))
  }
}
