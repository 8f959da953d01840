import CanvasCRDT
import RoomLog

/// Reads everything that is stored, round after round, and compares it with its checksums, to find damage before
/// somebody needs the room.
///
/// What always holds: at most one part is being checked, and at most one begins in a second. The first round begins
/// when the server starts. Each later round begins a set time after the previous round began. A part that fails is
/// tried again.
struct Verification {
  private let limits: Limits
  private var place: VerifyPlace?
  private var isUnderWay = false
  private var round: Round?
  /// When the newest round began, on the monotonic clock.
  private var beganAt: UInt64?
  /// When the newest finished round began. Everything stored by then has been verified. `nil` until the first round has
  /// ended.
  private(set) var verifiedMilliseconds: UInt64?
  private(set) var rooms: UInt64 = 0
  private(set) var bytes: UInt64 = 0

  /// The results of this round so far.
  struct Round {
    let began: Moment
    var rooms = 0
    var records = 0
    var bytes = 0
    /// The names of damaged rooms, at most as many as fit into one log line.
    var damaged: [String] = []
    var damagedCount = 0
    /// The newest damaged room. All damages of a room come one after another.
    fileprivate var lastDamaged: String?

    static let namesMax = 20
  }

  init(limits: Limits) { self.limits = limits }

  /// The next part, if one is due. It counts as under way until `took` or `failed` is called.
  mutating func begin(now: Moment) -> LogQuestion<VerifiedPart>? {
    guard limits.verifyIntervalMilliseconds > 0, !isUnderWay else { return nil }
    if round == nil {
      if let beganAt, now.monotonicMilliseconds - beganAt < limits.verifyIntervalMilliseconds { return nil }
      beganAt = now.monotonicMilliseconds
      round = Round(began: now)
      place = nil
    }
    isUnderWay = true
    return .verifyPart(
      from: place,
      bytesMax: Int(clamping: limits.verifyBytesPerSecond),
      microsecondsMax: limits.verifyTurnMilliseconds * 1_000
    )
  }

  mutating func failed() { isUnderWay = false }

  /// Takes in what the log has found in one part of a verification round.
  /// - Returns: the results of the whole round, if this part was its last one.
  mutating func took(_ part: VerifiedPart) -> Round? {
    isUnderWay = false
    rooms += UInt64(part.rooms)
    bytes += UInt64(part.bytes)
    place = part.next
    round?.add(part)
    guard part.next == nil, let ended = round else { return nil }
    round = nil
    verifiedMilliseconds = ended.began.wallMilliseconds
    return ended
  }
}

extension Verification.Round {
  fileprivate mutating func add(_ part: VerifiedPart) {
    rooms += part.rooms
    records += part.records
    bytes += part.bytes
    for case let room? in part.damages.map(\.damagedRoom) where room != lastDamaged {
      lastDamaged = room
      damagedCount += 1
      if damaged.count < Self.namesMax { damaged.append(room) }
    }
  }
}

extension Hub {
  /// Asks the log to verify the next part of what it has stored, on its reading thread.
  func verifySome(now: Moment) {
    guard log.fault == nil, let question = verification.begin(now: now) else { return }
    job {
      do throws(LogError) {
        let part = try await ask(question)
        for damage in part.damages { found(damage) }
        if let round = verification.took(part) { tell(round) }
      } catch {
        verification.failed()
        logger.warning("verifying what is stored failed", ["reason": .text("\(error)")])
      }
    }
  }

  func found(_ damage: LogError) {
    logger.error("\(damage)", ["room": .text(damage.damagedRoom ?? "")])
    // The state of an open room is sound, because it was not read from the damaged bytes. A snapshot of it replaces
    // them.
    guard let name = damage.damagedRoom, let open = rooms[name] else { return }
    switch damage {
    case .damaged(_, let position) where position > 0: open.noteDamage(at: position, isSnapshot: false)
    case .damagedSnapshot(_, let position): open.noteDamage(at: position, isSnapshot: true)
    default: return
    }
    if open.isWorthSnapshot { snapshot(open) }
  }

  private func tell(_ round: Verification.Round) {
    let milliseconds = clocks.steadyMilliseconds - round.began.monotonicMilliseconds
    logger.info(
      "verified all rooms",
      [
        "rooms": .init(round.rooms), "records": .init(round.records), "bytes": .init(round.bytes),
        "damaged": .init(round.damagedCount), "seconds": .init(milliseconds / 1_000),
      ]
    )
    if round.damagedCount > 0 {
      // `log repair` refuses databases.
      let isInDirectory = log.statistics?.directory != nil
      let advice = isInDirectory ? "see SyncServer log repair" : "see docs/OPERATING.md, Damaged rooms"
      logger.error(
        "\(round.damagedCount == 1 ? "a room is" : "\(round.damagedCount) rooms are") damaged; \(advice)",
        ["rooms": .text(round.damaged.joined(separator: " "))]
      )
    }
  }
}
