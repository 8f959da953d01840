import TestSupport
import Testing

@testable import RoomLog

@Suite("Messages in notifications")
struct MessagePartsTests {
  @Test("messages of any length are joined as they were split, or not at all")
  func parts() {
    var generator = SeededGenerator(seed: 4)
    var joining = MessageParts()
    for length in [0, 1, 5_500, 5_501, 20_000, 100_000] {
      for round in 0..<20 {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let parts = MessageParts.split(bytes)
        // PostgreSQL takes 8,000 bytes, of which the room's name needs some.
        #expect(parts.allSatisfy { $0.utf8.count < 7_500 })
        // In every second round, one part of the message is lost.
        let lost = round % 2 == 0 ? nil : Int.random(in: 0..<parts.count, using: &generator)
        var joined: [[UInt8]] = []
        for (index, part) in parts.enumerated() where index != lost {
          if let message = joining.join(part, from: 7) { joined.append(message) }
        }
        #expect(joined == (lost == nil ? [bytes] : []))
      }
    }
  }

  @Test("parts of several senders may come by turns, and what isn't a part is skipped")
  func senders() {
    var joining = MessageParts()
    let messages = (1...3).map { [UInt8](repeating: UInt8($0), count: 12_000) }
    let parts = messages.map(MessageParts.split)
    var joined: [[UInt8]] = []
    for index in parts[0].indices {
      for sender in messages.indices {
        for text in ["", "x", "0 1", "0 1 ?", "1 1 AA==", "-1 1 AA==", "0 999999 AA==", "0 1 AA== AA=="] {
          #expect(joining.join(text, from: 99) == nil)
        }
        if let message = joining.join(parts[sender][index], from: Int32(sender)) { joined.append(message) }
      }
    }
    #expect(joined == messages)
  }

  @Test("parts of two messages are never joined")
  func mixed() {
    var joining = MessageParts()
    let long = MessageParts.split([UInt8](repeating: 1, count: 20_000))
    let longer = MessageParts.split([UInt8](repeating: 2, count: 26_000))
    for part in long.prefix(2) { #expect(joining.join(part, from: 7) == nil) }
    for part in longer.dropFirst(2) { #expect(joining.join(part, from: 7) == nil) }
    for part in long.prefix(2) { #expect(joining.join(part, from: 7) == nil) }
    joining.forgetBegun()
    for part in long.dropFirst(2) { #expect(joining.join(part, from: 7) == nil) }
  }

  @Test("senders that end within a message, and messages without end, cost a bounded amount of memory")
  func bounds() {
    var joining = MessageParts()
    let parts = MessageParts.split([UInt8](repeating: 1, count: 12_000))
    for process in 0..<1_000 { #expect(joining.join(parts[0], from: Int32(process)) == nil) }
    #expect(joining.begun.count <= 64)
    let tooMany = MessageParts.partBytesMax * MessageParts.partsMax + 1
    #expect(MessageParts.split([UInt8](repeating: 1, count: tooMany)).isEmpty)
  }
}
