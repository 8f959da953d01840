import CanvasCRDT
import Synchronization
import Testing
import WebSocketLoop

@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

@Suite("The hub's own bounds and clocks")
struct HubValuesTests {
  private func moment(_ milliseconds: UInt64) -> Moment {
    Moment(wallMilliseconds: RoomBench.epoch + milliseconds, monotonicMilliseconds: milliseconds)
  }

  // MARK: Snapshots

  @Test("64 snapshots are made at a time, or as many as have 200,000 shapes; one always may")
  func snapshotQuota() {
    var quota = SnapshotQuota()
    func begin(_ shapes: Int) -> Bool { quota.begin(shapes: shapes) }
    #expect(begin(1_000_000) && !begin(0))
    quota.end(shapes: 1_000_000)
    #expect((0..<65).map { _ in begin(1) } == Array(repeating: true, count: 64) + [false])
    quota.end(shapes: 1)
    #expect(begin(1) && !begin(1))
    for _ in 0..<64 { quota.end(shapes: 1) }
    #expect(begin(100_000) && !begin(100_001) && begin(100_000) && !begin(1))
    quota.end(shapes: 100_000)
    #expect(begin(1))
  }

  @Test("at the end there is time for 500 snapshots, or as many as have 500,000 shapes; an only copy is always made")
  func lastSnapshots() {
    var large = LastSnapshots()
    let taken = [500_001, 400_000, 100_001, 100_000, 1].map { large.takes(shapes: $0, isOnlyCopy: false) }
    #expect(taken == [false, true, false, true, false])
    let isTaken = large.takes(shapes: 9, isOnlyCopy: true)
    #expect(isTaken)
    var many = LastSnapshots()
    #expect((0..<600).count { _ in many.takes(shapes: 0, isOnlyCopy: false) } == 500)
    let isTakenToo = many.takes(shapes: 0, isOnlyCopy: true)
    #expect(isTakenToo)
  }

  @Test(
    "each snapshot that fails doubles the pause before the next, up to five minutes, and one that is stored ends it"
  )
  func snapshotPauses() {
    let open = OpenRoom.inTests()
    var pauses: [UInt64] = []
    for _ in 0..<11 {
      open.beginSnapshot()
      #expect(!open.snapshot.mayBegin(now: .max), "one at a time")
      open.endSnapshot(position: 1, operations: 1, isStored: false, now: 7)
      pauses.append((1...400).first { open.snapshot.mayBegin(now: 7 + $0 * 1_000) }! * 1_000)
      #expect(!open.snapshot.mayBegin(now: 7 + pauses.last! - 1))
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { $0 * 1_000 })
    open.endSnapshot(position: 1, operations: 1, isStored: true, now: 8)
    open.endSnapshot(position: 1, operations: 1, isStored: false, now: 9)
    #expect(!open.snapshot.mayBegin(now: 1_008) && open.snapshot.mayBegin(now: 1_009))
  }

  @Test("a room is idle since it was found so, and not while a job needs it")
  func idle() {
    let open = OpenRoom.inTests(isStored: false)
    #expect(open.idleTime(now: 1_000) == 0 && open.idleTime(now: 1_700) == 700)
    open.hold()
    open.hold()
    open.letLoose()
    #expect(open.idleTime(now: 1_800) == nil)
    open.letLoose()
    #expect(open.idleTime(now: 2_000) == 0 && open.idleTime(now: 2_001) == 1)
  }

  @Test("the table is full with the rooms that are being read, and gives up only a room that nobody needs")
  func table() {
    var table = RoomTable(roomsMax: 2)
    let (first, other) = (OpenRoom.inTests("a"), OpenRoom.inTests("a"))
    table.expect(first)
    #expect(table["a"] == nil && table.heeding("a") === first)
    table.add(first)
    table.expectNoLonger(first)
    #expect(table.count == 1 && !table.isFull && table.heeding("a") === first)
    table.expect()
    #expect(table.isFull)
    table.expectNoLonger()
    #expect(!table.isFull)
    table.add(.inTests("b"))
    #expect(table.isFull)
    table.remove(other)
    #expect(table["a"] === first && other.isGone)
    for open in table.all { open.hold() }
    #expect(table.dispensable == nil)
    first.letLoose()
    #expect(table.dispensable === first)
    first.beginSnapshot()
    #expect(table.dispensable == nil)
    first.endSnapshot(position: 0, operations: 0, isStored: true, now: 0)
    first.noteDamage(at: 4, isSnapshot: false)
    #expect(table.dispensable == nil)
    table.remove(first)
    #expect(table["a"] == nil && first.isGone && table.count == 1)
  }

