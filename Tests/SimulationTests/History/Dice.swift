@testable import SyncServer

/// The random settings of a history: one has a full disk every second, another never, a third hardly anything else.
struct Dice: Codable, Sendable {
  let ringBeats: UInt64
  let beatMilliseconds: UInt64
  let stateStreams: UInt64
  let operationsPerMessage: UInt64
  let operationsPerSecond: UInt64
  let messageBytes: UInt64
  let inFlightOperations: UInt64
  let presenceMilliseconds: UInt64
  /// How many people are told by name; one more if they show something. A history from before has none.
  let namedPeople: UInt64?
  let presenceBytesPerSecond: UInt64?
  let shapes: UInt64
  private(set) var erasures: UInt64
  let clockAheadMilliseconds: UInt64
  private(set) var horizonMilliseconds: UInt64
  /// How many shapes come at once at most.
  let pasteMax: Int
  let tabs: Int
  let writers: Int
  /// How long a step takes, and a message on its way, in milliseconds.
  let stepMillisecondsMax: UInt64
  let delayMillisecondsMax: UInt64
  let commitMillisecondsMax: UInt64
  /// How wrong clocks are.
  private(set) var clockErrorMax: Int64
  /// For how long history is kept.
  let historyMilliseconds: UInt64?
  /// For how long deletions are remembered however many there are. Older histories don't have it.
  let erasureMilliseconds: UInt64?
  /// How many servers have the rooms of one log. Older histories have one.
  private(set) var nodes: Int?
  /// How long it takes to send a beat to everyone. `nil` for next to nothing; in a large room it takes so long that beats are seldom.
  private(set) var sendingMicroseconds: UInt64?
  /// The thin line that some of them sit behind. Older histories don't have one.
  let link: Link?
  /// How often the queue before the log is found to be full. Older histories have a log that takes everything.
  private(set) var fullQueueShare: Double?
  /// How often the log tells a node of a record only after later ones. Older histories have none of that.
  private(set) var leftOutShare: Double?
  /// How many more tabs there are, in a crowd. Older histories have none.
  private(set) var crowd: Int?

  /// - Parameters:
  ///   - others: draws what histories of a single node know nothing of.
  ///   - log: draws what else the log may do. So a history in which it does nothing of that is what it was before.
  ///   - people: draws how many come, in the same way.
  init(
    using random: inout SeededGenerator,
    others: inout SeededGenerator,
    log: inout SeededGenerator,
    people: inout SeededGenerator
  ) {
    // Where much comes at once, limits and rates allow it, and little else is drawn.
    let isBulky = Int.random(in: 0..<160, using: &random) == 0
    // A reader behind a thin line must not be as far behind as a ring is long.
    link = isBulky ? nil : Dice.link(using: &random)
    ringBeats = link == nil ? UInt64.random(in: 1...12, using: &random) : [3, 30, 300].randomElement(using: &random)!
    beatMilliseconds = UInt64.random(in: 0...8, using: &random)
    stateStreams = UInt64.random(in: 1...4, using: &random)
    operationsPerMessage = isBulky ? 64 : [1, 2, 5, 8, 64].randomElement(using: &random)!
    operationsPerSecond = isBulky ? 2_000 : UInt64.random(in: 20...400, using: &random)
    messageBytes = [2_048, 4_096, 16_384].randomElement(using: &random)!
    inFlightOperations = [4, 16, 64].randomElement(using: &random)!
    presenceMilliseconds = [0, 30, 400].randomElement(using: &random)!
    namedPeople = [nil, 1, 2, 3].randomElement(using: &random)!
    presenceBytesPerSecond = [nil, 200, 2_000].randomElement(using: &random)!
    shapes = isBulky ? 3_000 : [1, 3, 6, 12, 30, 100].randomElement(using: &random)!
    erasures = [3, 10, 100, 1_000_000].randomElement(using: &random)!
    clockAheadMilliseconds = [1_000, 60_000].randomElement(using: &random)!
    horizonMilliseconds = [2_000, 20_000, 2_592_000_000].randomElement(using: &random)!
    pasteMax = isBulky ? 1_300 : 40
    tabs = Int.random(in: 1...(isBulky ? 2 : 4), using: &random)
    writers = Int.random(in: 0...2, using: &random)
    stepMillisecondsMax = [5, 25, 150].randomElement(using: &random)!
    delayMillisecondsMax = [1, 15, 120].randomElement(using: &random)!
    commitMillisecondsMax = [1, 12, 80].randomElement(using: &random)!
    clockErrorMax = [0, 900, 600_000].randomElement(using: &random)!
    historyMilliseconds = [nil, 500, 5_000].randomElement(using: &random)!
    erasureMilliseconds = [nil, 100, 1_000].randomElement(using: &random)!
    if !isBulky, link == nil, Int.random(in: 0..<3, using: &others) == 0 {
      nodes = Int.random(in: 2...3, using: &others)
      // The horizon has to be longer than a late append may take.
      horizonMilliseconds = max(horizonMilliseconds, 20_000)
    }
    if link == nil { sendingMicroseconds = [nil, nil, nil, 60_000, 300_000].randomElement(using: &others)! }
    if !isBulky {
      fullQueueShare = [nil, nil, nil, 0.01, 0.1].randomElement(using: &log)!
      leftOutShare = [nil, nil, nil, 0.01, 0.05].randomElement(using: &log)!
    }
    if !isBulky, Int.random(in: 0..<40, using: &people) == 0 { crowd = Int.random(in: 8...14, using: &people) }
    guard isBulky else { return }
    // A refusal names one operation. To refuse thousands takes as many round trips, and minutes here.
    erasures = 1_000_000
    horizonMilliseconds = 2_592_000_000
    clockErrorMax = min(clockErrorMax, 900)
  }

