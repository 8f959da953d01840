import CanvasCRDT
import TestSupport
import Testing

@testable import WebSocketLoop
@testable import sync_client

/// What each behaviour of bots is, besides that none leaves its area.
@Suite struct BotTests {
  private let area = Rect(1_000, -2_000, 2_000, 2_000)

  private func bot(_ kind: BotBehaviour.Kind, shapes: Int = 2, number: Int = 0) -> BotBehaviour {
    BotBehaviour(kind, shapes: shapes, area: area, seed: 5, number: number)
  }

  private func distance(_ one: Point, _ other: Point) -> Double {
    ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
  }

  /// Where a bot's shape is at first, and after each of its moves, which are a tenth of a second apart.
  private func places(_ kind: BotBehaviour.Kind, moves: Int) -> [Point] {
    var bot = bot(kind, shapes: 1)
    return [bot.members[0].position] + (0..<moves).map { bot.move(atMilliseconds: UInt64($0) * 100)!.set.position }
  }

  @Test func `Scattered shapes get everywhere`() {
    let found = places(.scatter, moves: 300)
    for (values, least) in [(found.map(\.x), area.minX), (found.map(\.y), area.minY)] {
      #expect(values.min()! < least + 200 && values.max()! > least + 1_700)
    }
    #expect(zip(found, found.dropFirst()).contains { distance($0, $1) > 500 })
  }

  @Test func `Wandering shapes make small steps in all directions`() {
    let found = places(.wander, moves: 300)
    let ways = zip(found, found.dropFirst()).map { Point(x: $1.x - $0.x, y: $1.y - $0.y) }
    for way in [ways.map(\.x), ways.map(\.y)] {
      #expect(way.min()! < -15 && way.max()! > 15 && way.allSatisfy { $0.magnitude <= 20.2 })
    }
  }

  @Test func `Circling shapes keep their distance from a centre, each with its own speed`() {
    // The first shape takes 4 seconds for a round, and the second one 6⅔.
    for (index, half, radius) in [(0, 2_000, 80.0), (1, 3_333, 160)] as [(Int, UInt64, Double)] {
      for start in [0, 700] as [UInt64] {
        func place(at time: UInt64) -> Point {
          var bot = bot(.orbit)
          return (0...index).map { _ in bot.move(atMilliseconds: time)!.set.position }.last!
        }
        #expect((distance(place(at: start), place(at: start + half)) - 2 * radius).magnitude < 1)
        #expect((distance(place(at: start), place(at: start + half / 2)) - 2.squareRoot() * radius).magnitude < 1)
      }
    }
    #expect(bot(.orbit).members[0].position != bot(.orbit, number: 1).members[0].position)
  }