  // MARK: Space and shares

  @Test("space counts as low below the reserve, and until a tenth more than the reserve is free")
  func reserve() {
    var configuration = Configuration()
    configuration.limits.storageReserveBytes = 1_000
    #expect(StorageReserve(configuration).directory == ".data")
    configuration.storage = .memory
    var reserve = StorageReserve(configuration)
    #expect(reserve.directory == nil)
    let changes = [1_000, 999, 0, 1_099, 1_100, 1_000, 999].map { reserve.note(freeBytes: $0) }
    #expect(changes == [nil, true, nil, nil, false, nil, true])
    #expect(reserve.isLow && reserve.freeBytes == 999)
  }

  @Test("who has used up a quota may not even delete, however full the disk is")
  func allowances() {
    var configuration = Configuration()
    configuration.limits.dayBytesPerAddress = 1_000
    configuration.limits.storageReserveBytes = 1_000
    var accounts = Accounts(configuration)
    func bound(_ address: String) -> RejectCode? {
      let payer = Payer(address: address, token: nil)
      switch accounts.allowance(of: payer, isNewRoom: false, now: 0).bound {
      case .none: return nil
      case .nothingNew(let code, _), .deletions(let code, _): return code
      }
    }
    accounts.quotas.charge(Payer(address: "a", token: nil), bytes: 2_000, rooms: 0, now: 0)
    #expect(bound("a") == .quotaExceeded && bound("b") == nil)
    _ = accounts.storage.note(freeBytes: 999)
    #expect(bound("a") == .quotaExceeded && bound("b") == .storageLow)
  }

  @Test("an address is full from its bound until at most half of that waits")
  func shares() {
    var shares = StoringShares(bytesMax: 3_000)
    func isFull(adding bytes: Int) -> Bool {
      if bytes > 0 { shares.add(bytes, of: "a") } else { shares.remove(-bytes, of: "a") }
      return shares.isFull("a")
    }
    #expect([2_999, 1, -1_499, -1, 1_499, 1, -3_000].map(isFull) == [false, true, true, false, false, true, false])
    shares.add(5_000, of: "b")
    #expect(shares.isFull("b") && !shares.isFull("a"))
  }

  @Test("a connection gets the number of one that has closed, and counts for its address and for all")
  func sessions() throws {
    var limits = Limits()
    (limits.connections, limits.connectionsPerAddress) = (3, 2)
    var sessions = Sessions(limits: limits)
    let server = VirtualServer(Configuration(), seed: 1, at: moment(0)) { hub in (MemoryLog { hub.logTold($0) }, nil) }
    server.turn(at: moment(1))
    func add(_ address: String) throws -> Int {
      let connection = try #require(server.connect(.json, to: "demo", from: address))
      return sessions.add { number in
        Session(
          connection: connection,
          room: "demo",
          address: address,
          token: nil,
          grant: .everything,
          conversation: Conversation(encoding: .json, limits: limits, now: moment(0)),
          helloTimer: Alarm()
        )
      }
    }
    #expect(try [add("192.0.2.1"), add("192.0.2.1"), add("192.0.2.2")] == [0, 1, 2])
    #expect(sessions.crowd(for: "192.0.2.3") == .server)
    sessions.remove(2)
    #expect(sessions.crowd(for: "192.0.2.1") == .address && sessions.crowd(for: "192.0.2.2") == nil)
    sessions.remove(2)
    sessions.remove(0)
    #expect(sessions.count == 1 && sessions[0] == nil && sessions.all.count == 1 && sessions[9] == nil)
    #expect(sessions.crowd(for: "192.0.2.1") == nil)
    #expect(try Set([add("192.0.2.2"), add("192.0.2.2")]) == [0, 2])
  }

