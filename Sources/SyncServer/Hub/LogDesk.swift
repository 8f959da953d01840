import CanvasCRDT
import RoomLog

/// Sends requests to the log, and keeps the jobs and batches that wait for its answers.
///
/// What always holds:
/// - Each request has a number of its own, and each job that waits for an answer gets exactly one.
/// - A batch is in `appends` from the time when a room asks to store it until the log has answered, even if the room is
///   gone by then: what was charged for the batch is given back if it isn't stored.
/// - A request that changes the log waits here no longer than a beat, which is the shortest time between two broadcasts
///   of a room.
struct LogDesk {
  private let beatMilliseconds: UInt64
  private var log: (any RoomLog)?
  /// Whether the log is open, so that rooms can be opened.
  private(set) var isOpen = false
  /// Why the log isn't open yet. `nil` if the log is open, or has not reported why it isn't.
  private(set) var openingFault: StorageFault?
  private var lastNumber: UInt64 = 0
  /// Requests that will be sent to the log at the end of an iteration of the event loop.
  private var requests: [LogRequest] = []
  /// When something was last sent to the log, on the monotonic clock.
  private var submittedAt: UInt64 = 0
  private(set) var appends: [UInt64: Append] = [:]
  /// The lowest number in `appends`, if there is any.
  private var oldestAppend: UInt64 = 1
  var shares = StoringShares()
  /// How many layouts (shapes of one HTTP request) have been admitted and are being encoded for the log.
  var layoutsUnderWay = 0
  /// Jobs that wait for an answer of the log, by the request's number.
  private var waiters: [UInt64: CheckedContinuation<LogEvent, Never>] = [:]
  /// Why the log can't be written now. `nil` if it can.
  private(set) var fault: StorageFault?
  /// Why rooms can't be read or followed now. `nil` if they can.
  private(set) var readingFault: StorageFault?
  /// When history was last trimmed, on the monotonic clock.
  private var retainedAt: UInt64?

  /// A batch that the log has got and has not answered yet.
  struct Append {
    let room: OpenRoom
    let batch: UInt64
    /// The operations of each record of the batch.
    let parts: [StoredOperations]
    let charge: Hub.Charge?
    let arrivedAt: UInt64
  }

  init(beatMilliseconds: UInt64) { self.beatMilliseconds = beatMilliseconds }

  mutating func use(_ log: any RoomLog) { self.log = log }
  mutating func noteWaiting(_ fault: StorageFault) { openingFault = fault }
  mutating func noteOpen() { isOpen = true }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Requests

  // These requests need no answer. A question goes through `Hub.ask`, whose answer must be used.

  /// The log need not report on this room any more, because it is closed here. If the request fails, further reports
  /// are ignored.
  mutating func unfollow(_ room: String) { requests.append(.unfollow(id: nextNumber(), room: room)) }

  /// The room has applied what the log has reported of it, so the log reports more. If the request fails, the room was
  /// closed, or the log reports more anyway.
  mutating func resume(_ room: String) { requests.append(.resume(id: nextNumber(), room: room)) }

  /// Stores a snapshot, with which a room opens more quickly. If that fails, nothing is lost, because the log has all
  /// records.
  mutating func store(_ snapshot: SnapshotRequest) {
    var snapshot = snapshot
    snapshot.id = nextNumber()
    requests.append(.snapshot(snapshot))
  }

  mutating func ask(_ request: LogRequest, number: UInt64, _ waiter: CheckedContinuation<LogEvent, Never>) {
    waiters[number] = waiter
    requests.append(request)
  }

  /// Hands an answer of the log to the job that waits for it, if one does.
  mutating func answer(_ number: UInt64, with event: LogEvent) {
    waiters.removeValue(forKey: number)?.resume(returning: event)
  }

  mutating func append(_ append: Append, number: UInt64, _ request: AppendRequest) {
    if appends.isEmpty { oldestAppend = number }
    appends[number] = append
    if let charge = append.charge { shares.add(charge.bytes, of: charge.payer.address) }
    requests.append(.append(request))
  }

  /// Removes and returns the batch that the log has answered.
  mutating func takeAppend(_ number: UInt64) -> Append? {
    let append = appends.removeValue(forKey: number)
    // Each number is passed once, and not all of them when somebody asks.
    if number == oldestAppend {
      while oldestAppend <= lastNumber, appends[oldestAppend] == nil { oldestAppend += 1 }
    }
    if let charge = append?.charge { shares.remove(charge.bytes, of: charge.payer.address) }
    return append
  }

  /// The numbers of a room's batches that the log has not answered.
  func appendsUnderWay(in open: OpenRoom) -> [UInt64] { appends.filter { $0.value.room === open }.map(\.key) }

  /// When the batch arrived that has waited longest for the log's answer, on the clock of `arrivedAt`. `nil` if none waits.
  var oldestArrival: UInt64? { appends[oldestAppend]?.arrivedAt }

  /// - Parameter fault: why the log can't be written from now on, or `nil` if it can.
  mutating func note(_ fault: StorageFault?) { self.fault = fault }

  /// - Parameter fault: why rooms can't be read or followed from now on, or `nil` if they can.
  mutating func noteReading(_ fault: StorageFault?) { readingFault = fault }

  // MARK: Sending to the log

  /// Whether the gathered requests were sent to the log.
  enum Submission {
    case nothing
    /// An append waits until a beat (the shortest time between two broadcasts) has passed since the last commit,
    /// because a commit costs as much for one operation as for a hundred. The caller has to wake the event loop at
    /// `until`.
    case waits(until: UInt64)
  }

  /// Sends the gathered requests to the log, if one of them is not an append, or if `beatMilliseconds` have passed
  /// since requests were last sent.
  mutating func endTurn(now: () -> UInt64) -> Submission {
    guard !requests.isEmpty else { return .nothing }
    let now = now()
    let due = submittedAt + beatMilliseconds
    if now < due, requests.count < LogDesk.gatheredRequestsMax, requests.allSatisfy(\.isAppend) {
      return .waits(until: due)
    }
    submittedAt = now
    submit()
    return .nothing
  }

  /// If this many requests have been gathered, they are sent even before `beatMilliseconds` have passed.
  private static let gatheredRequestsMax = 1_024

  private mutating func submit() {
    let submitted = requests
    requests.removeAll(keepingCapacity: true)
    log?.submit(submitted)
  }

  /// Every ten minutes, asks the log to drop history that is too old.
  mutating func retain(now: Moment) {
    if let retainedAt, now.monotonicMilliseconds < retainedAt + 600_000 { return }
    retainedAt = now.monotonicMilliseconds
    requests.append(.retain(id: nextNumber(), milliseconds: now.wallMilliseconds))
  }

  /// Whether nothing waits to be stored.
  var isClear: Bool { appends.isEmpty && requests.isEmpty && layoutsUnderWay == 0 }

  var statistics: LogStatistics? { log?.statistics() }

  mutating func close() {
    submit()
    log?.close()
  }
}
