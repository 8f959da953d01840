import Testing

@testable import CanvasCRDT

@Suite("How much goes into one message")
struct MessageLimitsTests {
  @Test("a message is never longer than was estimated", arguments: WireEncoding.allCases)
  func messageBytes(encoding: WireEncoding) {
    var random = SeededGenerator(seed: 6)
    let limits = MessageLimits(RoomLimits(), encoding: encoding)
    for count in [1, 2, 50] {
      var operations: [ProposedOperation] = []
      var bound = limits.envelopeBytes
      for _ in 0..<count {
        var set = Properties()
        set.kind = .roundedRectangle
        set.name = Text(String(repeating: Bool.random(using: &random) ? "\"" : "\u{FEFF}", count: 40))
        set.position = Point(x: -.random(in: 1e6...1e7, using: &random), y: -.random(in: 0...1e-300, using: &random))
        set.size = Size(width: .random(in: 1...1e6, using: &random), height: .random(in: 1...2, using: &random))
        set.rotation = -.random(in: 0...1e-200, using: &random)
        set.innerRatio = .random(in: 0.05...1, using: &random)
        let actor = Identifier.random(using: &random)
        let stamp = Stamp(time: .random(in: 0...UInt64.max, using: &random), actor: actor)
        let operation = Operation(shape: .random(using: &random), at: stamp, set: set)
        bound += limits.bytesMax(of: operation)
        operations.append(ProposedOperation(operation))
      }
      let submission = Submission(id: MessageIdentifier(999_999_999), operations: operations)
      #expect(encoding.encode(.operations(submission)).count <= bound)
    }
  }

  @Test("the longest value of every property is counted", arguments: WireEncoding.allCases)
  func longestValues(encoding: WireEncoding) {
    let limits = MessageLimits(RoomLimits(), encoding: encoding)
    let stamp = Stamp(time: .max, actor: Identifier("zzz-zzz-zzz")!)
    for property in Property.allCases {
      for set in Properties.longest(of: property) {
        let operation = Operation(shape: Identifier("zzz-zzz-zzz")!, at: stamp, set: set)
        let length = limits.bytes([operation])
        #expect(length <= limits.envelopeBytes + limits.bytesMax(of: operation), "\(property.wireName)")
        #expect(limits.allows(operation))
      }
    }
  }

  @Test("an operation is allowed exactly if a message with it alone is no longer than a message may be")
  func allowed() {
    let set = Properties { ($0.kind, $0.text) = (.text, Text(String(repeating: "\n", count: 100))) }
    let operation = Operation(
      shape: Identifier(packed: 1)!,
      at: Stamp(time: 1 << 40, actor: Identifier(packed: 2)!),
      set: set
    )
    for encoding in WireEncoding.allCases {
      var limits = RoomLimits()
      limits.messageBytes = UInt64(MessageLimits(limits, encoding: encoding).bytes([operation]))
      #expect(MessageLimits(limits, encoding: encoding).allows(operation))
      limits.messageBytes -= 1
      #expect(!MessageLimits(limits, encoding: encoding).allows(operation))
    }
  }
}

extension Properties {
  /// The values of a property that are longest in JSON or in binary.
  static func longest(of property: Property) -> [Properties] {
    func values(_ assign: (inout Properties) -> Void...) -> [Properties] {
      assign.map { assign in
        return Properties(assign)
      }
    }
    switch property.form {
    case .erasure: return values { $0.delete() }
    case .kind: return ShapeKind.allCases.flatMap { kind in values { $0.kind = kind } }
    case .name:
      let escaped = Text(String(repeating: "\"", count: PropertyRules.nameBytesMax))
      // Names that are older than the rule for names may contain control characters.
      let controls = Text(String(repeating: "\u{1}", count: PropertyRules.nameBytesMax))
      return values({ $0.name = escaped }, { $0.name = controls })
    case .orderKey: return values { $0.z = OrderKey(Text(String(repeating: "z", count: OrderKey.lengthMax)))! }
    case .text:
      let lines = Text(String(repeating: "\n", count: PropertyRules.textBytesMax))
      let letters = Text(String(repeating: "\u{10FFFF}", count: PropertyRules.textBytesMax / 4))
      return values({ $0.text = lines }, { $0.text = letters })
    case .choice(let field): return field.words.indices.flatMap { word in values { $0[field] = UInt8(word) } }
    case .identifier(let field): return values { $0[field] = Identifier("zzz-zzz-zzz") }
    case .tie(let field):
      let tie = Tie(shape: Identifier("zzz-zzz-zzz")!, place: BoxPlace(x: .max, y: .max))
      return values { $0[field] = tie }
    case .path: return longestPaths.flatMap { path in values { $0.path = path } }
    case .flag(let field): return values({ $0[field] = true }, { $0[field] = false })
    case .color(let field): return values { $0[field] = Color(packed: 0xABCDEF) }
    case .integer(let field, let range, _): return values { $0[field] = range.upperBound }
    case .number(let field, let range, _):
      return numbers(in: range).flatMap { number in values { $0[field] = number } }
    case .pair(let field, let range):
      return numbers(in: range).flatMap { number in values { $0[field] = (number, number) } }
    }
  }

  /// Two paths of the greatest length. The first path has points far apart, and its binary form is the longest. In the
  /// second path, all points are at one place, so its binary form is short, but its JSON is as long.
  private static var longestPaths: [Path] {
    let corner = BoxPlace(x: .max, y: .max)
    let places = (0..<Path.counts.upperBound).map { $0 % 2 == 0 ? corner : BoxPlace(x: 0, y: 0) }
    return [
      Path(places.map { Path.Point($0, width: 199) })!,
      Path(places.map { _ in Path.Point(corner, width: 199) })!,
      Path(places.map { _ in Path.Point(corner) })!,
    ]
  }

  private static func numbers(in range: ClosedRange<Double>) -> [Double] {
    let tiny = -1.2345678901234567e-300
    let candidates = [range.lowerBound.nextUp, range.upperBound.nextDown, tiny, -tiny, 0.1 + 0.2]
    return candidates.filter { range.contains($0) }
  }
}
