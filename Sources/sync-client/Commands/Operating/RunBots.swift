import CanvasCRDT
import CommandWords

/// The command `bot`, which runs simulated users.
enum RunBots {
  static let command = Command(
    name: "bot",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "run bots that make and move shapes: company for you, load for a server",
    details: [
      "Behaviours: scatter (anywhere), wander (small steps), orbit (around a centre), swarm (all follow one point), "
        + "grid (from cell to cell).",
      "At the end it prints how many operations were acknowledged, refused and superseded, and how long answers took. "
        + "Exit 0: all were acknowledged. An interrupt ends the bots at once, with the same figures.",
    ],
    options: [
      Option("--behaviour", "NAME", "scatter, wander, orbit, swarm or grid (default: wander)"),
      Option("--shapes", "N", "shapes of each bot (default: 5)"),
      Option("--rate", "R", "moves a second of each bot (default: 10)"),
      Option("--bots", "K", "how many bots, each with a connection of its own (default: 1)"),
      Option("--for", "TIME", "stop after this time (default: when interrupted)"),
      Option("--seed", "S", "repeat the same moves as another run with this seed"),
      Option("--area", "X,Y,W,H", "where they move (default: 0,0,1200,800)"),
      Option("--clean", nil, "delete the shapes at the end"),
      Option("--ledger", nil, "print each shape's last place as a JSON line before the summary"),
      Option("--patience", "TIME", "how long all wait at the end for a server that is away or full (default: 60s)"),
      Option("--quiet", nil, "no progress on standard error"),
    ],
    examples: [
      "bot demo", "bot demo --behaviour swarm --bots 20 --for 1m", "bot load --bots 200 --rate 5 --for 1m --json",
    ]
  ) { invocation in
    let plan = try Plan(invocation)
    let tally = BotTally()
    let crowd = BotCrowd(bots(plan, invocation, tally), tally, perSecond: plan.perSecond)
    do {
      try await crowd.join(withinMilliseconds: min(30_000, plan.patience), tell: invocation.tell)
    } catch let interrupt as CancellationError {
      BotSummary.write(crowd, to: invocation)
      throw interrupt
    }
    let isQuiet = invocation.arguments.has("--quiet")
    await crowd.work(forMilliseconds: plan.duration) { if !isQuiet { BotSummary.progress($0, to: invocation.output) } }
    await crowd.finish(isCleaning: invocation.arguments.has("--clean"), patience: plan.patience)
    if invocation.arguments.has("--ledger") { BotSummary.writeLedger(crowd, to: invocation.output) }
    BotSummary.write(crowd, to: invocation)
    if let refusal = crowd.refusal { throw refusal }
    return tally.refusedCount == 0 && crowd.unansweredCount == 0 ? .success : .failed
  }

  private struct Plan {
    let room: RoomName
    let kind: BotBehaviour.Kind
    let shapes: Int
    let perSecond: Double
    let count: Int
    let duration: UInt64?
    let seed: UInt64
    let area: Rect
    let patience: UInt64

    init(_ invocation: Invocation) throws(ClientFailure) {
      let arguments = invocation.arguments
      room = try invocation.room()
      let name = arguments["--behaviour"] ?? "wander"
      guard let kind = BotBehaviour.Kind(rawValue: name) else {
        let all = BotBehaviour.Kind.allCases.map { $0.rawValue }
        let question = Suggestion.question(name, among: all)
        throw .usage("--behaviour \(name): must be one of \(all.joined(separator: ", ")).\(question)")
      }
      self.kind = kind
      shapes = try arguments.integer("--shapes", in: 1...100_000, standard: 5)
      perSecond = try arguments.number("--rate", in: 0.01...200, standard: 10)
      count = try arguments.integer("--bots", in: 1...5_000, standard: 1)
      duration = try arguments.milliseconds("--for")
      let chance = Int.random(in: 0...Int(Int32.max))
      seed = UInt64(try arguments.integer("--seed", in: 0...Int.max, standard: chance))
      area = try Plan.area(arguments["--area"])
      patience = try arguments.milliseconds("--patience") ?? 60_000
    }

    private static func area(_ text: String?) throws(ClientFailure) -> Rect {
      guard let text else { return Rect(origin: Point(x: 0, y: 0), size: Size(width: 1_200, height: 800)) }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = words.compactMap { Double($0) }
      let place = PropertyRules.coordinates
      guard words.count == 4, numbers.count == 4, place.contains(numbers[0]), place.contains(numbers[1]),
        (100...place.upperBound).contains(numbers[2]),
        (100...place.upperBound).contains(numbers[3]),
        place.contains(numbers[0] + numbers[2]), place.contains(numbers[1] + numbers[3])
      else { throw .usage("--area \(text): must be X,Y,W,H, at least 100 wide and high") }
      return Rect(origin: Point(x: numbers[0], y: numbers[1]), size: Size(width: numbers[2], height: numbers[3]))
    }
  }

  @ClientLoop
  private static func bots(_ plan: Plan, _ invocation: Invocation, _ tally: BotTally) -> [Bot] {
    let base = invocation.name?.string ?? "Bot"
    return (0..<plan.count).map { number in
      Bot(
        Text(plan.count == 1 ? base : "\(base) \(number + 1)"),
        BotBehaviour(plan.kind, shapes: plan.shapes, area: plan.area, seed: plan.seed, number: number),
        color: invocation.color,
        in: plan.room,
        on: invocation.server,
        tally
      )
    }
  }
}
