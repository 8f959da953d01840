@testable import CanvasCRDT

/// Random operations of people who overwrite each other: few shapes, few actors, and stamps that are close together.
struct RandomHistory {
  var generator: SeededGenerator
  var shapes: [Identifier]
  var actors: [Identifier]
  var milliseconds: ClosedRange<UInt64> = 1_763_650_000_000...1_763_650_000_040

  init(seed: UInt64, shapes: Int = 4, actors: Int = 3) {
    generator = SeededGenerator(seed: seed)
    self.shapes = []
    self.actors = []
    for _ in 0..<shapes { self.shapes.append(Identifier.random(using: &generator)) }
    for _ in 0..<actors { self.actors.append(Identifier.random(using: &generator)) }
  }

  mutating func operation() -> CanvasCRDT.Operation {
    let counter: UInt64 = Bool.random(using: &generator) ? 0 : UInt64.random(in: 0...3, using: &generator)
    let stamp = Stamp(
      milliseconds: UInt64.random(in: milliseconds, using: &generator),
      counter: counter,
      actor: actors.randomElement(using: &generator)!
    )!
    return CanvasCRDT.Operation(shape: shapes.randomElement(using: &generator)!, at: stamp, set: properties())
  }

  mutating func operations(_ count: Int) -> [CanvasCRDT.Operation] {
    var operations: [CanvasCRDT.Operation] = []
    for _ in 0..<count { operations.append(operation()) }
    return operations
  }

  /// Random properties: often one, sometimes many, and rarely an erasure.
  mutating func properties() -> Properties {
    var set = Properties()
    if Int.random(in: 0..<12, using: &generator) == 0 { set.delete() }
    let wanted = Bool.random(using: &generator) ? 1 : Int.random(in: 1...8, using: &generator)
    for _ in 0..<wanted { assignRandom(Property.allCases.randomElement(using: &generator)!, in: &set) }
    if set.assigned.isEmpty { set.kind = .ellipse }
    return set
  }

  mutating func assignRandom(_ property: Property, in set: inout Properties) {
    switch property {
    case .position: set.position = Point(x: number(-1e7...1e7), y: number(-2_000...2_000))
    case .size: set.size = Size(width: number(1...1e6), height: number(1...500))
    case .rotation: set.rotation = number(-720...720)
    case .fill: set.fill = Color(packed: UInt32.random(in: 0..<(1 << 24), using: &generator))
    case .stroke: set.stroke = Color(packed: UInt32.random(in: 0..<(1 << 24), using: &generator))
    case .strokeWidth: set.strokeWidth = number(0...1_000)
    case .alpha: set.alpha = Int16.random(in: 1...10, using: &generator)
    case .visible: set.visible = Bool.random(using: &generator)
    case .deleted: break
    case .kind: set.kind = ShapeKind.allCases.randomElement(using: &generator)!
    case .name:
      set.name = ["Sun", "Moon", "Sun 2", "Größe", "a name that is longer than fifteen bytes"]
        .randomElement(using: &generator)!
    case .z: set.z = ["V", "a", "Z1", "zzzzzzzzzzzzzzzzzzzz1"].map { key(Text($0)) }.randomElement(using: &generator)!
    case .cornerRadius: set.cornerRadius = number(0...1e6)
    case .points: set.points = Int16.random(in: 3...64, using: &generator)
    case .innerRatio: set.innerRatio = number(0.05...1)
    case .text:
      set.text = ["", "Buy milk", "two\nlines, and \"quotes\"", "שלום 👩‍👩‍👧", Text(String(repeating: "long ", count: 60))]
        .randomElement(using: &generator)!
    case .textSize: set.textSize = number(1...1_000)
    case .textAlign: set.textAlign = TextAlign.allCases.randomElement(using: &generator)!
    case .textPlace: set.textPlace = TextPlace.allCases.randomElement(using: &generator)!
    case .dash: set.dash = Dash.allCases.randomElement(using: &generator)!
    case .filled: set.isFilled = Bool.random(using: &generator)
    case .locked: set.isLocked = Bool.random(using: &generator)
    case .group:
      set.group = [nil, Identifier("afy-kw5-t7o")!, Identifier("zzz-zzz-zzz")!].randomElement(using: &generator)!
    case .path: set.path = path()
    case .from: set.from = tie()
    case .to: set.to = tie()
    case .fromEnd: set.fromEnd = LineEnd.allCases.randomElement(using: &generator)!
    case .toEnd: set.toEnd = LineEnd.allCases.randomElement(using: &generator)!
    case .route: set.route = LineRoute.allCases.randomElement(using: &generator)!
    }
  }

  private mutating func place() -> BoxPlace {
    BoxPlace(x: .random(in: 0 ... .max, using: &generator), y: .random(in: 0...300, using: &generator))
  }

  private mutating func tie() -> Tie? {
    Bool.random(using: &generator) ? nil : Tie(shape: shapes.randomElement(using: &generator)!, place: place())
  }

  private mutating func path() -> Path {
    let hasWidths = Bool.random(using: &generator)
    let count = [0, 2, 3, 40].randomElement(using: &generator)!
    let points = (0..<count).map { _ in
      Path.Point(place(), width: hasWidths ? .random(in: Path.widths, using: &generator) : Path.evenWidth)
    }
    return Path(points) ?? .none
  }

  private func key(_ text: Text) -> OrderKey { text.withBytes { OrderKey($0)! } }

  /// A random number that is whole, has a few decimals, or has all its digits.
  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    let value = Double.random(in: range, using: &generator)
    let scale: Double
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: scale = 1
    case 1: scale = 100
    case 2: scale = 10_000
    default: return value
    }
    return min(max((value * scale).rounded() / scale, range.lowerBound), range.upperBound)
  }
}
