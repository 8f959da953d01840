import Testing

@testable import CanvasCRDT

@Suite("State in columns")
struct BinaryEncodingStateTests {
  private func encoded(_ part: StatePart) -> [UInt8] {
    BinaryEncoding.encode(.operations(Delivery(cursor: Cursor("c"), content: .state(part))))
  }

  private func decoded(_ bytes: [UInt8]) throws -> StatePart? {
    guard case .operations(let delivery) = try BinaryEncoding.decodeServerMessage(bytes),
      case .state(let part) = delivery.content
    else { return nil }
    return part
  }

  /// Encodes the canvas as a binary state and decodes it. Checks the decoded canvas, its digest, and that encoding the
  /// result gives the same bytes.
  private func expectRoundTrip(
    _ canvas: Canvas,
    shapesMax: Int = 1_024,
    sourceLocation: SourceLocation = #_sourceLocation
  )
    throws
  {
    var arrived = Canvas(seed: 7)
    if shapesMax == 1_024 { arrived.countDigest() }
    var bytes: [[UInt8]] = []
    for part in canvas.stateParts(shapesMax: shapesMax) {
      bytes.append(encoded(part))
      let read = try #require(try decoded(bytes.last!), sourceLocation: sourceLocation)
      #expect(read == part, sourceLocation: sourceLocation)
      arrived.merge(read)
    }
    #expect(arrived == canvas, sourceLocation: sourceLocation)
    #expect(arrived.digest == canvas.digest, sourceLocation: sourceLocation)
    #expect(arrived.stateParts(shapesMax: shapesMax).map(encoded) == bytes, sourceLocation: sourceLocation)
  }

  @Test("random canvases arrive as they were, in one part or in many", arguments: 0..<60 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var history = RandomHistory(
      seed: seed,
      shapes: [1, 3, 9, 60][Int(seed % 4)],
      actors: [1, 2, 5, 30][Int(seed / 4 % 4)]
    )
    if seed % 3 == 0 { history.milliseconds = 0...Stamp.millisecondsMax }
    var canvas = Canvas()
    for operation in history.operations(Int(seed) * 5) { canvas.apply(operation) }
    try expectRoundTrip(canvas)
    try expectRoundTrip(canvas, shapesMax: 2)
  }

  @Test(
    "taking over a state page by page gives what its operations give, whatever was there before",
    arguments: 0..<36 as Range<UInt64>
  )
  func pages(seed: UInt64) throws {
    let shapes = [40, 200, 2_100][Int(seed % 3)]
    var history = RandomHistory(seed: seed, shapes: shapes, actors: 3)
    let operations = history.operations(shapes * 4)
    var source = Canvas()
    for operation in operations { source.apply(operation) }

    // What the receiver's canvas contains beforehand: nothing, some of the same shapes, other shapes and erasures, or
    // other shapes that fill exactly one page of the canvas.
    var others = RandomHistory(seed: 1_000 + seed, shapes: 50, actors: 3)
    var before: [CanvasCRDT.Operation] =
      switch seed / 3 % 4 {
      case 0: []
      case 1: Array(operations.prefix(60))
      case 2: others.operations(300)
      default:
        (0..<UInt64(Canvas.pageLength)).map { index in
          return Operation(shape: Identifier(packed: index)!, at: operations[0].at, set: .star)
        }
      }
    if seed / 3 % 4 == 2 {
      before.append(Operation(shape: operations[5].shape, at: operations[5].at, set: .deletion))
    }
    let place: UInt64 = seed % 2 == 0 ? 9 : 0
    var target = Canvas(seed: 3)
    if seed % 5 == 0 { target.countDigest() }
    for operation in before { target.apply(operation, place: min(place, 4)) }
    var expected = target

    for part in source.stateParts() {
      let read = try #require(try decoded(encoded(part)))
      target.merge(read, place: place)
      read.forEachOperation { expected.apply($0, place: place) }
      #expect(read == part)
    }
    func expectSame() {
      #expect(target == expected)
      #expect(target.digest == expected.digest)
      #expect(target.liveCount == expected.liveCount)
      #expect(target.operations(since: 4) == expected.operations(since: 4))
      #expect(target.operations(since: place) == expected.operations(since: place))
    }
    expectSame()
    for operation in history.operations(shapes * 2) {
      target.apply(operation, place: place + 1)
      expected.apply(operation, place: place + 1)
    }
    expectSame()
  }

  @Test("stamps that with the bit before them just fit one write, or just don't, arrive", arguments: 55...58)
  func widestWrites(bits: Int) throws {
    // A stamp takes `bits` bits here: one for the actor, sixteen for the counter, and the others for the time.
    let times: [UInt64] = [0, 1, (1 << UInt64(bits - 17)) - 1]
    let actors = ["aaa-aaa-aaa", "zzz-zzz-zzz"].map { Identifier($0)! }
    var canvas = Canvas()
    for number in 0..<40 as Range<UInt64> {
      let shape = Identifier(packed: number)!
      for (index, property) in [Property.kind, .alpha, .visible, .fill].enumerated() {
        var set = Properties()
        set.take(property, from: Properties())
        let place = Int(number) + index
        let stamp = Stamp(
          milliseconds: times[place % 3],
          counter: place % 2 == 0 ? 65_535 : number,
          actor: actors[place / 2 % 2]
        )!
        canvas.apply(Operation(shape: shape, at: stamp, set: set))
      }
    }
    try expectRoundTrip(canvas)
  }

