import Testing

@testable import CanvasCRDT

@Suite("Edits that wait")
struct OutboxTests {
  @Test("after the front of a long queue was sent, a newer edit still replaces the older one of its shape")
  func longQueue() {
    var outbox = Outbox()
    var clock = Clock(actor: Identifier(packed: 1)!)
    func rotated(_ number: UInt64) -> Operation {
      var set = Properties()
      set.rotation = 10
      return Operation(shape: Identifier(packed: number)!, at: clock.tick(milliseconds: 1_000), set: set)
    }
    for number in 0..<3_000 as Range<UInt64> {
      let edit = outbox.newEdit()
      outbox.append(rotated(number), edit: edit)
    }
    outbox.launch(slots: 2_000)
    #expect(outbox.waitingCount == 1_000)
    let edit = outbox.newEdit()
    #expect(outbox.append(rotated(2_500), edit: edit) == 1)
    #expect(outbox.waitingCount == 1_000)
    #expect(outbox.waitingEdits.last?.map(\.shape.packed) == [2_500])
  }
}
