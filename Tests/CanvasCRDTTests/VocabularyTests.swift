import Testing

@testable import CanvasCRDT

@Suite("Operations for clients that don't know all properties and kinds")
struct VocabularyTests {
  /// Checks that an older client can read all values in `set`. The client knows only the first `properties` properties
  /// and the first `kinds` kinds.
  private func expectKnown(_ set: Properties, to vocabulary: Vocabulary) {
    let (properties, kinds): (UInt32, UInt8) = vocabulary == .first ? (15, 5) : (19, 6)
    #expect(set.assigned.rawValue < 1 << properties)
    #expect(!set.assigned.contains(.kind) || set.kind.rawValue < kinds)
  }

  static let older: [Vocabulary] = [.first, .second]

  @Test(
    "S10: operations are told without unknown properties, and unknown kinds as rectangles",
    arguments: 0..<20 as Range<UInt64>,
    older
  )
  func operations(seed: UInt64, vocabulary: Vocabulary) {
    var history = RandomHistory(seed: seed)
    let operations = history.operations(200)
    #expect(operations.told(to: .newest) == operations)
    let told = operations.told(to: vocabulary)
    for operation in told {
      #expect(!operation.set.assigned.isEmpty)
      expectKnown(operation.set, to: vocabulary)
    }
    // `told` has only the operations that a client with this vocabulary is sent. A canvas that applies them must have
    // the digest that the server computes for that client.
    var whole = Canvas()
    whole.countDigest()
    for operation in operations { whole.apply(operation) }
    var older = Canvas()
    for operation in told { older.apply(operation) }
    #expect(older.digest == whole.digest(for: vocabulary))
    #expect(whole.digest(for: .newest) == whole.digest)
    #expect(older.liveCount == whole.liveCount)
    var walked = Canvas()
    walked.merge(whole)
    #expect(walked.digest(for: vocabulary) == whole.digest(for: vocabulary), "counted and walked are the same")
  }

  @Test("S10: a state is told in the same way", arguments: 0..<20 as Range<UInt64>, older)
  func states(seed: UInt64, vocabulary: Vocabulary) throws {
    var history = RandomHistory(seed: seed, shapes: 40)
    var canvas = Canvas()
    for operation in history.operations(400) { canvas.apply(operation) }
    var older = Canvas()
    for part in canvas.stateParts(shapesMax: 7) {
      let told = part.told(to: vocabulary)
      for operation in told.operations { expectKnown(operation.set, to: vocabulary) }
      #expect(part.told(to: .newest) == part)
      // A state is sent in parts. What is left of a part for an older client can be encoded and decoded, too.
      let message = ServerMessage.operations(Delivery(cursor: Cursor("C"), content: .state(told)))
      #expect(try BinaryEncoding.decodeServerMessage(BinaryEncoding.encode(message)) == message)
      older.merge(told)
    }
    #expect(older.digest == canvas.digest(for: vocabulary))
    #expect(older.erasureCount >= canvas.erasureCount)
  }

  @Test("a value without anything new is sent to every client as it is")
  func known() {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: WireSamples.shape, at: WireSamples.stamp(5), set: WireSamples.placed))
    #expect(canvas.stateParts()[0].told(to: .first).wholePages == nil, "the pages are shared, not copied")
  }

  @Test("C12: a hello says a vocabulary from 1 to 255; one that says a later one than there is knows everything")
  func hello() throws {
    var hello = Hello()
    #expect(hello.vocabulary == .first)
    hello.vocabularyNumber = 255
    #expect(hello.vocabulary == .newest)
    let message = ClientMessage.hello(hello)
    #expect(BinaryEncoding.encode(message) == [0x11, 0x80, 2, 255])
    #expect(try BinaryEncoding.decodeClientMessage([0x11, 0x80, 2, 255]) == message)
    #expect(try JSONEncoding.decodeClientMessage(JSONEncoding.encode(message)) == message)
    for wrong in ["0", "256", "-1", "1.5", "true", "\"2\""] {
      #expect(throws: MessageError.self) {
        try JSONEncoding.decodeClientMessage(Array("{\"type\":\"hello\",\"vocabulary\":\(wrong)}".utf8))
      }
    }
    // Invalid long forms of `hello`: either its flags would fit into the short form, or the byte for the vocabulary is
    // missing or wrong.
    let forms: [[UInt8]] = [[0], [0x80, 1], [0x80, 2, 1], [0x80, 2, 0], [0x80, 2], [0x80, 4, 2]]
    for wrong in forms.map({ [0x11] + $0 }) {
      #expect(throws: MessageError.self) { try BinaryEncoding.decodeClientMessage(wrong) }
    }
  }
}
