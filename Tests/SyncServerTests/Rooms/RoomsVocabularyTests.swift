import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Clients of different ages in one room")
struct RoomsVocabularyTests {
  private func written(_ text: Text, _ kind: ShapeKind = .text) -> Properties {
    Properties { ($0.kind, $0.text) = (kind, text) }
  }

  /// Checks that a client without the property `text` and the kinds after `star` could read all that it received.
  private func expectKnown(_ client: TestClient) {
    for operation in client.messages.compactMap(\.delivery).flatMap(\.operations) {
      #expect(!operation.set.assigned.isEmpty)
      #expect(!operation.set.assigned.contains(.text), "a property that it doesn't know")
      let kind = operation.set.kind.rawValue
      #expect(!operation.set.assigned.contains(.kind) || kind < 5, "a kind that it doesn't know")
    }
  }

  @Test(
    "C12: a client of an older vocabulary is sent only what it knows, and its digest agrees",
    arguments: WireEncoding.allCases
  )
  func beats(_ encoding: WireEncoding) {
    var bench = RoomBench(vocabularies: [.withoutText, .newest])
    let old = bench.join(encoding)
    let new = bench.join(encoding) { $0.vocabularyNumber = 2 }
    let writer = bench.join { $0.vocabularyNumber = 2 }
    let moved = Properties { $0.position = Point(x: 5, y: 6) }
    for set in [written("one"), moved, written("two", .ellipse)] {
      bench.submit(writer, [ProposedOperation(1, set)])
      bench.settle()
    }
    // A client that doesn't know the operation's property gets only the new cursor.
    bench.submit(writer, [ProposedOperation(1, Properties { $0.text = "three" })])
    bench.submit(writer, [ProposedOperation(2, written("four"))])
    bench.settle()
    #expect(bench.clients[old].cursor == bench.clients[new].cursor)
    #expect(bench.clients[new].canvas == bench.room.canvas)
    #expect(bench.clients[old].canvas[bench.shape(1)]?.properties.position == moved.position)
    #expect(bench.clients[old].canvas[bench.shape(1)]?.properties.kind == .ellipse)
    #expect(bench.clients[old].canvas[bench.shape(2)]?.properties.kind == .rectangle)
    expectKnown(bench.clients[old])
    // A client that joins later gets the room's state, with the same content.
    let late = bench.join(encoding)
    let lateNew = bench.join(encoding) { $0.vocabularyNumber = 7 }
    expectKnown(bench.clients[late])
    #expect(bench.clients[lateNew].canvas == bench.room.canvas)
    for client in [old, new, late, lateNew] {
      bench.say(.digest, client)
      bench.settle()
      #expect(bench.clients[client].digests == 1)
      #expect(bench.clients[client].digestsThatDiffer == 0)
    }
  }

  @Test("C12: an unknown kind is told as a rectangle, and stays what it is when an older client moves it")
  func kinds() {
    var bench = RoomBench(vocabularies: [.withoutText, .newest])
    let old = bench.join()
    let new = bench.join { $0.vocabularyNumber = 2 }
    bench.submit(new, [ProposedOperation(1, written("hi"))])
    bench.settle()
    #expect(bench.clients[old].canvas[bench.shape(1)]?.properties.kind == .rectangle)
    let moved = Properties { $0.position = Point(x: 5, y: 6) }
    bench.submit(old, [ProposedOperation(1, moved)])
    bench.settle()
    let shape = bench.clients[new].canvas[bench.shape(1)]?.properties
    #expect(shape?.kind == .text && shape?.text == "hi" && shape?.position == moved.position)
  }

  @Test("C12: a hello without a vocabulary is told everything, and so is one with a number that isn't known")
  func newest() {
    var bench = RoomBench()
    #expect(Channel.count >= 8 * Vocabulary.all.count)
    let clients = [1, 2, 3, 255].map { number in bench.join { $0.vocabularyNumber = number } }
    bench.submit(clients[0], [ProposedOperation(1, written("hi"))])
    bench.settle()
    for client in clients { #expect(bench.clients[client].canvas == bench.room.canvas) }
  }
}
