import Testing

@testable import RoomLog

/// What a node of a log in PostgreSQL decides without asking the database.
@Suite("A node's decisions")
struct PostgresDecisionsTests {
  // MARK: Hosts

  private func words(_ turn: HostTurns.Turn) -> String {
    switch turn {
    case .connect(let host, let place): "\(host?.name ?? "any") at \(place ?? "its name")"
    case .lookUp(let host): "look up \(host.name)"
    }
  }

  @Test("hosts are tried in turn, each at all its addresses, and after one that was of use the next")
  func hosts() {
    var turns = HostTurns([
      .init(name: "a", port: "1"), .init(name: "127.0.0.1", port: "2"),
      .init(name: "c", port: "3", address: "10.0.0.3"),
    ])
    #expect(turns.isAllTried)
    for _ in 0..<2 {
      #expect(words(turns.takeTurn()) == "look up a")
      #expect(turns.take(["10.0.0.1", "10.0.0.2"]) == "10.0.0.1" && !turns.isAllTried)
      #expect(words(turns.takeTurn()) == "a at 10.0.0.2" && turns.host?.name == "a" && !turns.isAllTried)
      #expect(words(turns.takeTurn()) == "127.0.0.1 at its name" && !turns.isAllTried)
      #expect(words(turns.takeTurn()) == "c at 10.0.0.3" && turns.isAllTried)
    }
    _ = turns.takeTurn()
    _ = turns.take(["10.0.0.1", "10.0.0.2"])
    turns.wasOfUse()
    #expect(words(turns.takeTurn()) == "127.0.0.1 at its name")
    var one = HostTurns([.init(name: "a", port: "1")])
    _ = one.takeTurn()
    #expect(one.take(["10.0.0.1", "10.0.0.2"]) == "10.0.0.1" && !one.isAllTried)
    #expect(words(one.takeTurn()) == "a at 10.0.0.2" && one.isAllTried)
    var none = HostTurns([])
    #expect(words(none.takeTurn()) == "any at its name" && none.isAllTried && none.host == nil)
  }

  @Test("a database can't be used if all hosts of a round are unfit, and not for one of them")
  func unfitHosts() {
    var turns = HostTurns([.init(name: "::1", port: "1"), .init(name: "::2", port: "2")])
    let (unfit, away) = (StorageFault.unfit("wrong"), StorageFault.database("gone"))
    let told = [unfit, away, unfit, unfit, away, unfit].map { fault in
      _ = turns.takeTurn()
      turns.noteFailure(fault)
      return turns.areAllUnfit
    }
    #expect(told == [false, false, false, true, false, false])
    var one = HostTurns([.init(name: "::1", port: "1")])
    _ = one.takeTurn()
    one.noteFailure(unfit)
    #expect(one.areAllUnfit)
  }

  @Test("a database is named by its hosts and its name, never by its password")
  func names() {
    for (url, name, hasPassword) in [
      (
        "user:secret@localhost:7,127.0.0.1/canvas?sslmode=require", "at localhost:7,127.0.0.1:5432, database canvas",
        true
      ),
      ("user@localhost/canvas?password=secret", "at localhost, database canvas", true),
      ("user@localhost:7", "at localhost:7, database of the user", false),
      ("[::1]:7,[::1]/a%2Fb", "at ::1:7,::1:5432, database a/b", false),
      ("localhost/a%2F", "at localhost, database a/", false),
      ("%2Fvar%2Frun/canvas?dbname=other", "at /var/run, database other", false), ("/", "database of the user", false),
      ("/canvas?host=localhost,127.0.0.1&port=7", "at localhost:7,127.0.0.1:7, database canvas", false),
    ] {
      let address = PostgresAddress("postgresql://\(url)")
      #expect(address.description == "PostgreSQL \(name)" && address.hasPassword == hasPassword, "\(url)")
    }
  }

