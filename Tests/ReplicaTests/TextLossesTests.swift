import TestSupport
import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Lost texts")
struct TextLossesTests {
  /// Ann and Bob, who write in one shape, and what Bob is told.
  private struct Pair {
    var room = TestRoom()
    let ann = 0
    let bob = 1
    let shape: Identifier
    var losses: TextLosses
    private var seen = 0

    init() {
      room.join()
      room.join()
      shape = room.add(ann)
      losses = TextLosses(of: room.hosts[bob].replica)
      _ = follow()
    }

    /// Lets messages arrive.
    /// - Returns: what Bob is told.
    mutating func follow() -> [TextLosses.Loss] {
      room.settle(for: 200)
      let effects = Array(room.hosts[bob].effects.dropFirst(seen))
      seen += effects.count
      return hear(effects)
    }

    mutating func hear(_ effects: [ReplicaEffect]) -> [TextLosses.Loss] {
      losses.follow(effects, of: room.hosts[bob].replica, at: room.hosts[bob].moment(room.time))
    }

    mutating func write(_ text: Text, by person: Int) -> [TextLosses.Loss] {
      room.edit(person, shape) { $0.text = text }
      return follow()
    }

    /// Ann's presence says that she writes in a shape.
    mutating func begin(in shape: Identifier?) {
      let now = room.hosts[bob].replica.serverMilliseconds(at: room.hosts[bob].moment(room.time))
      losses.note(room.hosts[ann].replica.actor, writesIn: shape, at: now)
    }

    func loss(of text: Text) -> TextLosses.Loss {
      TextLosses.Loss(shape: shape, text: text, by: room.hosts[ann].replica.actor)
    }
  }

  @Test("whoever writes over a text soon after it was written is told of, once")
  func soon() {
    var pair = Pair()
    #expect(pair.write("mine", by: pair.bob) == [])
    pair.room.time += 14_000
    #expect(pair.write("theirs", by: pair.ann) == [pair.loss(of: "mine")])
    #expect(pair.write("theirs again", by: pair.ann) == [])
  }

  @Test("nothing is lost that was read, taken over, taken back or deleted with its shape")
  func kept() {
    var pair = Pair()
    _ = pair.write("mine", by: pair.bob)
    #expect(pair.write("not mine alone", by: pair.ann) == [])
    pair.room.time += 15_000
    #expect(pair.write("theirs", by: pair.ann) == [])
    _ = pair.write("mine", by: pair.bob)
    pair.room.undo(pair.bob)
    #expect(pair.follow() == [])
    #expect(pair.write("theirs again", by: pair.ann) == [])
    _ = pair.write("mine", by: pair.bob)
    pair.room.edit(pair.ann, pair.shape) { $0.delete() }
    #expect(pair.follow() == [])
  }

  @Test("a text that was written over while its own deletion was on its way is lost if the deletion is refused")
  func refusedDeletion() throws {
    var pair = Pair()
    _ = pair.write("mine", by: pair.bob)
    pair.room.run(pair.bob) { $0.delete([pair.shape], at: $1) }
    let sent = try pair.room.hosts[pair.bob].interceptSubmissions()
    pair.room.time += 1
    #expect(pair.write("theirs", by: pair.ann) == [])
    let rejection = Rejection(id: sent[0].id, operation: 0, code: .badValue, message: "not here")
    pair.room.hand(.rejection(rejection), to: pair.bob)
    #expect(pair.follow() == [pair.loss(of: "mine")])
  }

  @Test("whoever had begun before replaces a text unread, however long that takes")
  func begun() {
    var pair = Pair()
    pair.begin(in: pair.shape)
    _ = pair.write("mine", by: pair.bob)
    pair.room.time += 60_000
    #expect(pair.write("theirs", by: pair.ann) == [pair.loss(of: "mine")])
    // The presence can tell of the end before the text comes.
    _ = pair.write("mine again", by: pair.bob)
    pair.room.time += 60_000
    pair.begin(in: Identifier(packed: 1))
    #expect(pair.write("theirs", by: pair.ann) == [pair.loss(of: "mine again")])
    // Now Ann begins after Bob's text.
    _ = pair.write("mine", by: pair.bob)
    pair.begin(in: pair.shape)
    pair.room.time += 60_000
    #expect(pair.write("theirs", by: pair.ann) == [])
  }

