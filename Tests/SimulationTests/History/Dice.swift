@testable import SyncServer

/// The random settings of one history, such as how often the disk is full. They make histories differ widely from each
/// other.
struct Dice: Codable, Sendable {
  let ringBeats: UInt64
  let beatMilliseconds: UInt64
  let stateStreams: UInt64
  let operationsPerMessage: UInt64
  let operationsPerSecond: UInt64
  let messageBytes: UInt64
  let inFlightOperations: UInt64
  let presenceMilliseconds: UInt64
  /// How many people a room lists by name, in order of arrival. `nil` in stored histories that are older than this
  /// setting.
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
  /// The longest time between two steps, and the longest delivery time of a message.
  let stepMillisecondsMax: UInt64
  let delayMillisecondsMax: UInt64
  let commitMillisecondsMax: UInt64
  /// The largest error of a clock.
  private(set) var clockErrorMax: Int64
  /// How long the room keeps its history.
  let historyMilliseconds: UInt64?
  /// How long the room keeps erasures even if there are very many. `nil` in stored histories that are older than this
  /// setting.
  let erasureMilliseconds: UInt64?
  /// How many servers share one log. `nil` (one server) in stored histories that are older than this setting.
  private(set) var nodes: Int?
  /// How long the server takes to send a broadcast to all members. `nil` means hardly any time. In a large room it
  /// takes so long that broadcasts are rare.
  private(set) var sendingMicroseconds: UInt64?
  /// The slow network link of some clients. `nil` in stored histories that are older than this setting.
  let link: Link?
  /// How often the log's queue of requests is full. `nil` (never) in stored histories that are older than this setting.
  private(set) var fullQueueShare: Double?
  /// The share of records that the log reports to a node only after later records. `nil` (none) in stored histories
  /// that are older than this setting.
  private(set) var leftOutShare: Double?
  /// How long the server takes for each record that the log reports. `nil` means hardly any time. Otherwise several
  /// records take it several iterations of its event loop.
  private(set) var recordMicroseconds: UInt64?
  /// How many extra tabs make up a crowd. `nil` if the history has no crowd.
  private(set) var crowd: Int?

  /// - Parameters:
  ///   - others: draws the settings that only histories with several nodes have.
  ///   - log: draws further faults of the log. It is a separate generator, so that histories without these faults draw
  ///     the same numbers as before the faults were added.
  ///   - people: draws how many people come. It is separate for the same reason.
  init(
    using random: inout SeededGenerator,
    others: inout SeededGenerator,
    log: inout SeededGenerator,
    people: inout SeededGenerator
  ) {
    // A bulky history sends very many operations at once. Low random limits would refuse most of them, so such a
    // history has many fixed limits.
    let isBulky = Int.random(in: 0..<160, using: &random) == 0
    // A bulky history has no slow network links. A client behind one would lag so far that the broadcasts it needs are
    // no longer buffered.
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
      // With several nodes, an append may be delayed for seconds. The horizon, which is the greatest age of an accepted
      // stamp, has to be longer than that.
      horizonMilliseconds = max(horizonMilliseconds, 20_000)
    }
    if link == nil { sendingMicroseconds = [nil, nil, nil, 60_000, 300_000].randomElement(using: &others)! }
    if !isBulky {
      fullQueueShare = [nil, nil, nil, 0.01, 0.1].randomElement(using: &log)!
      leftOutShare = [nil, nil, nil, 0.01, 0.05].randomElement(using: &log)!
      recordMicroseconds = [nil, nil, nil, 1_500].randomElement(using: &log)!
    }
    if !isBulky, Int.random(in: 0..<40, using: &people) == 0 { crowd = Int.random(in: 8...14, using: &people) }
    guard isBulky else { return }
    // A low limit on erasures would refuse thousands of operations, one per round trip. That would take minutes of test
    // time.
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

  /// The largest error of a server's clock. With several nodes it is small, because operators keep their clocks close
  /// together.
  var serverClockErrorMax: Int64 {
    nodesCount > 1 ? min(clockErrorMax, Int64(clockAheadMilliseconds / 3)) : clockErrorMax
  }

  /// Whether a client behind a slow network link would visibly lag. It does if messages and buffers are small, the room
  /// buffers many broadcasts, and others write fast.
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
    // In a crowd, this limit is shorter than a `welcome` message, which lists the people. So the limit is exceeded and
    // tested.
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