  @Test("what looks like a database's address and isn't written as one is told from a directory")
  func mistakes() {
    for text in [
      "PostgreSQL://localhost", " postgres://localhost", "mysql://localhost", "host=localhost user=canvas",
      "'dbname=canvas'",
      "user=canvas", "a password=b", "postgres:u:secret@h", "postgresql:/u:secret@h/d", "postgresql//u:secret@h/d",
    ] { #expect(PostgresAddress.mistake(in: text) != nil, "\(text)") }
    for text in [
      "postgresql://localhost", "postgres://localhost", "memory", "/var/lib/canvas", "data=here", "hosts",
      "postgres/canvas",
    ] {
      #expect(PostgresAddress.mistake(in: text) == nil, "\(text)")
    }
  }

  @Test("a fault ends the log where only an operator can mend it, and is waited for where it may pass")
  func faults() {
    let address = PostgresAddress("postgresql://localhost/canvas")
    func isUnfit(_ fault: StorageFault) -> Bool { if case .unfit = fault { true } else { false } }
    for (words, needsPassword, isLasting, said) in [
      ("fe_sendauth", true, true, "set PGPASSWORD"), ("password authentication failed", false, true, "set PGPASSWORD"),
      ("no password supplied", false, true, "set PGPASSWORD"),
      ("database \"x\" does not exist", false, true, "create it"),
      ("role \"x\" does not exist", false, true, "create it"),
      ("file x does not exist", false, false, "x does not exist"),
      ("sorry, too many clients already", false, false, "raise max_connections"),
      ("remaining connection slots are reserved", false, false, "raise max_connections"),
      ("too many connections for role", false, false, "raise max_connections"), ("refused", false, false, "refused"),
    ] {
      let fault = address.fault(words, needsPassword: needsPassword)
      #expect(isUnfit(fault) == isLasting && "\(fault)".contains(said), "\(fault)")
    }
    for (state, isLasting, said) in [
      ("25006", false, "takes no writes"), ("53100", false, "disk is full"), ("53300", false, "raise max_connections"),
      ("55P03", false, "keeps rows locked"), ("42501", true, "GRANT CREATE"), ("42P01", true, "SQLSTATE 42P01"),
      ("57014", false, "SQLSTATE 57014"),
    ] {
      let fault = address.fault(state: state, message: "")
      #expect(isUnfit(fault) == isLasting && "\(fault)".contains(said), "\(fault)")
    }
  }

  @Test(
    "a refusal for the values, rows or locks of one request is told from one that concerns all",
    arguments: [
      ("22001", true), ("23505", true), ("40P01", true), ("54000", true), ("P0001", true), ("XX001", true),
      ("55P03", true),
      ("55000", false), ("25006", false), ("53100", false), ("57014", false), ("42P01", false), ("08006", false),
    ]
  )
  func refusals(state: String, isAboutOne: Bool) {
    #expect(PostgresFailure.isAboutWhatWasAsked(state) == isAboutOne)
  }

  // MARK: Following

  @Test("all rooms are polled once in a round, two thousand a second, and one poll at a time")
  func rounds() {
    let rooms = (0..<2_500).map { "room-\($0)" }
    var round = FollowingRound()
    #expect(round.deadline == 0)
    for start in [5, 2_000_005] as [UInt64] {
      let first = round.begin(now: start, rooms: rooms) ?? []
      #expect(
        first.count == 2_000 && round.deadline == .max && round.begin(now: start + 9_000_000, rooms: rooms) == nil
      )
      #expect(round.end(lag: 3) == nil && round.deadline == start + 1_000_000)
      #expect(round.begin(now: start + 999_999, rooms: rooms) == nil)
      let second = round.begin(now: start + 1_000_000, rooms: []) ?? []
      #expect((first + second).sorted() == rooms.sorted())
      #expect(round.end(lag: 4) == 7, "what the round before has found isn't counted again")
    }
    round.hurry()
    #expect(round.begin(now: 3_000_006, rooms: []) == [] && round.end(lag: 0) == 0)
    _ = round.begin(now: 9_000_000, rooms: rooms)
    _ = round.end(lag: .max)
    _ = round.begin(now: 10_000_000, rooms: rooms)
    #expect(round.end(lag: 1) == .max)
  }

  @Test("a room is read from the last record that was told, or from the one before it where that may be lost")
  func readingOn() {
    var room = FollowedRoom(number: 1, epoch: nil, after: 0)
    #expect(room.readsAfter == 0 && !room.isBegun)
    #expect(room.ending(of: "a", epoch: 7) == .unfollowed(id: nil, room: "a"))
    room = FollowedRoom(number: 1, epoch: 7, after: 5)
    #expect(room.readsAfter == 4, "to learn who has stored it")
    #expect(room.ending(of: "a", epoch: 7) == .deleted(id: nil, room: "a", epoch: 7))
    room.newest = StoredPlace(position: 5, writer: 1, append: 1)
    #expect(room.readsAfter == 5)
    room.isInDoubt = true
    #expect(room.readsAfter == 4)
    room.reported = 3
    #expect(room.readsAfter == 3)
  }

  @Test("a newer timeline is gone on with, a former primary is not, nor another database once the log is open")
  func reached() {
    let timelines = PostgresTimelines()
    for (database, number, isOpen, step) in [
      ("a", 2, false, .none), ("b", 1, false, .another), ("b", 1, true, .none), ("a", 9, true, .foreign),
      ("b", 3, true, .another), ("b", 2, true, .former), ("b", 3, true, .none),
    ] as [(String, Int64, Bool, PostgresTimelines.Step)] {
      let reached = PostgresTimeline(database: database, number: number)
      #expect(timelines.reach(reached, isOpen: isOpen) == step, "\(database) \(number)")
    }
  }

  @Test("rooms that lose records within a second are one event, and a later loss is another")
  func timelines() {
    let timelines = PostgresTimelines()
    #expect([5_000_000, 5_000_001, 5_999_999, 6_000_000].map { timelines.noteSetBack(now: $0) } == [1, 1, 1, 2])
    #expect(timelines.noteAnother() == 3 && timelines.number == 3)
  }

  // MARK: Locks of others