  @Test("an empty canvas arrives empty")
  func empty() throws {
    try expectRoundTrip(Canvas())
    #expect(encoded(Canvas().stateParts()[0]) == [0x43, 0, 1, 0x63, 1, 0, 0])
  }

  @Test("sets of properties of all sizes arrive, with and without an erasure")
  func everyMask() throws {
    var history = RandomHistory(seed: 3)
    var canvas = Canvas()
    // All sets of one or two properties, and about twenty thousand larger sets.
    let all = PropertyMask.all.rawValue
    let single = (0..<Property.count).map { UInt32(1) << $0 }
    let few = single.flatMap { one in single.map { one | $0 } }
    let many = stride(from: 0, through: all, by: Int(max(1, all / 20_000)))
    for word in Set(few + Array(many) + Array(1..<600)).sorted() where word != 0 {
      let mask = PropertyMask(rawValue: word)
      let shape = Identifier(packed: UInt64(word) &* 3_000_000_019 % Identifier.packedLimit)!
      var set = Properties()
      for property in mask.subtracting([.deleted]) { history.assignRandom(property, in: &set) }
      if mask.contains(.deleted) {
        canvas.apply(CanvasCRDT.Operation(shape: shape, at: WireSamples.stamp(1), set: .deletion))
      }
      if !set.assigned.isEmpty {
        canvas.apply(CanvasCRDT.Operation(shape: shape, at: WireSamples.stamp(2, UInt64(word & 0xFFFF)), set: set))
      }
    }
    #expect(canvas.shapeCount > 4_000)
    try expectRoundTrip(canvas)
    try expectRoundTrip(canvas, shapesMax: StateColumns.shapesMax)
  }

  @Test("three thousand shapes with every property arrive")
  func large() throws {
    var history = RandomHistory(seed: 11, shapes: 3_000, actors: 200)
    var canvas = Canvas()
    for shape in history.shapes {
      var operation = history.operation()
      operation.shape = shape
      for property in PropertyMask.registers { history.assignRandom(property, in: &operation.set) }
      canvas.apply(operation)
    }
    for operation in history.operations(5_000) { canvas.apply(operation) }
    #expect(canvas.liveCount > 2_000 && canvas.erasureCount > 10)
    try expectRoundTrip(canvas)
  }

  /// A canvas whose shapes differ only in these rotations.
  private func canvas(rotations: [Double]) -> Canvas {
    var canvas = Canvas()
    for (index, rotation) in rotations.enumerated() {
      let shape = Identifier(packed: UInt64(index) * 1_000)!
      let set = Properties { $0.rotation = rotation }
      canvas.apply(CanvasCRDT.Operation(shape: shape, at: WireSamples.stamp(5), set: set))
    }
    return canvas
  }

  @Test("numbers arrive exactly: whole, decimal, with all their digits, mixed, equal, and at the ends of the range")
  func numbers() throws {
    let awkward = [
      1e6, -1e6, 0.1 + 0.2, .leastNonzeroMagnitude, -1e-300, 999_999.9999, 1.0 / 3, 0.01, -0.0001, 1e-4.nextUp, 0,
    ]
    try expectRoundTrip(canvas(rotations: awkward))
    for number in awkward {
      try expectRoundTrip(canvas(rotations: [number]))
      try expectRoundTrip(canvas(rotations: [Double](repeating: number, count: 20)))
      // One number doesn't fit the encoding of the others, so it is stored as an exception.
      for place in [0, 7, 15] {
        var rotations = (0..<16).map { Double($0 * 90) }
        rotations[place] = number
        try expectRoundTrip(canvas(rotations: rotations))
        rotations = (0..<16).map { Double($0) / 100 }
        rotations[place] = number
        try expectRoundTrip(canvas(rotations: rotations))
      }
    }
    // For 64 numbers, the encoding allows eight exceptions. The test tries eight and nine.
    for apart in [8, 9] {
      let rotations = (0..<64).map { (index: Int) -> Double in
        index % 7 == 3 && index / 7 < apart ? 1 / (Double(index) + 3.5) : Double(index)
      }
      try expectRoundTrip(canvas(rotations: rotations))
    }
  }

  @Test("minus zero is sent as zero, so that equal canvases are equal bytes")
  func minusZero() throws {
    let minus = canvas(rotations: [-0.0, 1.0 / 3, 1.0 / 7])
    let plus = canvas(rotations: [0, 1.0 / 3, 1.0 / 7])
    #expect(minus == plus)
    #expect(encoded(minus.stateParts()[0]) == encoded(plus.stateParts()[0]))
    try expectRoundTrip(minus)
  }