  // MARK: Time

  private final class Alarm: ServerTimer {
    var isCancelled = false
    func cancel() { isCancelled = true }
  }

  @Test("there is one alarm, for the earliest time that was asked for")
  func alarms() {
    var turns = Turns()
    var alarms: [Alarm] = []
    var waits: [UInt64] = []
    func wake(at due: UInt64) {
      turns.wake(at: due, now: 100) {
        waits.append($0)
        alarms.append(Alarm())
        return alarms.last!
      }
    }
    for due: UInt64 in [150, 150, 160, 149, 90] { wake(at: due) }
    #expect(waits == [50, 49, 0] && alarms.map(\.isCancelled) == [true, true, false])
    turns.noteAlarm()
    wake(at: 200)
    #expect(waits.last == 100 && alarms.map(\.isCancelled) == [true, true, false, false])
    let number = turns.number
    turns.end()
    #expect(turns.number == number + 1)
  }

  @Test("in an iteration, readers are resumed for three milliseconds from the first of them on")
  func resuming() {
    var turns = Turns()
    let first = [7_000, 9_999, 10_000].map { turns.mayResume(at: $0) }
    turns.end()
    let next = [10_000, 12_999, 13_000].map { turns.mayResume(at: $0) }
    #expect(first == [true, true, false] && next == first)
  }

  // MARK: Verifying

  private func verification(everyMilliseconds interval: UInt64 = 1_000) -> Verification {
    var limits = Limits()
    (limits.verifyIntervalMilliseconds, limits.verifyBytesPerSecond, limits.verifyTurnMilliseconds) = (interval, 77, 5)
    return Verification(limits: limits)
  }

  private func part(_ damages: [LogError] = [], next: VerifyPlace? = nil) -> VerifiedPart {
    var part = VerifiedPart()
    (part.rooms, part.records, part.bytes, part.damages, part.next) = (2, 3, 5, damages, next)
    return part
  }

  @Test("a round goes on where it was, tries again what failed, and the next begins an interval after it began")
  func rounds() throws {
    var verification = verification()
    func asked(at milliseconds: UInt64) throws -> VerifyRequest? {
      guard let question = verification.begin(now: moment(milliseconds)) else { return nil }
      guard case .verifyPart(let request) = question.request(1) else { throw NotAsked() }
      return request
    }
    let first = try #require(try asked(at: 10))
    #expect(first.start == nil && first.bytesMax == 77 && first.microsecondsMax == 5_000)
    #expect(try asked(at: 20) == nil, "one at a time")
    let place = VerifyPlace(room: 4, stage: .end, roomMax: 9)
    #expect(verification.took(part(next: place)) == nil && verification.verifiedMilliseconds == nil)
    #expect(try asked(at: 2_000)?.start == place)
    verification.failed()
    #expect(try asked(at: 3_000)?.start == place)
    let ended = verification.took(part())
    let round = try #require(ended)
    #expect(round.rooms == 4 && round.records == 6 && round.bytes == 10 && round.damagedCount == 0)
    #expect(verification.rooms == 4 && verification.bytes == 10)
    #expect(verification.verifiedMilliseconds == RoomBench.epoch + 10)
    #expect(try asked(at: 1_009) == nil)
    let next = try #require(try asked(at: 1_010))
    #expect(next.start == nil)
    #expect(verification.took(part())?.rooms == 2 && verification.rooms == 6)
  }

  @Test("nothing is verified where the interval is 0")
  func noRounds() {
    var verification = verification(everyMilliseconds: 0)
    #expect(verification.begin(now: moment(1)) == nil)
  }

