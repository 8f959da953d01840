@testable import SyncServer

/// What a history is made of, drawn anew for each: one has a full disk every second, another none, a third hardly anything
/// else.
struct Dice: Sendable {
  var limits = Limits()
  let tabs: Int
  let writers: Int
  let weights: [(event: Event, weight: Double)]
  /// How long a step takes, and a message on its way, in milliseconds.
  let stepMillisecondsMax: UInt64
  let delayMillisecondsMax: UInt64
  let commitMillisecondsMax: UInt64
  /// How wrong clocks are.
  let clockErrorMax: Int64
  /// For how long history is kept.
  let historyMilliseconds: UInt64?

  init(using random: inout SeededGenerator) {
    limits.ringBeats = UInt64.random(in: 1...12, using: &random)
    limits.beatMilliseconds = UInt64.random(in: 0...8, using: &random)
    limits.stateStreams = UInt64.random(in: 1...4, using: &random)
    limits.operationsPerMessage = [1, 2, 5, 8, 64].randomElement(using: &random)!
    limits.operationsPerSecond = UInt64.random(in: 20...400, using: &random)
    limits.messageBytes = 16_384
    limits.shapes = [1, 3, 6, 12, 30, 100].randomElement(using: &random)!
    limits.erasures = [10, 100, 1_000_000].randomElement(using: &random)!
    limits.letterBytes = 1_024
    limits.inFlightOperations = 16
    limits.clockAheadMilliseconds = [1_000, 60_000].randomElement(using: &random)!
    limits.horizonMilliseconds = [20_000, 2_592_000_000].randomElement(using: &random)!
    tabs = Int.random(in: 1...4, using: &random)
    writers = Int.random(in: 0...2, using: &random)
    stepMillisecondsMax = [5, 25, 150].randomElement(using: &random)!
    delayMillisecondsMax = [1, 15, 120].randomElement(using: &random)!
    commitMillisecondsMax = [1, 12, 80].randomElement(using: &random)!
    clockErrorMax = [0, 900, 600_000].randomElement(using: &random)!
    historyMilliseconds = [nil, 500, 5_000].randomElement(using: &random)!
    var weights: [(event: Event, weight: Double)] = []
    for event in Event.allCases {
      let factor = [0, 0.3, 1, 1, 3].randomElement(using: &random)!
      weights.append((event, event.weight * factor))
    }
    weights.append((.change, 1))
    self.weights = weights
  }
}

extension Dice: CustomStringConvertible {
  var description: String {
    """
    \(tabs) tabs and \(writers) writers; at most \(limits.shapes) shapes, \(limits.erasures) deletions remembered, \
    \(limits.operationsPerMessage) operations a message, \(limits.operationsPerSecond) a second; a ring of \
    \(limits.ringBeats) beats of \(limits.beatMilliseconds) ms; messages take up to \(delayMillisecondsMax) ms, commits \
    \(commitMillisecondsMax) ms; clocks are wrong by up to \(clockErrorMax) ms, and may be ahead by \
    \(limits.clockAheadMilliseconds) ms; deletions and history are kept for \(limits.horizonMilliseconds) and \
    \(historyMilliseconds.map { "\($0)" } ?? "any number of") ms.
    """
  }
}