  @Test("requests for a locked room leave in their order, and are due four seconds after its lock was met")
  func lockedRooms() {
    func request(_ id: UInt64, _ room: String) -> LogRequest { .delete(id: id, room: room) }
    var locked = LockedRooms()
    #expect(locked.isEmpty && !locked.isWaitedFor && locked.metAt == nil)
    locked.note("a", now: 10)
    locked.note("a", now: 20)
    #expect(!locked.isDue("a", now: 4_000_009) && locked.isDue("a", now: 4_000_010) && !locked.isDue("b", now: .max))
    #expect(!locked.holds("a") && locked.metAt == nil, "nobody waits for it yet")
    var list = [request(1, "a"), request(2, "c"), .list(id: 3), request(4, "a"), request(5, "b")]
    locked.note("b", now: 5)
    locked.move(["a", "b"], from: &list)
    locked.add(request(6, "a"), to: "a")
    #expect(list.map(\.id) == [2, 3] && locked.names == ["a", "b"] && locked.metAt == 5 && locked.isWaitedFor)
    #expect(locked.release("b").map(\.id) == [5] && locked.metAt == 10 && locked.isDue("b", now: 4_000_005))
    #expect(locked.takeRequests(of: "a").map(\.id) == [1, 4, 6])
    #expect(locked.holds("a") && !locked.isEmpty && !locked.isWaitedFor, "what comes for it still waits here")
    #expect(locked.release("a").isEmpty && !locked.holds("a") && !locked.isDue("a", now: .max))
    locked.noteAnswer("b")
    #expect(!locked.isDue("b", now: .max))
    for (id, room) in [(7, "y"), (8, "x"), (9, "y")] as [(UInt64, String)] { locked.add(request(id, room), to: room) }
    #expect(locked.takeAll().map(\.id) == [8, 7, 9] && locked.isEmpty)
  }

  // MARK: Reports

  private func reports() throws -> (PostgresReports, EventCollector) {
    let events = EventCollector()
    let outlet = Outlet { events.take($0) }
    let address = PostgresAddress("postgresql://localhost/canvas")
    return (PostgresReports(address, try PostgresInbox(bytesMax: 100), outlet, SharedFigures()), events)
  }

  private let fault = StorageFault.database("gone")
  private let other = StorageFault.database("still gone")

  @Test("before a log is open it says once why it waits, and nothing more where it can't be used")
  func unopened() throws {
    let (reports, events) = try reports()
    for fault in [fault, other, fault] { reports.noteUnopened(fault, areAllUnfit: false) }
    reports.noteAvailability(fault)
    reports.noteReading([.init(since: 0, fault: fault)], now: .max)
    #expect(events.all == [.waiting(fault), .waiting(other)] && reports.shared.statistics.fault == fault)
    for _ in 0..<2 { reports.noteUnopened(.unfit("wrong"), areAllUnfit: true) }
    reports.noteUnopened(.database("new"), areAllUnfit: false)
    #expect(events.all.dropFirst(2) == [.unusable(.unfit("wrong"))] && reports.isUnusable)
  }

  @Test("whether anything can be stored, or stored in a room, is told when it changes")
  func availability() throws {
    let (reports, events) = try reports()
    reports.open(secret: nil, locks: ["a"])
    for fault in [nil, fault, fault, other, nil] { reports.noteAvailability(fault) }
    reports.noteUnopened(fault, areAllUnfit: false)
    #expect(
      events.all == [.opened(secret: nil), .locks(["a"])] + [fault, other, nil].map { .availability(room: nil, $0) }
    )
    for room in ["a", "a", "b"] { reports.noteRefused(room, fault) }
    #expect(reports.isRefused("a") && !reports.isRefused("c") && reports.presentFault != fault)
    for room in ["a", "a", "c"] { reports.noteTaken(room) }
    #expect(reports.forgetRefusal(of: "b") && !reports.forgetRefusal(of: "b"))
    #expect(
      events.all.dropFirst(5) == [
        .availability(room: "a", fault), .availability(room: "b", fault), .availability(room: "a", nil),
      ]
    )
  }

  @Test("that rooms can't be read is told after three seconds, once, and that they can be again at once")
  func readability() throws {
    let (reports, events) = try reports()
    reports.open(secret: nil, locks: [])
    func told(_ absences: [(since: UInt64, StorageFault)], now: UInt64) -> [LogEvent] {
      let before = events.all.count
      reports.noteReading(absences.map { .init(since: $0, fault: $1) }, now: now)
      return Array(events.all[before...])
    }
    #expect(told([], now: 0) == [])
    let absences = [(2_000_000, other), (1_000_000, fault)] as [(UInt64, StorageFault)]
    #expect(told(absences, now: 3_999_999) == [])
    #expect(told(absences, now: 4_000_000) == [.readability(fault)], "the longest absence counts")
    #expect(told(absences, now: 9_000_000) == [])
    #expect(told([], now: 9_000_001) == [.readability(nil)])
    #expect(told([], now: 9_000_002) == [])
  }
}