  // MARK: - Bytes that no encoder writes

  @Test("B2: another way to write the same columns is refused")
  func otherWays() {
    // The bytes of a state with one shape, whose only property is the rotation 1. The version byte is left out.
    let erasures: [UInt8] = [0]
    let shapes: [UInt8] = [1, 5]
    let stamps: [UInt8] = [1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0]
    let masks: [UInt8] = [1, 4]
    let rotation: [UInt8] = [0, 2, 0, 0]
    func isTaken(
      erasures: [UInt8] = erasures,
      shapes: [UInt8] = shapes,
      stamps: [UInt8] = stamps,
      masks: [UInt8] = masks,
      rotation: [UInt8] = rotation
    ) -> Bool {
      (try? decoded([0x43, 0, 0, 1] + erasures + shapes + stamps + masks + rotation)) != nil
    }
    #expect(isTaken())
    let stamp = [UInt8](repeating: 0, count: 14)
    #expect(isTaken(erasures: [1, 6] + stamp))
    #expect(!isTaken(erasures: [1, 5] + stamp), "a shape both erased and present")
    #expect(!isTaken(stamps: [2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1], masks: masks + [0]), "an idle actor")
    #expect(!isTaken(stamps: [1, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0], masks: masks + [0]), "too many bits of time")
    #expect(!isTaken(stamps: [1, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0], masks: masks + [1]), "too small a least time")
    #expect(!isTaken(stamps: [1, 0, 0, 0, 0, 0, 7, 0, 0, 1, 0], masks: masks + [0]), "too many bits of counter")
    #expect(!isTaken(masks: [2, 4, 8, 0]), "an idle mask")
    #expect(!isTaken(masks: [3, 4, 8, 16, 0xFF]), "a mask that is not in the list")
    #expect(isTaken(shapes: [2, 5, 1]))
    #expect(!isTaken(shapes: [2, 5, 0]), "a shape twice")
    #expect(isTaken(erasures: [2, 6] + stamp + [1] + stamp))
    #expect(!isTaken(erasures: [2, 6] + stamp + [0] + stamp), "an erasure twice")
    #expect(!isTaken(stamps: [0, 0, 0, 0, 0]), "stamps of nobody")
    #expect(!isTaken(masks: [0]) && !isTaken(masks: [1, 0]) && !isTaken(masks: [1, 64]), "nothing but an erasure")
    #expect(!isTaken(masks: [1, 68, 0]), "a value as old as the shape's erasure")
    // The alpha of the shape, in place of its rotation.
    #expect([1, 10].allSatisfy { isTaken(masks: [1, 16], rotation: [$0]) })
    #expect(![0, 11, 17].contains { isTaken(masks: [1, 16], rotation: [$0]) }, "an alpha that no shape may have")
    #expect(!isTaken(shapes: [2, 5, 1], masks: [2, 4, 4, 2]), "a mask listed twice")
    #expect(!isTaken(rotation: [1, 0xC8, 1, 0, 0]), "hundredths of what is whole")
    #expect(!isTaken(rotation: [3, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]), "eight bytes of what is whole")
    #expect(!isTaken(rotation: [0, 2, 1, 0, 0]), "too many bits")
    #expect(!isTaken(rotation: [0, 0, 1, 1, 0]), "too small a least number")
    #expect(!isTaken(rotation: [0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F]), "too many numbers that do not fit")
    // The bytes that list the eight shapes of a state. The rotation of one shape is 1/3, and the rotations of the
    // others are whole numbers.
    let eight: [UInt8] = [8, 5, 1, 1, 1, 1, 1, 1, 1]
    let third: [UInt8] = [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5, 0x3F]
    #expect(isTaken(shapes: eight, rotation: [0, 2, 1, 0x02, 1, 0] + third))
    #expect(
      !isTaken(shapes: eight, rotation: [0, 2, 1, 0x03, 1, 0] + third),
      "a number of bits under one that stands apart"
    )
  }

  @Test("B6: a few bytes can't claim more records than the bound, whatever their masks")
  func expansion() throws {
    // The columns of shapes with one byte for each shape, because all shapes share one mask and one stamp. No other
    // input makes the reader allocate more per byte.
    func columns(_ shapes: Int) -> [UInt8] {
      var writer = ByteWriter()
      writer.append([0x43, 0, 0, 1, 0])
      writer.appendVarint(UInt64(shapes))
      for _ in 0..<shapes { writer.append(1) }
      writer.append([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
      writer.append([UInt8(1 << Property.alpha.rawValue)])
      for _ in 0..<(shapes / 2) { writer.append(0x55) }
      return writer.finish()
    }
    #expect(try decoded(columns(StateColumns.shapesMax))?.count == StateColumns.shapesMax)
    #expect(throws: MessageError.self) { try decoded(columns(StateColumns.shapesMax + 2)) }
  }
}
