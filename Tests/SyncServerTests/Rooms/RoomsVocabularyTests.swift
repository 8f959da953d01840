import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Clients of different ages in one room")
struct RoomsVocabularyTests {
  private func written(_ text: Text, _ kind: ShapeKind = .text) -> Properties {
    var set = Properties()
    set.kind = kind
    set.text = text
    return set
  }

  /// Checks that a client without the property `text` and the kinds after `star` could read all that it received.
  private func expectKnown(_ client: TestClient) {
    for message in client.messages {
      guard case .operations(let delivery) = message else { continue }
      let operations =
        switch delivery.content {
        case .operations(let operations): operations
        case .state(let part): part.operations
        }
      for operation in operations {
        #expect(!operation.set.assigned.isEmpty)
        #expect(!operation.set.assigned.contains(.text), "a property that it doesn't know")
        let kind = operation.set.kind.rawValue
        #expect(!operation.set.assigned.contains(.kind) || kind < 5, "a kind that it doesn't know")
      }
    }
  }

  private func submission(_ shape: Identifier, _ set: Properties, at stamp: Stamp? = nil) -> ClientMessage {
    .operations(Submission(id: nil, operations: [ProposedOperation(shape: shape, at: stamp, set: set)]))
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
    var moved = Properties()
    moved.position = Point(x: 5, y: 6)
    for set in [written("one"), moved, written("two", .ellipse)] {
      bench.say(submission(bench.shape(1), set), writer)
      bench.settle()
    }
    // A client that doesn't know the operation's property gets only the new cursor.
    var text = Properties()
    text.text = "three"
    bench.say(submission(bench.shape(1), text), writer)
    bench.say(submission(bench.shape(2), written("four")), writer)
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
    bench.say(submission(bench.shape(1), written("hi")), new)
    bench.settle()
    #expect(bench.clients[old].canvas[bench.shape(1)]?.properties.kind == .rectangle)
    var moved = Properties()
    moved.position = Point(x: 5, y: 6)
    bench.say(submission(bench.shape(1), moved), old)
    bench.settle()
    let shape = bench.clients[new].canvas[bench.shape(1)]?.properties
    #expect(shape?.kind == .text && shape?.text == "hi" && shape?.position == moved.position)
  }

  @Test("C12: a hello without a vocabulary is told everything, and so is one with a number that isn't known")
  func newest() {
    var bench = RoomBench()
    #expect(Channel.count >= 8 * Vocabulary.all.count)
    let clients = [1, 2, 3, 255].map { number in bench.join { $0.vocabularyNumber = number } }
    bench.say(submission(bench.shape(1), written("hi")), clients[0])
    bench.settle()
    for client in clients { #expect(bench.clients[client].canvas == bench.room.canvas) }
  }

  @Test("W6: a room has so much text at most; shorter texts, deletions and what was taken before are still taken")
  func fullness() {
    var bench = RoomBench { $0.textBytes = 4_096 }
    let ann = bench.join()
    let long = Text(String(repeating: "x", count: 3_000))
    func say(_ shape: UInt64, _ text: Text, at: Stamp? = nil) -> RejectCode? {
      let before = bench.clients[ann].messages.count
      bench.say(submission(bench.shape(shape), written(text), at: at), ann)
      bench.settle()
      for message in bench.clients[ann].messages[before...] {
        if case .rejection(let rejection) = message { return rejection.code }
      }
      return nil
    }
    let stamp = Stamp(milliseconds: RoomBench.epoch, counter: 3, actor: bench.actor(ann))!
    #expect(say(1, long, at: stamp) == nil)
    #expect(say(2, long) == .roomFull)
    #expect(say(1, long, at: stamp) == nil, "taken before")
    #expect(say(2, "short") == nil)
    #expect(say(1, Text(String(repeating: "x", count: 4_092))) == .roomFull)
    #expect(say(1, Text(String(repeating: "x", count: 4_091))) == nil)
    #expect(say(1, "shorter") == nil)
    #expect(say(3, long) == nil)
    var erased = Properties()
    erased.delete()
    bench.say(submission(bench.shape(3), erased), ann)
    bench.settle()
    #expect(say(4, long) == nil, "a deleted text takes no space")
  }
}
