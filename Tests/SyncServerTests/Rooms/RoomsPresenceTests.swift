import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Presence")
struct RoomsPresenceTests {
  @Test("R1, R2: presence is gathered by the beat, the newest wins, oneself is not told")
  func presence() throws {
    var bench = RoomBench()
    let ann = bench.join(.json)
    let bob = bench.join(.binary)
    let eve = bench.join(.binary)
    let annState = state(7)
    let bobState = state(3)
    for number in 1...7 { bench.say(.presence(state(number)), ann) }
    bench.say(.presence(bobState), bob)
    bench.settle()
    #expect(bench.presences(eve).count == 1)
    #expect(bench.clients[eve].peers[bench.actor(ann)]?.state == annState)
    #expect(bench.clients[eve].peers[bench.actor(bob)]?.state == bobState)
    #expect(bench.presences(ann) == [[PeerState(actor: bench.actor(bob), state: bobState)]])
    #expect(bench.presences(bob) == [[PeerState(actor: bench.actor(ann), state: annState)]])

    let late = bench.join()
    #expect(bench.clients[late].peers[bench.actor(ann)]?.state == annState)
  }

  @Test("R1: others are told of one's presence once in an interval, and then the newest")
  func interval() throws {
    var bench = RoomBench { $0.presenceMilliseconds = 100 }
    let ann = bench.join()
    let eve = bench.join()
    // The room was quiet for longer than the broadcast interval, so the first presence is sent at once.
    bench.pass(1_000)
    let began = bench.now.monotonicMilliseconds
    var toldAt: [UInt64] = []
    var told: [[PeerState]] = []
    for number in 0..<350 {
      bench.say(.presence(state(number)), ann)
      bench.beatIfDue()
      let all = bench.presences(eve)
      if all.count > told.count { toldAt.append(bench.now.monotonicMilliseconds - began) }
      told = all
      bench.pass(1)
    }
    #expect(toldAt == [0, 100, 200, 300])
    let states = [0, 100, 200, 300].map { [PeerState(actor: bench.actor(ann), state: state($0))] }
    #expect(told == states)
    bench.settle()
    #expect(bench.now.monotonicMilliseconds - began == 400)
    #expect(bench.clients[eve].peers[bench.actor(ann)]?.state == state(349), "the last is never lost")
  }

  @Test("R1: somebody who asks for digests doesn't make the room send the presence of others more often")
  func digests() throws {
    var bench = RoomBench()
    let ann = bench.join()
    let eve = bench.join()
    bench.settle()
    bench.say(.presence(state(1)), ann)
    for _ in 0..<5 { bench.say(.digest, eve) }
    bench.send()
    #expect(bench.clients[eve].digests == 5)
    #expect(bench.presences(eve).isEmpty)
    bench.settle()
    #expect(bench.presences(eve).count == 1)
  }

  @Test("R1: presence that has to wait is sent when it is due, even if a beat of others came first")
  func waitingThroughABeat() throws {
    var bench = RoomBench { $0.presenceMilliseconds = 100 }
    let ann = bench.join()
    let bob = bench.join()
    let eve = bench.join()
    bench.pass(1_000)
    let began = bench.now.monotonicMilliseconds
    bench.say(.presence(state(1)), ann)
    bench.beatIfDue()
    bench.pass(20)
    bench.say(.presence(state(2)), ann)
    #expect(bench.room.flushDueAt == began + 100)
    bench.pass(20)
    bench.write(bob, bench.shape(1)) { $0.kind = .star }
    bench.commit()
    bench.beatIfDue()
    #expect(bench.clients[eve].canvas.liveCount == 1, "the beat has come")
    #expect(bench.clients[eve].peers[bench.actor(ann)]?.state == state(1), "and is not yet to tell of this")
    #expect(bench.room.flushDueAt == began + 100, "a beat is due for what waits")
    bench.settle()
    #expect(bench.clients[eve].peers[bench.actor(ann)]?.state == state(2))
    #expect(bench.now.monotonicMilliseconds == began + 100)
  }
}
