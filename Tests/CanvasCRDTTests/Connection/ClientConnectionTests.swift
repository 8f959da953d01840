import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("A client's connection")
struct ClientConnectionTests {
  private let ann = Identifier("abc-abc-abc")!
  private let given = Identifier("k3j-9x2-m1p")!

  private func moment(_ time: UInt64) -> Moment {
    Moment(wallMilliseconds: 1_763_650_000_000 + time, monotonicMilliseconds: time)
  }

  private func welcome(key: Text? = "KEY", operationsPerSecond: UInt64 = 10) -> Welcome {
    var limits = RoomLimits()
    limits.operationsPerSecond = operationsPerSecond
    let time: UInt64 = 1_763_650_000_000
    return Welcome(room: "demo", actor: given, key: key, role: .editor, milliseconds: time, limits: limits, peers: [])
  }

  /// A connection that has joined at this time.
  private func joined(at time: UInt64 = 0) -> ClientConnection {
    var connection = ClientConnection()
    join(&connection, at: time)
    return connection
  }

  private func join(_ connection: inout ClientConnection, at time: UInt64) {
    _ = connection.start()
    _ = connection.opened(as: ann, at: moment(time))
    connection.receive(welcome(), at: moment(time))
  }

  @Test("what is told of a socket counts only where there is one, or where one was asked for")
  func sockets() {
    var random = SeededGenerator(seed: 1)
    var connection = ClientConnection()
    #expect(connection.opened(as: ann, at: moment(0)) == nil && connection.state == .offline)
    #expect(connection.closed(nil, at: moment(0), using: &random) == false && connection.state == .offline)
    #expect(connection.stop(at: moment(0)) == .nothing)
    #expect(connection.start() == .open && connection.start() == .nothing)
    #expect(connection.restart(at: moment(0)) == false, "no hello was sent")
    #expect(connection.opened(as: ann, at: moment(0)) != nil)
    #expect(connection.opened(as: ann, at: moment(1)) == nil && connection.state == .greeting)
    #expect(connection.restart(at: moment(2)) == true && connection.state == .connecting)
    #expect(connection.closed(1_001, at: moment(3), using: &random) == true)
    let waiting = connection.state
    #expect(connection.closed(nil, at: moment(4), using: &random) == false && connection.state == waiting)
    #expect(connection.stop(at: moment(5)) == .nothing && connection.state == .offline)
    connection = joined()
    #expect(connection.hasSocket && connection.start() == .nothing && connection.opened(as: ann, at: moment(9)) == nil)
    #expect(connection.stop(at: moment(9)) == .close && connection.state == .offline && connection.wakeAt == nil)
    connection = joined()
    #expect(connection.closed(4_403, at: moment(9), using: &random) == true)
    #expect(connection.closed(nil, at: moment(9), using: &random) == false && connection.state == .closed(code: 4_403))
  }

  @Test("it is woken for the next try and for an overdue welcome, and nothing happens before that time")
  func waking() throws {
    var random = SeededGenerator(seed: 1)
    var connection = ClientConnection()
    #expect(connection.wakeAt == nil && connection.wake(at: moment(0), using: &random) == .nothing)
    _ = connection.start()
    #expect(connection.wakeAt == nil)
    _ = connection.opened(as: ann, at: moment(100))
    let overdue = try #require(connection.wakeAt)
    #expect(overdue == 100 + ClientConnection.welcomeMillisecondsMax)
    #expect(connection.wake(at: moment(overdue - 1), using: &random) == .nothing && connection.state == .greeting)
    #expect(connection.wake(at: moment(overdue), using: &random) == .close)
    let due = try #require(connection.wakeAt)
    #expect(due >= overdue + Backoff.millisecondsMin && due <= overdue + Backoff.firstMilliseconds)
    #expect(connection.wake(at: moment(due - 1), using: &random) == .nothing)
    #expect(connection.wake(at: moment(due), using: &random) == .open && connection.state == .connecting)
    connection = joined()
    #expect(connection.wakeAt == nil && connection.wake(at: moment(1_000_000), using: &random) == .nothing)
  }

