import CanvasCRDT

/// The workload for our replicas and for all other libraries: a canvas of shapes with eight properties each, then
/// updates of single properties by ten writers. Most updates move a shape.
struct Workload {
  static let writerCount = 10
  static let startMilliseconds: UInt64 = 1_763_650_000_000

  private(set) var base: [Operation] = []
  private(set) var updates: [Operation] = []

  init(shapes: Int, updates updateCount: Int, seed: UInt64 = 1) {
    var generator = SplitMix(seed: seed)
    let writers = (0..<Workload.writerCount).map { _ in Identifier.random(using: &generator) }
    let names: [Property] = [.kind, .position, .size, .rotation, .fill, .stroke, .alpha, .z]
    let updated: [Property] = [
      .position, .position, .position, .position, .position, .position, .size, .rotation, .fill, .alpha,
    ]
    // The area grows with the number of shapes, so their density is constant.
    let side = 200.0 * Double(shapes).squareRoot()
    for index in 0..<shapes {
      var set = Properties()
      for name in names { Workload.assign(name, in: &set, side: side, using: &generator) }
      base.append(
        Operation(
          shape: Identifier.random(using: &generator),
          at: Workload.stamp(index, writers[0]),
          set: set
        )
      )
    }
    for index in 0..<updateCount {
      var set = Properties()
      Workload.assign(updated.randomElement(using: &generator)!, in: &set, side: side, using: &generator)
      updates.append(
        Operation(
          shape: base[Int.random(in: 0..<shapes, using: &generator)].shape,
          at: Workload.stamp(shapes + index, writers.randomElement(using: &generator)!),
          set: set
        )
      )
    }
  }

  /// The times of successive stamps differ by a millisecond.
  private static func stamp(_ index: Int, _ writer: Identifier) -> Stamp {
    Stamp(milliseconds: startMilliseconds + UInt64(index), counter: 0, actor: writer)!
  }

  private static func assign(
    _ property: Property,
    in set: inout Properties,
    side: Double,
    using generator: inout SplitMix
  ) {
    func tenths(_ bound: Double) -> Double { (Double.random(in: 0..<bound, using: &generator) * 10).rounded() / 10 }
    func whole(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &generator)) }
    switch property {
    case .kind: set.kind = ShapeKind.allCases.randomElement(using: &generator)!
    case .position: set.position = Point(x: tenths(side), y: tenths(side))
    case .size: set.size = Size(width: whole(20...400), height: whole(20...400))
    case .rotation: set.rotation = whole(0...359)
    case .fill: set.fill = Color(packed: UInt32.random(in: 0..<(1 << 24), using: &generator))
    case .stroke: set.stroke = Color(packed: UInt32.random(in: 0..<(1 << 24), using: &generator))
    case .alpha: set.alpha = Int16.random(in: 1...10, using: &generator)
    case .z:
      let digits = Array("123456789ABCDEFGHIJKLMN".utf8)
      let key = [UInt8(ascii: "V")] + (0..<3).map { _ in digits.randomElement(using: &generator)! }
      set.z = key.withUnsafeBytes { OrderKey($0)! }
    default: preconditionFailure("no property of the workload")
    }
  }

  /// The base canvas.
  var canvas: Canvas {
    var canvas = Canvas(seed: 1)
    for operation in base { canvas.apply(operation) }
    return canvas
  }

  /// An operation as one line of JSON. The other libraries' benchmarks read these lines.
  func line(_ operation: Operation) -> String {
    var writer = JSONWriter()
    JSONEncoding.writeOperations([operation], to: &writer)
    // The encoder makes a list, so the brackets are removed.
    return String(decoding: writer.finish().dropFirst().dropLast(), as: UTF8.self)
  }
}