  @Test("whoever was away may have written without a connection")
  func away() {
    var pair = Pair()
    for (pause, losses) in [(1_000, [pair.loss(of: "mine")]), (15_000, [])] {
      pair.room.run(pair.ann) { $0.stop(at: $1) }
      _ = pair.write("mine", by: pair.bob)
      pair.room.time += 60_000
      pair.room.run(pair.ann) { $0.start(at: $1) }
      #expect(pair.follow() == [])
      pair.room.time += UInt64(pause)
      #expect(pair.write("theirs", by: pair.ann) == losses)
    }
    #expect(pair.losses.people.count == 1)
    pair.room.run(pair.ann) { $0.stop(at: $1) }
    #expect(pair.follow() == [] && pair.losses.people.isEmpty)
  }

  @Test("whoever comes back while this user is away may have written without a connection", arguments: [true, false])
  func bothAway(wroteAway: Bool) {
    var pair = Pair()
    pair.room.run(pair.ann) { $0.stop(at: $1) }
    _ = pair.write("mine", by: pair.bob)
    pair.room.time += 60_000
    if wroteAway { _ = pair.write("theirs", by: pair.ann) }
    pair.room.run(pair.bob) { $0.stop(at: $1) }
    _ = pair.follow()
    pair.room.run(pair.ann) { $0.start(at: $1) }
    #expect(pair.follow() == [])
    pair.room.time += 60_000
    if !wroteAway { _ = pair.write("theirs", by: pair.ann) }
    pair.room.time += 60_000
    pair.room.run(pair.bob) { $0.start(at: $1) }
    #expect(pair.follow() == (wroteAway ? [pair.loss(of: "mine")] : []))
  }

  @Test("a text that had lost when it arrived is lost, also one of an earlier process, and once")
  func superseded() throws {
    for (isRestored, hasDrawingOfAnotherTab) in [(false, false), (true, false), (true, true)] {
      var pair = Pair()
      pair.room.run(pair.bob) { $0.stop(at: $1) }
      #expect(pair.write("mine", by: pair.bob) == [])
      pair.room.time += 60_000
      if hasDrawingOfAnotherTab { _ = pair.write("theirs", by: pair.ann) }
      if isRestored {
        let saved = pair.room.hosts[pair.bob].replica.save(withDrawing: !hasDrawingOfAnotherTab)
        let drawing = hasDrawingOfAnotherTab ? pair.room.hosts[pair.ann].replica.save(withDrawing: true) : nil
        let replica = try Replica(saved: saved, drawing: drawing, seed: 9)
        pair.room.hosts[pair.bob].replica = replica
        pair.room.hosts[pair.bob].checks = ReplicaChecks(replica)
        pair.losses = TextLosses(of: replica)
      }
      if !hasDrawingOfAnotherTab { _ = pair.write("theirs", by: pair.ann) }
      pair.room.run(pair.bob) { $0.start(at: $1) }
      #expect(pair.follow() == [pair.loss(of: "mine")])
      #expect(pair.write("theirs again", by: pair.ann) == [])
    }
  }

  @Test("whoever comes back as another actor loses no text to themselves")
  func becomesAnother() throws {
    var pair = Pair()
    pair.room.edit(pair.bob, pair.shape) { $0.text = "mine" }
    let saved = pair.room.hosts[pair.bob].replica.save(withDrawing: true)
    // The room takes the text, but the process ends before it can save the answer.
    #expect(pair.follow() == [])
    pair.room.run(pair.bob) { $0.stop(at: $1) }
    pair.room.hosts[pair.bob].replica = try Replica(saved: saved, seed: 9)
    pair.losses = TextLosses(of: pair.room.hosts[pair.bob].replica)
    pair.room.server.tokenActor = Identifier(packed: 4_711)!
    pair.room.run(pair.bob) { $0.start(at: $1) }
    #expect(pair.follow() == [])
    #expect(pair.room.hosts[pair.bob].replica.actor == pair.room.server.tokenActor)
    #expect(pair.write("theirs", by: pair.ann) == [pair.loss(of: "mine")])
  }

