import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("How much text a room takes")
struct RoomsTextTests {
  private func text(_ length: Int) -> Properties {
    Properties { ($0.kind, $0.text) = (.text, Text(String(repeating: "x", count: length))) }
  }

  /// - Returns: the refusal, if the message is refused.
  private func say(_ operations: [(UInt64, Properties)], by client: Int, in bench: inout RoomBench) -> Rejection? {
    bench.submit(client, operations.map { ProposedOperation($0.0, $0.1) })
  }

  @Test("W6: a message counts as a whole: what it frees makes space for what it brings, in whichever order")
  func whole() {
    var bench = RoomBench { $0.textBytes = 100 }
    let ann = bench.join()
    #expect(say([(1, text(60)), (2, text(30))], by: ann, in: &bench) == nil)
    bench.settle()
    #expect(say([(3, text(60)), (1, .deletion)], by: ann, in: &bench) == nil)
    bench.settle()
    #expect(say([(3, text(5)), (4, text(60)), (3, text(6))], by: ann, in: &bench) == nil)
    bench.settle()
    #expect(bench.room.canvas.longBytes == 96)
    let refusal = say([(2, .deletion), (5, text(30)), (6, text(5))], by: ann, in: &bench)
    #expect(refusal?.code == .roomFull && refusal?.operation == 2)
    #expect(say([(2, .deletion), (2, text(40))], by: ann, in: &bench)?.code == .roomFull)
  }

  @Test("W6: text that several messages on their way free is counted once")
  func once() {
    var bench = RoomBench { $0.textBytes = 100 }
    let ann = bench.join()
    #expect(say([(1, text(90))], by: ann, in: &bench) == nil)
    bench.settle()
    #expect(say([(1, .deletion), (2, text(90))], by: ann, in: &bench) == nil)
    #expect(say([(1, .deletion), (3, text(90))], by: ann, in: &bench)?.code == .roomFull)
    #expect(say([(1, text(90))], by: ann, in: &bench)?.code == .roomFull, "its text is about to go")
    bench.settle()
    #expect(bench.room.canvas.longBytes == 90)
    #expect(say([(2, .deletion), (3, text(90))], by: ann, in: &bench) == nil)
    bench.settle()
    #expect(bench.room.canvas.longBytes == 90)
    #expect(say([(3, text(0)), (4, text(90))], by: ann, in: &bench) == nil)
    #expect(say([(3, text(0)), (5, text(90))], by: ann, in: &bench)?.code == .roomFull)
  }

  @Test(
    "W6: a message is taken if the room has space for what it leaves, and the room never has more",
    arguments: [1, 2]
  )
  func judged(seed: UInt64) {
    var bench = RoomBench { $0.textBytes = 200 }
    let ann = bench.join()
    var random = SeededGenerator(seed: seed)
    var (taken, refused) = (0, 0)
    for step in 0..<600 {
      // In the second half, several messages are pending at a time.
      let isAlone = step < 300
      let operations = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let shape = UInt64.random(in: 1...8, using: &random)
        return (
          shape, Int.random(in: 0..<3, using: &random) == 0 ? .deletion : text(Int.random(in: 0...60, using: &random))
        )
      }
      var after = bench.room.canvas
      for (index, operation) in operations.enumerated() {
        let at = Stamp(time: .max - 9 + UInt64(index), actor: bench.shape(0))
        after.apply(Operation(shape: bench.shape(operation.0), at: at, set: operation.1))
      }
      let fits = after.longBytes <= max(200, bench.room.canvas.longBytes)
      let isTaken = say(operations, by: ann, in: &bench) == nil
      if isAlone { #expect(isTaken == fits, "step \(step)") }
      if isTaken { taken += 1 } else { refused += 1 }
      if isAlone || Int.random(in: 0..<3, using: &random) == 0 { bench.settle() }
      #expect(bench.room.canvas.longBytes <= 200)
      bench.pass(20)
    }
    #expect(taken > 100 && refused > 50)
  }
}
