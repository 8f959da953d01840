import Testing

@testable import CanvasCRDT

@Suite("A replica's connection")
struct ReplicaLineTests {
  /// A client in a room, and the `ReplicaLine` that manages its connection.
  private struct Client {
    var room = TestRoom()
    var line = ReplicaLine()
    /// How many of the host's effects the line has seen.
    private var seen = 0

    init() {
      room.join()
      follow()
    }

    var replica: Replica { room.hosts[0].replica }
    /// The presence messages that were sent and not yet delivered.
    var presenceSent: Int { room.hosts[0].toServer.count { $0[0] == 3 } }

    mutating func run(_ event: (inout ReplicaLine, inout Replica, Moment) -> [ReplicaEffect]) {
      room.run(0) { event(&line, &$0, $1) }
      follow()
    }

    /// Delivers all messages in both directions.
    mutating func settle() {
      room.settle()
      follow()
    }

    private mutating func follow() {
      let new = Array(room.hosts[0].effects.dropFirst(seen))
      seen += new.count
      room.run(0) { replica, now in
        let all = line.follow(new, of: &replica, at: now)
        seen += all.count - new.count
        return Array(all.dropFirst(new.count))
      }
    }
  }

  private static func json(_ text: String) throws -> JSONText {
    JSONText(text)
  }

  @Test("The newest presence waits while the connection is busy, and goes out with the answer")
  func heldPresence() throws {
    var client = Client()
    let first = try Self.json(#"{"at":1}"#)
    let last = try Self.json(#"{"at":2}"#)
    client.run { $0.showPresence(first, of: &$1, at: $2) }
    // So much that it fills the connection. The server doesn't get it, because it is no message.
    client.run { _, _, _ in [.send([UInt8](repeating: 0, count: 3_000))] }
    client.room.hosts[0].toServer.removeAll { $0.count == 3_000 }
    #expect(client.presenceSent == 1)
    client.room.time += 1_000
    client.run { $0.showPresence(first, of: &$1, at: $2) }
    client.run { $0.showPresence(last, of: &$1, at: $2) }
    #expect(client.presenceSent == 1)
    client.settle()
    client.room.time += 1_000
    client.run { $1.wake(at: $2) }
    #expect(client.presenceSent == 1)
    #expect(client.room.hosts[0].toServer.contains { String(decoding: $0, as: UTF8.self).contains(#"{"at":2}"#) })
  }

  @Test("A dead connection is closed, and another one is opened at once")
  func dead() {
    var client = Client()
    for _ in 0..<20 where client.replica.state == .live {
      client.room.time += ReplicaLine.lookMilliseconds
      client.run { $0.look(at: &$1, at: $2) }
    }
    #expect(client.replica.state == .connecting)
    #expect(client.room.hosts[0].wantsConnection)
  }

  @Test("While edits wait to be sent again, a short silence isn't suspicious, because no answer is due")
  func postponed() throws {
    var client = Client()
    client.run { $1.add(Properties(), at: $2).effects }
    let sent = try client.room.hosts[0].interceptSubmissions()
    client.room.hand(.rejection(Rejection(id: sent[0].id, code: .unavailable, message: "later")), to: 0)
    client.room.time += LinePulse.unansweredMilliseconds
    client.run { $0.look(at: &$1, at: $2) }
    #expect(client.replica.unsentCount == 1)
    #expect(client.room.hosts[0].toServer.isEmpty)
  }

  @Test("Another connection begins as a free one")
  func fresh() throws {
    var client = Client()
    let state = try Self.json("{}")
    client.run { $0.showPresence(state, of: &$1, at: $2) }
    client.run { _, _, _ in [.send([UInt8](repeating: 0, count: 3_000))] }
    client.room.disconnect(0)
    client.run { _, replica, now in replica.start(at: now) }
    client.settle()
    client.room.time += 1_000
    let next = try Self.json(#"{"at":1}"#)
    client.run { $0.showPresence(next, of: &$1, at: $2) }
    #expect(client.presenceSent == 1)
  }
}
