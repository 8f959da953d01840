import CanvasCRDT
import TestSupport
import Testing

@testable import SyncServer

@Suite("Keys of actors") struct ActorKeysTests {
  private let keys = ActorKeys(secret: [UInt8](repeating: 1, count: ActorKeys.secretBytes))
  private let others = ActorKeys(secret: [UInt8](repeating: 2, count: ActorKeys.secretBytes))
  private let ann = Identifier("k3j-9x2-m1p")!

  @Test("C9: A key is of one actor, one room and one secret") func right() {
    let key = keys.key(of: ann, in: "demo")
    #expect(keys.isKey(key, of: ann, in: "demo"))
    #expect(ActorKeys(secret: [UInt8](repeating: 1, count: 32)).isKey(key, of: ann, in: "demo"), "after a restart too")
    #expect(!keys.isKey(key, of: Identifier("k3j-9x2-m1q")!, in: "demo"))
    #expect(!keys.isKey(key, of: ann, in: "other"))
    #expect(!others.isKey(key, of: ann, in: "demo"))
    for wrong: Text? in [
      nil, "", Text(String(key.string.dropLast())), Text(key.string + "A"), Text("A" + key.string.dropFirst()),
    ] {
      #expect(!keys.isKey(wrong, of: ann, in: "demo") || wrong == key)
    }
    #expect(key.utf8Count == 22)
  }

  @Test(
    "W2: Over HTTP a token is the same actor again and again, another one in another room, and one that nobody can become"
  )
  func clients() {
    let ann = keys.actor(of: "token Ann", in: "demo")
    #expect(ann == keys.actor(of: "token Ann", in: "demo"))
    #expect(keys.isMarked(ann, in: "demo"))
    var actors: Set<Identifier> = [
      ann, keys.actor(of: "token Ann", in: "other"), others.actor(of: "token Ann", in: "demo"),
    ]
    for number in 0..<1_000 { actors.insert(keys.actor(of: "address 10.0.0.\(number)\0demo", in: "demo")) }
    #expect(actors.count == 1_003)
  }

  @Test("C9: Keys and actors are made as they were in earlier versions, so they outlast an upgrade") func madeAlike() {
    #expect(keys.key(of: Identifier(packed: 5)!, in: "demo") == "VNWldWELZpp6zrQdaaHeXg")
    #expect(keys.actor(of: "token Ann", in: "demo") == Identifier("tqp-kun-wbq"))
  }

  @Test("An actor that the server made is known as such in its room, and others hardly ever are") func marked() {
    var random = SeededGenerator(seed: 3)
    var made: Set<Identifier> = []
    for _ in 0..<2_000 {
      let actor = keys.newActor(in: "demo", using: &random)
      #expect(keys.isMarked(actor, in: "demo"))
      made.insert(actor)
    }
    #expect(made.count == 2_000)
    let taken = { (look: (Identifier) -> Bool) in
      (0..<20_000).count { _ in look(Identifier.random(using: &random)) }
    }
    #expect(taken { keys.isMarked($0, in: "demo") } < 20)
    #expect(made.count { keys.isMarked($0, in: "other") } < 10)
    #expect(made.count { others.isMarked($0, in: "demo") } < 10)
  }
}
