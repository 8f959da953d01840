import Testing

@testable import CanvasCRDT

@Suite("Edits that wait")
struct OutboxTests {
  @Test("after the front of a long queue was sent, a newer edit still replaces the older one of its shape")
  func longQueue() {
    var outbox = Outbox()
    var clock = Clock(actor: Identifier(packed: 1)!)
    func rotated(_ number: UInt64) -> Operation {
      let set = Properties { $0.rotation = 10 }
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

  @Test(
    "messages made for a larger limit, or in the shorter encoding, are split, and stay in order",
    arguments: [true, false]
  )
  func split(isSent: Bool) {
    var limits = RoomLimits()
    limits.messageBytes = 4_096
    let binary = MessageLimits(limits, encoding: .binary)
    let json = MessageLimits(limits, encoding: .json)
    var outbox = Outbox()
    var clock = Clock(actor: Identifier(packed: 1)!)
    for number in 0..<100 as Range<UInt64> {
      let set = Properties { ($0.kind, $0.position) = (.star, Point(x: Double(number), y: 0)) }
      let operation = Operation(shape: Identifier(packed: number)!, at: clock.tick(milliseconds: 1_000), set: set)
      outbox.append(operation, edit: outbox.newEdit())
    }
    while outbox.waitingCount > 0 { outbox.launch(slots: outbox.nextMessageLength(binary).slots) }
    let made = outbox.flights
    if isSent { for index in outbox.flights.indices { outbox.markSent(at: index, time: 0) } }
    outbox.split(binary)
    #expect(outbox.flights.map(\.id) == made.map(\.id))
    outbox.split(json)
    #expect(outbox.flights.flatMap { $0.pending.map(\.operation.shape.packed) } == Array(0..<100))
    // A message that was sent must not be split before it is answered.
    guard !isSent else { return #expect(outbox.flights.map(\.id) == made.map(\.id)) }
    #expect(outbox.flights.count > made.count)
    for flight in outbox.flights {
      let submission = Submission(id: nil, operations: flight.pending.map { ProposedOperation($0.operation) })
      #expect(JSONEncoding.encode(.operations(submission)).count <= 4_096)
    }
    // Ten operations alone would fit, but not with what is around them.
    let each = json.bytesMax(of: outbox.flights[0].pending[0].operation)
    limits.messageBytes = UInt64(10 * each + json.envelopeBytes - 1)
    outbox.split(MessageLimits(limits, encoding: .json))
    #expect(outbox.flights.map(\.pending.count).max() == 9)
  }

  @Test("however long a drag without a connection is, few of its operations are kept")
  func longDrag() {
    var outbox = Outbox()
    var clock = Clock(actor: Identifier(packed: 1)!)
    for _ in 0..<1_000 {
      for shape in [1, 2] as [UInt64] {
        let stamp = clock.tick(milliseconds: 1_000)
        let set = Properties { $0.rotation = 10 }
        outbox.append(Operation(shape: Identifier(packed: shape)!, at: stamp, set: set), edit: outbox.newEdit())
      }
    }
    let length = outbox.nextMessageLength(MessageLimits(RoomLimits(), encoding: .binary))
    #expect(length.operations == 2 && length.slots <= 65)
  }
}

@Suite("How many messages may be under way")
struct SendWindowTests {
  @Test("four on a quick line, also on one that is quick and long")
  func quick() {
    for roundTrip in [1, 30, 400] as [UInt64] {
      var window = SendWindow()
      window.roundTrip(milliseconds: roundTrip)
      for _ in 0..<10 { window.answered(milliseconds: roundTrip + 60) }
      #expect(window.messagesMax == 4)
    }
  }

  @Test("one where an answer takes much longer than the quickest, and more again once answers are quick")
  func full() {
    var window = SendWindow()
    window.roundTrip(milliseconds: 20)
    window.answered(milliseconds: 225)
    #expect(window.messagesMax == 1)
    window.answered(milliseconds: 30)
    #expect(window.messagesMax == 2)
    for _ in 0..<5 { window.answered(milliseconds: 30) }
    #expect(window.messagesMax == 4)
    window.answered(milliseconds: 225)
    window.connectionLost()
    #expect(window.messagesMax == 4)
  }
}
