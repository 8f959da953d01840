@testable import SyncServer

/// The random settings of a history. They make histories differ: in one the disk is full every second, in another
/// never, and in a third hardly anything else happens.
struct Dice: Codable, Sendable {
  let ringBeats: UInt64
  let beatMilliseconds: UInt64
  let stateStreams: UInt64
  let operationsPerMessage: UInt64
  let operationsPerSecond: UInt64
  let messageBytes: UInt64
  let inFlightOperations: UInt64
  let presenceMilliseconds: UInt64
  /// How many people a room names because they came first. It names one more person who shows something. `nil` in
  /// stored histories that are older than this setting.
  let namedPeople: UInt64?
  let presenceBytesPerSecond: UInt64?
  let shapes: UInt64
  private(set) var erasures: UInt64
  let clockAheadMilliseconds: UInt64
  private(set) var horizonMilliseconds: UInt64
  /// The upper bound on the shapes that are pasted at once.
  let pasteMax: Int
  let tabs: Int
  let writers: Int
  /// The upper bounds, in milliseconds, on how long a step takes, and on how long a message is on its way.
  let stepMillisecondsMax: UInt64
  let delayMillisecondsMax: UInt64
  let commitMillisecondsMax: UInt64
  /// How far clocks may be off.
  private(set) var clockErrorMax: Int64
  /// How long history is kept.
  let historyMilliseconds: UInt64?
  /// How long deletions are remembered even if there are very many. Older histories don't have this.
  let erasureMilliseconds: UInt64?
  /// How many servers share the rooms of one log. Older histories have one.
  private(set) var nodes: Int?
  /// How long it takes to send a beat to everyone. `nil` for hardly any time. In a large room it takes so long that
  /// there are few beats.
  private(set) var sendingMicroseconds: UInt64?
  /// The slow line that some of the clients have. Older histories have none.
  let link: Link?
  /// How often the queue before the log is full. In older histories it never is.
  private(set) var fullQueueShare: Double?
  /// How often the log reports a record to a node only after later ones. In older histories it never does.
  private(set) var leftOutShare: Double?
  /// How many tabs there are in addition, if there is a crowd. Older histories have no crowd.
  private(set) var crowd: Int?

  /// - Parameters:
  ///   - others: a generator for settings that histories with a single node don't have.
  ///   - log: a generator for what else may happen at the log. It is a generator of its own, so that a history in which
  ///     none of that happens stays as it was before there was this setting.
  ///   - people: a generator for how many people come, for the same reason.
  init(
    using random: inout SeededGenerator,
    others: inout SeededGenerator,
    log: inout SeededGenerator,
    people: inout SeededGenerator
  ) {
    // In a bulky history, much comes at once. Limits and rates have to allow that, so many settings are not drawn.
    let isBulky = Int.random(in: 0..<160, using: &random) == 0
    // In a bulky history, a reader behind a slow line would fall off the ring.
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
      // An append may be late by some time, so the horizon has to be longer than that time.
      horizonMilliseconds = max(horizonMilliseconds, 20_000)
    }
    if link == nil { sendingMicroseconds = [nil, nil, nil, 60_000, 300_000].randomElement(using: &others)! }
    if !isBulky {
      fullQueueShare = [nil, nil, nil, 0.01, 0.1].randomElement(using: &log)!
      leftOutShare = [nil, nil, nil, 0.01, 0.05].randomElement(using: &log)!
    }
    if !isBulky, Int.random(in: 0..<40, using: &people) == 0 { crowd = Int.random(in: 8...14, using: &people) }
    guard isBulky else { return }
    // A refusal names one operation. Thousands of refusals would take as many round trips, and minutes of test time.
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

  /// How far servers' clocks may be off. If there are several nodes, their operators keep the clocks close together.
  var serverClockErrorMax: Int64 {
    nodesCount > 1 ? min(clockErrorMax, Int64(clockAheadMilliseconds / 3)) : clockErrorMax
  }

  /// Whether a backlog would show. It shows if messages and buffers are small, the room keeps many beats, and others
  /// write fast.
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
    // In a crowd, a welcome with the people's names is longer than this bound.
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