  @Test(
    "a text is lost with its shape if whoever deleted that can't have had the text",
    arguments: [(0, true), (0, false), (1, true)]
  )
  func deleted(away: Int, isWrittenFirst: Bool) throws {
    var pair = Pair()
    // What the one who is away does is unknown to the other, and the other way round.
    pair.room.run(away) { $0.stop(at: $1) }
    for writes in [isWrittenFirst, !isWrittenFirst] {
      pair.room.time += 60_000
      if writes {
        #expect(pair.write("mine", by: pair.bob) == [])
      } else {
        pair.room.edit(pair.ann, pair.shape) { $0.delete() }
      }
    }
    pair.room.run(away) { $0.start(at: $1) }
    #expect(pair.follow() == [pair.loss(of: "mine")])
    #expect(pair.room.hosts[pair.bob].replica.canvas[pair.shape] == nil)
    #expect(pair.follow() == [])
  }

  @Test(
    "what somebody had read before they replaced or deleted it stays no loss when they come back",
    arguments: [false, true]
  )
  func goneAndBack(isDeleted: Bool) {
    var pair = Pair()
    _ = pair.write("mine", by: pair.bob)
    pair.room.time += 15_000
    pair.room.edit(pair.ann, pair.shape) { if isDeleted { $0.delete() } else { $0.text = "theirs" } }
    #expect(pair.follow() == [])
    pair.room.run(pair.ann) { $0.stop(at: $1) }
    pair.room.time += 60_000
    pair.room.run(pair.ann) { $0.start(at: $1) }
    #expect(pair.follow() == [] && pair.hear([.reset(from: pair.room.canvas)]) == [])
  }

  @Test("a text that lost to another's before this user deleted its shape isn't told")
  func deletedByOneself() {
    var pair = Pair()
    pair.room.run(pair.bob) { $0.stop(at: $1) }
    #expect(pair.write("mine", by: pair.bob) == [])
    pair.room.time += 60_000
    _ = pair.write("theirs", by: pair.ann)
    pair.room.edit(pair.bob, pair.shape) { $0.delete() }
    pair.room.run(pair.bob) { $0.start(at: $1) }
    #expect(pair.follow() == [])
  }

  @Test("a text that this user has deleted and brought back can be lost")
  func broughtBack() {
    var pair = Pair()
    _ = pair.write("mine", by: pair.bob)
    pair.room.edit(pair.bob, pair.shape) { $0.delete() }
    pair.room.undo(pair.bob)
    #expect(pair.follow() == [])
    #expect(pair.write("theirs", by: pair.ann) == [pair.loss(of: "mine")])
  }

  @Test("another's text that this user's undo has written again is not this user's")
  func writtenAgain() {
    var pair = Pair()
    _ = pair.write("theirs", by: pair.ann)
    pair.room.time += 60_000
    _ = pair.write("mine", by: pair.bob)
    pair.room.undo(pair.bob)
    #expect(pair.follow() == [])
    #expect(pair.write("theirs again", by: pair.ann) == [])
  }

  @Test("a text that was replaced while this user was away is lost if that was soon")
  func whileAway() {
    for (pause, isLost) in [(1_000, true), (15_000, false)] {
      var pair = Pair()
      _ = pair.write("mine", by: pair.bob)
      pair.room.run(pair.bob) { $0.stop(at: $1) }
      pair.room.time += UInt64(pause)
      _ = pair.write("theirs", by: pair.ann)
      pair.room.time += 60_000
      pair.room.run(pair.bob) { $0.start(at: $1) }
      #expect(pair.follow() == (isLost ? [pair.loss(of: "mine")] : []))
    }
  }

  @Test("only the newest texts are remembered")
  func bounded() {
    var pair = Pair()
    _ = pair.write("mine", by: pair.bob)
    let set = Properties { ($0.kind, $0.text) = (.text, "more") }
    let more = (1...500).map { ShapeEdit(shape: Identifier(packed: $0)!, set: set) }
    pair.room.run(pair.bob) { $0.edit(more, at: $1) }
    #expect(pair.write("theirs", by: pair.ann) == [])
  }
}
