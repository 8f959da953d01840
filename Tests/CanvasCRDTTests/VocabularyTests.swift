import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Operations for clients that don't know all properties and kinds")
struct VocabularyTests {
  private let smaller = Vocabulary.withoutText

  private func expectKnown(_ set: Properties) {
    #expect(!set.assigned.contains(.text))
    #expect(!set.assigned.contains(.kind) || set.kind.rawValue <= ShapeKind.star.rawValue)
  }

  @Test(
    "S10: operations are told without unknown properties, and unknown kinds as rectangles",
    arguments: 0..<20 as Range<UInt64>
  )
  func operations(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    let operations = history.operations(200)
    #expect(operations.told(to: .newest) == operations)
    let told = operations.told(to: smaller)
    #expect(told != operations)
    for operation in told {
      #expect(!operation.set.assigned.isEmpty)
      expectKnown(operation.set)
    }
    // `told` has only the operations that a client with this vocabulary is sent. A canvas that applies them must have
    // the digest that the server computes for that client.
    var whole = Canvas()
    whole.countDigest()
    for operation in operations { whole.apply(operation) }
    var older = Canvas()
    for operation in told { older.apply(operation) }
    #expect(older.digest == whole.digest(for: smaller))
    #expect(whole.digest(for: .newest) == whole.digest)
    #expect(older.liveCount == whole.liveCount)
  }

  @Test("S10: a state is told in the same way", arguments: 0..<20 as Range<UInt64>)
  func states(seed: UInt64) throws {
    var history = RandomHistory(seed: seed, shapes: 40)
    var canvas = Canvas()
    for operation in history.operations(400) { canvas.apply(operation) }
    var older = Canvas()
    for part in canvas.stateParts(shapesMax: 7) {
      let told = part.told(to: smaller)
      for operation in told.operations { expectKnown(operation.set) }
      #expect(part.told(to: .newest) == part)
      // A state is sent in parts. What is left of a part for an older client can be encoded and decoded, too.
      let message = ServerMessage.operations(Delivery(cursor: Cursor("C"), content: .state(told)))
      #expect(try BinaryEncoding.decodeServerMessage(BinaryEncoding.encode(message)) == message)
      older.merge(told)
    }
    #expect(older.digest == canvas.digest(for: smaller))
    #expect(older.erasureCount >= canvas.erasureCount)
  }

  @Test("S10: a kind is told as it is up to the last one that is known")
  func kinds() {
    let told = ShapeKind.allCases.map { smaller.told($0) }
    #expect(told.prefix(5) == [.rectangle, .roundedRectangle, .ellipse, .polygon, .star])
    #expect(told.dropFirst(5).allSatisfy { $0 == .rectangle })
  }

  @Test("a value without anything new is sent to every client as it is")
  func known() {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: WireSamples.shape, at: WireSamples.stamp(5), set: WireSamples.placed))
    #expect(canvas.stateParts()[0].told(to: smaller).wholePages == nil, "the pages are shared, not copied")
  }

  @Test("C12: a hello says a vocabulary from 1 to 255; a number that isn't known counts as the greatest")
  func hello() throws {
    #expect([Vocabulary.newest].index(ofNumber: Hello().vocabularyNumber) == 0)
    #expect([1, 2, 3, 255].map { [smaller, .newest].index(ofNumber: $0) } == [0, 1, 1, 1])
    var hello = Hello()
    hello.vocabularyNumber = 255
    let message = ClientMessage.hello(hello)
    #expect(BinaryEncoding.encode(message) == [1, 0, 255])
    #expect(try BinaryEncoding.decodeClientMessage([1, 0, 255]) == message)
    #expect(try JSONEncoding.decodeClientMessage(JSONEncoding.encode(message)) == message)
    for wrong in ["0", "256", "-1", "1.5", "true", "\"2\""] {
      #expect(throws: MessageError.self) {
        try JSONEncoding.decodeClientMessage(Array("{\"type\":\"hello\",\"vocabulary\":\(wrong)}".utf8))
      }
    }
    for wrong: [UInt8] in [[1, 0, 0], [1, 0, 1], [1, 0, 2, 2]] {
      #expect(throws: MessageError.self) { try BinaryEncoding.decodeClientMessage(wrong) }
    }
  }

  @Test("the earlier binary form of hello, of kind 11, is still read")
  func earlierHello() throws {
    let message = ClientMessage.hello(WireSamples.knowingHello)
    let named: [UInt8] = [0x81, 3, 3] + Array("Ann".utf8)
    #expect(try BinaryEncoding.decodeClientMessage([0x11] + named + [2]) == message)
    // Its flags are those of a hello and 256, and a vocabulary follows.
    let forms: [[UInt8]] = [[0], [0x80, 1], [0x80, 2, 1], [0x80, 2, 0], [0x80, 2], [0x80, 4, 2], [0x80, 6, 2]]
    for wrong in forms.map({ [0x11] + $0 }) {
      #expect(throws: MessageError.self) { try BinaryEncoding.decodeClientMessage(wrong) }
    }
  }
}
