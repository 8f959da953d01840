/// Reads a list of operations one by one, without an allocation for each.
struct BinaryOperationReader {
  private(set) var reader: ByteReader
  /// Most lists have a single actor, and then no array of actors is needed.
  private var firstActor = Identifier(unchecked: 0)
  private var otherActors: [Identifier] = []
  private let actorCount: Int
  let count: Int
  private var read = 0
  private var actorsNamed = 0
  private var shapeBefore: Identifier?
  private var stampBefore: Stamp?

  init(_ bytes: ByteReader) throws(BinaryFailure) {
    reader = bytes
    actorCount = try reader.count(bytesEach: 6)
    if actorCount > 0 { firstActor = try reader.identifier() }
    if actorCount > 1 {
      otherActors.reserveCapacity(actorCount - 1)
      for _ in 1..<actorCount { otherActors.append(try reader.identifier()) }
    }
    count = try reader.count(bytesEach: BinaryOperations.operationBytesMin)
    // This is checked before the actors are sorted, which takes longest where there are more of them than may be.
    guard actorCount <= count else { throw .malformed("an actor listed that no operation names") }
    if actorCount > 1 {
      var ordered = otherActors
      ordered.append(firstActor)
      ordered.sort()
      for index in 1..<actorCount where ordered[index - 1] == ordered[index] {
        throw .malformed("an actor listed twice")
      }
    }
  }

  /// The next operation. `nil` after the last one. The caller must go on until the result is `nil`, so that the whole
  /// list is checked.
  mutating func next() throws(BinaryFailure) -> ProposedOperation? {
    guard try isNext() else { return nil }
    let head = try reader.byte()
    let shape = try readShape(head)
    var operation = ProposedOperation(shape: shape, at: try readStamp(head), set: Properties())
    try readValues(into: &operation.set)
    read += 1
    return operation
  }

  /// The next operation of a list in which every operation must have a stamp.
  mutating func nextStamped() throws(BinaryFailure) -> Operation? {
    guard try isNext() else { return nil }
    let head = try reader.byte()
    let shape = try readShape(head)
    guard let stamp = try readStamp(head) else { throw .field("an operation from the server without a stamp") }
    var operation = Operation(shape: shape, at: stamp, set: Properties())
    try readValues(into: &operation.set)
    read += 1
    return operation
  }

  private func isNext() throws(BinaryFailure) -> Bool {
    if read < count { return true }
    guard actorsNamed == actorCount else { throw .malformed("an actor listed that no operation names") }
    return false
  }

  private mutating func readShape(_ head: UInt8) throws(BinaryFailure) -> Identifier {
    guard head & BinaryOperations.shapeFollows != 0 else {
      guard let shapeBefore else { throw .malformed("the first operation names no shape") }
      return shapeBefore
    }
    guard let shape = Identifier(packed: try reader.packed48()) else {
      throw .reference(operation: read, .badShape, "a shape past zzz-zzz-zzz")
    }
    guard shape != shapeBefore else { throw .malformed("a shape named again") }
    shapeBefore = shape
    return shape
  }

  private mutating func readStamp(_ head: UInt8) throws(BinaryFailure) -> Stamp? {
    if head & BinaryOperations.unstamped != 0 {
      guard head & ~(BinaryOperations.shapeFollows | BinaryOperations.unstamped) == 0 else {
        throw .malformed("a head with bits that mean nothing")
      }
      return nil
    }
    if head & BinaryOperations.sameStamp != 0 {
      guard head & ~(BinaryOperations.shapeFollows | BinaryOperations.sameStamp) == 0, let stampBefore else {
        throw .malformed("a head with bits that mean nothing")
      }
      return stampBefore
    }
    var place = Int(head >> BinaryOperations.actorShift)
    if place == Int(BinaryOperations.actorFollows) {
      let more = try reader.varint()
      guard more < UInt64(actorCount) else { throw .malformed("an actor that is not in the list") }
      place += Int(more)
    }
    guard place < actorCount, place <= actorsNamed else { throw .malformed("an actor out of turn") }
    if place == actorsNamed { actorsNamed += 1 }
    let step = BinaryNumber.unzigzag(try reader.varint())
    let (milliseconds, overflow) = Int64(stampBefore?.milliseconds ?? 0).addingReportingOverflow(step)
    guard !overflow, milliseconds >= 0, milliseconds <= Int64(Stamp.millisecondsMax) else {
      throw .reference(operation: read, .badStamp, "a stamp's milliseconds must be 0 to 281474976710655")
    }
    var counter: UInt64 = 0
    if head & BinaryOperations.counterFollows != 0 {
      counter = try reader.varint()
      guard counter > 0, counter <= Stamp.counterMax else {
        throw .reference(operation: read, .badStamp, "a stamp's counter must be 0 to 65535")
      }
    }
    let stamp = Stamp(
      time: UInt64(milliseconds) << 16 | counter,
      actor: place == 0 ? firstActor : otherActors[place - 1]
    )
    guard stamp != stampBefore else { throw .malformed("a stamp said again") }
    stampBefore = stamp
    return stamp
  }

  private mutating func readValues(into set: inout Properties) throws(BinaryFailure) {
    let mask = try reader.varint()
    guard mask <= UInt64(PropertyMask.all.rawValue) else {
      throw .reference(operation: read, .badProperty, "a property that there is not")
    }
    guard mask != 0 else {
      throw .reference(operation: read, .badMessage, "an operation has to set something")
    }
    for property in PropertyMask(rawValue: UInt32(mask)) {
      switch property.form {
      case .erasure: set.delete()
      case .kind:
        guard let kind = ShapeKind(rawValue: try reader.byte()) else { throw problem(property) }
        set.kind = kind
      case .name: set.name = try reader.countedText()
      case .orderKey:
        guard let key = OrderKey(try reader.countedBytes()) else { throw problem(property) }
        set.z = key
      case .text: set.text = try reader.countedText()
      case .choice(let field):
        let number = try reader.byte()
        guard number < field.words.count else { throw problem(property) }
        set[field] = number
      case .identifier(let field): set[field] = try reader.identifierOrNone()
      case .path:
        guard let path = Path(try reader.countedBytes()) else { throw problem(property) }
        set.path = path
      case .tie(let field):
        guard let shape = try reader.identifierOrNone() else {
          set[field] = nil
          continue
        }
        guard let place = try reader.boxPlace() else { throw problem(property) }
        set[field] = Tie(shape: shape, place: place)
      case .flag(let field):
        let byte = try reader.byte()
        guard byte < 2 else { throw problem(property) }
        set[field] = byte == 1
      case .color(let field): set[field] = try reader.color()
      case .integer(let field, _, _): set[field] = Int16(try reader.byte())
      case .number(let field, _, _): set[field] = try number()
      case .pair(let field, _): set[field] = (try number(), try number())
      }
    }
    do { try set.check() } catch { throw .value(operation: read, error) }
  }

  private func problem(_ property: Property) -> BinaryFailure {
    .value(operation: read, PropertyProblem(property))
  }

  private mutating func number() throws(BinaryFailure) -> Double {
    try BinaryNumber.read(from: &reader)
  }
}