  @Test func `A swarm follows one point, which goes around the middle once in twenty seconds`() {
    for (time, x, y) in [(0, 700.0, 0.0), (5_000, 0, 700), (10_000, -700, 0), (15_000, 0, -700)]
      as [(UInt64, Double, Double)]
    {
      var found: [Point] = []
      for number in 0..<40 {
        var bot = bot(.swarm, number: number)
        found.append(bot.move(atMilliseconds: time)!.set.position)
      }
      for (values, target) in [(found.map(\.x), area.center.x + x), (found.map(\.y), area.center.y + y)] {
        #expect(
          values.allSatisfy { ($0 - target).magnitude <= 60.1 } && values.min()! < target - 30
            && values.max()! > target + 30
        )
      }
    }
  }

  @Test func `On a grid a shape goes from cell to cell, in all four directions, and never over the edge`() {
    let found = places(.grid, moves: 2_000)
    let ways = Set(zip(found, found.dropFirst()).map { Point(x: $1.x - $0.x, y: $1.y - $0.y) })
    let steps = [(60.0, 0.0), (-60, 0), (0, 60), (0, -60), (0, 0)].map { Point(x: $0, y: $1) }
    #expect(ways.isSubset(of: steps) && ways.isSuperset(of: steps.dropLast()))
    #expect(found.allSatisfy { ($0.x - area.minX).truncatingRemainder(dividingBy: 60) == 0 })
    #expect(bot(.grid).members.allSatisfy { $0.size == Size(width: 50, height: 50) })
  }

  @Test func `Shapes take turns, and begin as they are, a little translucent`() {
    var bot = bot(.wander, shapes: 3)
    let begun = bot.begin()
    #expect(begun.map(\.shape) == bot.members.map(\.id) && begun.map(\.set.position) == bot.members.map(\.position))
    #expect(begun.map(\.set.size) == bot.members.map(\.size) && begun.allSatisfy { $0.set.alpha == 8 && $0.at == nil })
    #expect(bot.members.allSatisfy { (24...72).contains($0.size.width) && $0.size.width == $0.size.height })
    let turns = (0..<6).map { bot.move(atMilliseconds: UInt64($0))!.shape }
    #expect(turns == begun.map(\.shape) + begun.map(\.shape))
    let phases = [0.5, 1.5, 2.5].map { $0 / 3 }
    #expect(bot.members.map(\.phase) == phases)
    var none = self.bot(.wander, shapes: 0)
    #expect(none.begin().isEmpty && none.move(atMilliseconds: 0) == nil)
  }

  @Test @ClientLoop func `A bot counts what was answered, and where the newest answer put each shape`() throws {
    let tally = BotTally()
    let behaviour = BotBehaviour(.scatter, shapes: 2, area: area, seed: 5, number: 0)
    let bot = Bot(
      "Bot",
      behaviour,
      color: nil,
      in: try RoomName("demo"),
      on: try ServerAddress("ws://127.0.0.1:1"),
      tally
    )
    let writer = bot.writer!
    writer.start()
    writer.socketOpened()
    let welcome = Welcome(
      room: "demo",
      actor: writer.submitter.actor,
      role: .editor,
      milliseconds: 1,
      limits: RoomLimits(),
      peers: []
    )
    BinaryEncoding.encode(.welcome(welcome)).withUnsafeBytes {
      writer.socketReceived(Message(bytes: $0, isText: false))
    }
    bot.act(atMicroseconds: 0, interval: 1_000)
    #expect(!bot.isDone && bot.unansweredCount == 2 && bot.positions.isEmpty)
    func answer(_ number: UInt64, _ outcome: WriterAnswer.Outcome) {
      bot.answered(WriterAnswer(number: number, outcome: outcome), by: writer)
    }
    let loss = Superseded(
      operation: 0,
      property: .position,
      by: Stamp(milliseconds: 1, counter: 0, actor: writer.submitter.actor)!
    )
    bot.postponed(Postponement(code: .unavailable, message: "full"), by: writer)
    #expect(tally.postponement != nil)
    answer(1, .acknowledged(cursor: Cursor("1-1"), superseded: [loss]))
    #expect(tally.acknowledged == 2 && tally.superseded == 1 && tally.postponement == nil && tally.latencies.count == 1)
    let first = bot.positions
    #expect(first.count == 2 && Set(first.keys) == Set(behaviour.members.map(\.id)))
    answer(1, .acknowledged(cursor: Cursor("1-1"), superseded: []))
    #expect(tally.acknowledged == 2, "it is answered once")
    bot.act(atMicroseconds: 10_000, interval: 5_000)
    bot.act(atMicroseconds: 20_000, interval: 5_000)
    // The first shape has been moved with the batches 2 and 4. The answer to the older one comes last.
    answer(4, .acknowledged(cursor: Cursor("1-3"), superseded: []))
    let moved = bot.positions
    answer(2, .acknowledged(cursor: Cursor("1-2"), superseded: []))
    #expect(bot.positions == moved && moved != first)
    answer(3, .refused(operation: nil, code: .roomFull, message: "full"))
    #expect(tally.refused == [.roomFull: 1] && tally.refusedCount == 1 && bot.positions == moved)
    bot.cleanUp(atMicroseconds: 30_000)
    #expect(bot.unansweredCount >= 2)
  }
}