  @Test("X1: pauses start over after a connection of ten seconds, once, and not after a shorter one")
  func pauses() {
    var random = SeededGenerator(seed: 1)
    var connection = ClientConnection()
    for (lasted, tries) in [(9_999, 1), (9_999, 2), (10_000, 1), (0, 2)] as [(UInt64, UInt64)] {
      join(&connection, at: 50_000)
      _ = connection.closed(1_001, at: moment(50_000 + lasted), using: &random)
      #expect(connection.retryPauses.tries == tries, "it lasted \(lasted)")
    }
    // A server that is away for long is not asked four times a second.
    for tries in 3...8 as ClosedRange<UInt64> {
      _ = connection.start()
      _ = connection.closed(nil, at: moment(1_000_000 * tries), using: &random)
      #expect(connection.retryPauses.tries == tries)
    }
  }

  @Test("C9: hello has the actor and its key, and neither where the client has to become another")
  func hello() {
    var random = SeededGenerator(seed: 1)
    var connection = ClientConnection(key: "OLD")
    func said() -> Hello? {
      _ = connection.start()
      return connection.opened(as: ann, at: moment(0))
    }
    var hello = said()
    #expect(hello?.actor == ann && hello?.key == "OLD")
    #expect(hello?.vocabularyNumber == UInt8(Vocabulary.all.count))
    connection.receive(welcome(), at: moment(0))
    _ = connection.closed(1_001, at: moment(0), using: &random)
    hello = said()
    #expect(hello?.actor == ann && hello?.key == "KEY")
    _ = connection.closed(CloseCode.actorElsewhere.rawValue, at: moment(0), using: &random)
    hello = said()
    #expect(hello?.actor == nil && hello?.key == "")
    connection.receive(welcome(key: "NEW"), at: moment(0))
    _ = connection.closed(1_001, at: moment(0), using: &random)
    hello = said()
    #expect(hello?.actor == ann && hello?.key == "NEW")
    connection = ClientConnection()
    #expect(said()?.key == "", "who has no key asks for one")
    #expect(connection.joins == 0)
    connection.receive(welcome(), at: moment(0))
    #expect(connection.joins == 1)
  }

  @Test("C9: whoever joins elsewhere as this actor throws this client out; it comes back, unless its actor is named")
  func elsewhere() {
    var random = SeededGenerator(seed: 1)
    let code = CloseCode.actorElsewhere.rawValue
    for (keys, rests) in [(["A"], false), ([nil], true), (["A", "B"], true)] as [([Text?], Bool)] {
      var connection = ClientConnection()
      for (place, key) in keys.enumerated() {
        // The second time it has asked for a new actor, and was given the same one with another key.
        if place > 0 { _ = connection.closed(code, at: moment(0), using: &random) }
        _ = connection.start()
        _ = connection.opened(as: ann, at: moment(0))
        connection.receive(welcome(key: key), at: moment(0))
      }
      _ = connection.closed(code, at: moment(0), using: &random)
      #expect((connection.state == .closed(code: code)) == rests, "\(keys)")
    }
  }

