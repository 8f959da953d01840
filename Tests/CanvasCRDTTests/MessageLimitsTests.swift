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
}