  private static func link(using random: inout SeededGenerator) -> Link? {
    guard Int.random(in: 0..<4, using: &random) == 0 else { return nil }
    return Link(
      bytesPerSecond: [1_000, 8_000, 32_000].randomElement(using: &random)!,
      delayMilliseconds: [0, 20, 150].randomElement(using: &random)!
    )
  }

  var nodesCount: Int { nodes ?? 1 }

  /// How wrong servers' clocks are. Those of several nodes are kept together by their operators.
  var serverClockErrorMax: Int64 {
    nodesCount > 1 ? min(clockErrorMax, Int64(clockAheadMilliseconds / 3)) : clockErrorMax
  }

  /// Whether a backlog would show: everything fits into little, the room keeps many beats, and others write fast.
  var suitsThinLines: Bool {
    shapes <= 6 && ringBeats >= 300 && tabs >= 2 && operationsPerSecond >= 100 && delayMillisecondsMax <= 15
      && commitMillisecondsMax <= 12
  }

  var limits: Limits {
    var limits = Limits()
    limits.ringBeats = ringBeats
    limits.beatMilliseconds = beatMilliseconds
    limits.stateStreams = stateStreams
    limits.operationsPerMessage = operationsPerMessage
    limits.operationsPerSecond = operationsPerSecond
    limits.messageBytes = messageBytes
    // A welcome that names a crowd is longer than this.
    limits.waitingAnswerBytes = crowd == nil ? 1_024 : 256
    limits.inFlightOperations = inFlightOperations
    limits.presenceMilliseconds = presenceMilliseconds
    if let namedPeople {
      limits.namedPeople = namedPeople
      limits.showingPeople = namedPeople + 1
    }
    if let presenceBytesPerSecond { limits.presenceBytesPerSecond = presenceBytesPerSecond }
    limits.shapes = shapes
    limits.erasures = erasures
    limits.clockAheadMilliseconds = clockAheadMilliseconds
    limits.horizonMilliseconds = horizonMilliseconds
    if let erasureMilliseconds { limits.erasureMilliseconds = erasureMilliseconds }
    return limits
  }
}

extension Dice: CustomStringConvertible {
  var description: String {
    """
    \(nodesCount > 1 ? "\(nodesCount) nodes, " : "")\(tabs + (crowd ?? 0)) tabs and \(writers) writers; at most \(shapes) shapes, \(erasures) deletions remembered, \
    \(operationsPerMessage) operations and \(messageBytes) bytes a message, \(operationsPerSecond) a second; a ring of \
    \(ringBeats) beats of \(beatMilliseconds) ms; messages take up to \(delayMillisecondsMax) ms, commits \
    \(commitMillisecondsMax) ms\(link.map { "; some sit behind \($0.bytesPerSecond) bytes a second, \($0.delayMilliseconds) ms away" } ?? ""); clocks are wrong by up to \(clockErrorMax) ms, and may be ahead by \
    \(clockAheadMilliseconds) ms; deletions and history are kept for \(horizonMilliseconds) and \
    \(historyMilliseconds.map { "\($0)" } ?? "any number of") ms.\
    \(fullQueueShare.map { " The queue before the log is full at \($0) of all batches." } ?? "")\
    \(leftOutShare.map { " Of \($0) of all records somebody is told only after later ones." } ?? "")
    """
  }
}
