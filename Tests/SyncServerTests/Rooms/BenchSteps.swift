import CanvasCRDT
import TestSupport

@testable import ServerModel
@testable import SyncServer

// Actions and checks that several suites share.

/// The state of somebody who shows a number.
func state(_ number: Int) -> JSONText { JSONText("{\"x\":\(number)}") }

extension ProposedOperation {
  init(_ shape: UInt64, _ set: Properties, at stamp: Stamp? = nil) {
    self.init(shape: Identifier(packed: shape)!, at: stamp, set: set)
  }
}

extension OpenRoom {
  /// An empty room, for the hub.
  static func inTests(_ name: String = "demo", isStored: Bool = true) -> OpenRoom {
    let room = Room(name: Text(name), epoch: 1, limits: Limits(), framing: .byLength, seed: 1)
    return OpenRoom(name: name, room: room, isStored: isStored)
  }
}

extension RoomBench {
  static func withWriter(_ change: (inout Limits) -> Void = { _ in }) -> (RoomBench, writer: Int) {
    var bench = RoomBench(change)
    let writer = bench.join()
    return (bench, writer)
  }

  /// Sends operations in one message.
  /// - Returns: the refusal, if the message is refused at once.
  @discardableResult
  mutating func submit(_ client: Int, id: UInt64? = nil, _ operations: [ProposedOperation]) -> Rejection? {
    let before = clients[client].messages.count
    say(.operations(Submission(id: id.map { MessageIdentifier($0) }, operations: operations)), client)
    send()
    return clients[client].messages[before...].compactMap(\.rejection).first
  }

  /// Writes to a shape, and settles.
  @discardableResult
  mutating func settle(
    _ client: Int,
    _ number: UInt64,
    id: UInt64 = 1,
    at stamp: Stamp? = nil,
    _ assign: (inout Properties) -> Void
  ) -> Stamp {
    defer { settle() }
    return write(client, shape(number), id: id, at: stamp, assign)
  }

  /// Makes stars, each by a message of its own, and settles.
  mutating func makeStars(_ client: Int, _ numbers: ClosedRange<UInt64>) {
    for number in numbers { write(client, shape(number)) { $0.kind = .star } }
    settle()
  }

  /// Sends operations of somebody who may not write all that they like, and settles.
  /// - Returns: why they are refused.
  mutating func submit(_ client: Int, within bound: Allowance.Bound, _ operations: [ProposedOperation]) -> RejectCode? {
    defer { settle() }
    let submission = Submission(id: nil, operations: operations)
    let allowance = Allowance(payer: nil, bound: bound)
    return room.submit(submission, from: clients[client].id!, allowance: allowance, now: now)?.code
  }

  /// Makes a square of ten units, or moves it.
  mutating func put(_ writer: Int, _ number: UInt64, x: Double) {
    write(writer, shape(number)) {
      $0.kind = .rectangle
      $0.position = Point(x: x, y: 0)
      $0.size = Size(width: 10, height: 10)
    }
  }

  /// Puts squares where they are said to be, and settles.
  mutating func put(_ writer: Int, _ places: KeyValuePairs<UInt64, Double>) {
    for (number, x) in places { put(writer, number, x: x) }
    settle()
  }

  /// Moves several shapes `times` times, and lets the room finish its work each time. Shapes that don't exist are made
  /// first.
  mutating func drag(_ writer: Int, _ numbers: ClosedRange<UInt64>, times: Int) {
    for time in 0..<times {
      for number in numbers {
        write(writer, shape(number)) {
          $0.kind = .rectangle
          $0.position = Point(x: Double(time), y: Double(number) * 1_000)
        }
      }
      settle()
    }
  }

  /// Lets time pass, and the room do what it does once a second.
  mutating func rest(after milliseconds: UInt64 = 0) {
    pass(milliseconds)
    room.rest(now: now)
    settle()
  }

  /// Lets a client's socket take all that there is for it.
  mutating func catchUp(_ client: Int) {
    clients[client].takes = nil
    wake(client)
    settle()
  }

  /// Stores all that waits for the log, without telling anyone.
  mutating func commitAll() {
    while !waiting.isEmpty { commit() }
  }

  /// The overlap notices that a client received.
  func notices(_ client: Int) -> [OverlapNotice] { clients[client].messages.compactMap(\.notice) }
}