  @Test("a round counts each damaged room once, and names the first twenty")
  func damagedRooms() throws {
    var verification = verification()
    let place = VerifyPlace(room: 4, stage: .end, roomMax: 9)
    for number in 1...22 {
      let isBegun = verification.begin(now: moment(UInt64(number))) != nil
      #expect(isBegun)
      let damages = [
        LogError.damaged(room: "room \(number)", position: 1), .damagedSnapshot(room: "room \(number)", position: 2),
      ]
      #expect(verification.took(part(damages, next: place)) == nil)
    }
    _ = verification.begin(now: moment(30))
    let ended = verification.took(part([.damagedSnapshot(room: "room 22", position: 3)]))
    let round = try #require(ended)
    #expect(round.damagedCount == 22)
    #expect(round.damaged == (1...20).map { "room \($0)" })
  }

  private struct NotAsked: Error {}

  // MARK: The log

  /// A log that keeps what it is sent.
  private final class Sent: RoomLog {
    let requests = Mutex<[[LogRequest]]>([])
    func submit(_ requests: [LogRequest]) { self.requests.withLock { $0.append(requests) } }
    func statistics() -> LogStatistics { LogStatistics() }
    func close() {}
  }

  private func append(to desk: inout LogDesk, arrivedAt: UInt64 = 0) -> UInt64 {
    let number = desk.nextNumber()
    let payer = Payer(address: "192.0.2.1", token: nil)
    desk.append(
      LogDesk.Append(
        room: .inTests(),
        batch: number,
        parts: [],
        charge: Hub.Charge(payer: payer, bytes: 10, rooms: 0),
        arrivedAt: arrivedAt
      ),
      number: number,
      AppendRequest(id: number, room: "demo", epoch: 1, mayCreate: true, milliseconds: 0, records: [])
    )
    return number
  }

  @Test("what is to be stored goes to the log once a beat, or as soon as 1,024 wait; all else goes at once, with it")
  func gathering() {
    var desk = LogDesk(beatMilliseconds: 10)
    let log = Sent()
    desk.use(log)
    func end(at now: UInt64) -> UInt64? {
      if case .waits(let until) = desk.endTurn(now: { now }) { until } else { nil }
    }
    var sent: [Int] { log.requests.withLock { $0.map(\.count) } }
    #expect(end(at: 100) == nil && sent == [])
    _ = append(to: &desk)
    #expect(end(at: 100) == nil && sent == [1])
    _ = append(to: &desk)
    #expect(end(at: 109) == 110 && sent == [1])
    #expect(end(at: 110) == nil && sent == [1, 1])
    _ = append(to: &desk)
    desk.unfollow("demo")
    #expect(end(at: 111) == nil && sent == [1, 1, 2])
    for _ in 0..<1_023 { _ = append(to: &desk) }
    #expect(end(at: 112) == 121 && sent.count == 3)
    _ = append(to: &desk)
    #expect(end(at: 112) == nil && sent.last == 1_024)
  }

  @Test("what has waited longest for the log is known, in whatever order the log answers")
  func oldest() {
    var desk = LogDesk(beatMilliseconds: 10)
    desk.shares = StoringShares(bytesMax: 30)
    #expect(desk.oldestArrival == nil && desk.isClear)
    let numbers = (1...3).map { append(to: &desk, arrivedAt: UInt64($0) * 100) }
    #expect(desk.oldestArrival == 100 && desk.shares.isFull("192.0.2.1"))
    #expect(desk.takeAppend(numbers[1])?.arrivedAt == 200 && desk.oldestArrival == 100)
    #expect(desk.takeAppend(numbers[1]) == nil)
    #expect(desk.takeAppend(numbers[0])?.arrivedAt == 100 && desk.oldestArrival == 300)
    #expect(!desk.shares.isFull("192.0.2.1"))
    #expect(desk.takeAppend(numbers[2])?.arrivedAt == 300 && desk.oldestArrival == nil)
    desk.use(Sent())
    #expect(!desk.isClear, "requests wait to be sent")
    _ = desk.endTurn { 100 }
    #expect(desk.isClear)
    desk.unfollow("demo")
    _ = append(to: &desk, arrivedAt: 400)
    #expect(desk.oldestArrival == 400 && !desk.isClear)
  }
}