  @Test("no more operations are sent in a second than the room allows, and the time is told when there may be more")
  func rate() {
    var connection = joined()
    #expect(connection.spend(7, at: moment(0)) == nil)
    #expect(connection.spend(4, at: moment(0)) == 100)
    #expect(connection.spend(3, at: moment(0)) == nil, "what had to wait wasn't counted")
    #expect(connection.spend(4, at: moment(99)) == 400 && connection.spend(4, at: moment(400)) == nil)
    #expect(
      connection.spend(25, at: moment(5_000)) == nil,
      "a message of more than a second's operations is not held for ever"
    )
    #expect(connection.spend(1, at: moment(5_000)) == 5_100)
    // A new connection has a rate of its own.
    join(&connection, at: 5_000)
    _ = connection.restart(at: moment(5_000))
    join(&connection, at: 5_000)
    #expect(connection.spend(10, at: moment(5_000)) == nil)
  }

  @Test(
    "after a refusal nothing is sent for a while: longer each time, until something is accepted or on a new connection"
  )
  func refusals() throws {
    var random = SeededGenerator(seed: 1)
    var connection = joined()
    #expect(connection.sendingPause(at: moment(0)) == nil)
    var time: UInt64 = 0
    var pauses: [UInt64] = []
    func pause() throws {
      connection.pauseSending(at: moment(time), using: &random)
      let paused = connection.sendingPause(at: moment(time))
      let until = try #require(paused)
      // Another refusal meanwhile is of the same try.
      connection.pauseSending(at: moment(time), using: &random)
      #expect(connection.sendingPause(at: moment(until - 1)) == until)
      #expect(connection.sendingPause(at: moment(until)) == nil)
      pauses.append(until - time)
      time = until
    }
    for _ in 0..<40 { try pause() }
    #expect(pauses[0] <= Backoff.firstMilliseconds && pauses.max()! > 10_000)
    for _ in 0..<20 {
      connection.resetPauses()
      try pause()
    }
    #expect(pauses.suffix(20).max()! <= Backoff.firstMilliseconds)
    connection.pauseSending(at: moment(time), using: &random)
    _ = connection.restart(at: moment(time))
    join(&connection, at: time)
    #expect(connection.sendingPause(at: moment(time)) == nil)
  }
}

@Suite("The server's time")
struct ServerTimeTests {
  private func moment(wall: UInt64, _ monotonic: UInt64) -> Moment {
    Moment(wallMilliseconds: wall, monotonicMilliseconds: monotonic)
  }

  @Test("without a word from the server it is the host's own time, or what a saved offset makes of it")
  func guesses() {
    for (offset, expected) in [(nil, 5_000), (0, 5_000), (300, 5_300), (-300, 4_700), (-9_000, 0)] as [(Int64?, UInt64)]
    {
      let time = ServerTime(offset: offset)
      #expect(time.isGuess && time.milliseconds(at: moment(wall: 5_000, 1)) == expected)
    }
    // A host can show any time, and a saved offset can be any number.
    #expect(ServerTime(offset: .max).milliseconds(at: moment(wall: 5_000, 1)) == 5_000)
    #expect(ServerTime().milliseconds(at: moment(wall: .max, 1)) == Stamp.millisecondsMax)
  }

  @Test("half of the way there and back has passed since the server looked at its clock, but at most five seconds")
  func roundTrips() {
    for (sentAt, passed) in [(nil, 0), (1_000, 0), (400, 300), (2_000, 0), (0, 500)] as [(UInt64?, UInt64)] {
      var time = ServerTime()
      time.read(70_000, sentAt: sentAt, at: moment(wall: 5_000, 1_000))
      #expect(!time.isGuess && time.milliseconds(at: moment(wall: 5_000, 1_000)) == 70_000 + passed)
      #expect(time.offset == Int64(65_000 + passed))
    }
    var slow = ServerTime()
    slow.read(70_000, sentAt: 0, at: moment(wall: 5_000, 30_000))
    #expect(slow.milliseconds(at: moment(wall: 5_000, 30_000)) == 75_000)
    slow.read(.max, sentAt: nil, at: moment(wall: .max, 30_000))
    #expect(slow.offset == 0 && slow.milliseconds(at: moment(wall: .max, 30_000)) == Stamp.millisecondsMax)
  }

  @Test("of the host's two clocks the one counts by which more time has passed: one sleeps, and one may be set back")
  func clocks() {
    var time = ServerTime()
    time.read(70_000, sentAt: nil, at: moment(wall: 5_000, 1_000))
    #expect(time.milliseconds(at: moment(wall: 6_000, 2_000)) == 71_000)
    #expect(time.milliseconds(at: moment(wall: 9_000, 2_000)) == 74_000)
    #expect(time.milliseconds(at: moment(wall: 1_000, 2_000)) == 71_000)
    #expect(time.milliseconds(at: moment(wall: 6_000, 500)) == 71_000, "another process's clock tells nothing")
  }
}
