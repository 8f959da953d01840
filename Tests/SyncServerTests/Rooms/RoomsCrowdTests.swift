import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Crowds")
struct RoomsCrowdTests {
  /// The numbers of people that a client was told, in order.
  private func numbers(_ bench: RoomBench, _ client: Int) -> [UInt64] {
    bench.clients[client].messages.compactMap { if case .crowd(let people) = $0 { people } else { nil } }
  }

  private func messages(_ bench: RoomBench, _ client: Int, since: Int) -> ArraySlice<ServerMessage> {
    bench.clients[client].messages[since...]
  }

  /// Lets a client join, without waiting until others are told of it.
  private func arrive(_ bench: inout RoomBench, _ encoding: WireEncoding = .binary) -> Int {
    let client = bench.connect(encoding)
    bench.say(.hello(Hello()), client)
    bench.send()
    return client
  }

  @Test("R3: those who come within a moment are told by one beat, and those who come and go in it by none")
  func gathering() {
    var bench = RoomBench()
    let ann = bench.join()
    for _ in 0..<20 { bench.join() }
    let told = bench.clients[ann].messages.count
    let newcomers = (0..<10).map { _ in arrive(&bench) }
    let passing = arrive(&bench)
    bench.leave(passing)
    #expect(messages(bench, ann, since: told).isEmpty, "nobody has been told yet")
    let writes = bench.writes
    bench.settle()
    #expect(messages(bench, ann, since: told).count == 10)
    #expect(bench.writes - writes == bench.room.memberCount, "one write to each")
    for newcomer in newcomers {
      #expect(bench.clients[newcomer].peers.count == bench.room.memberCount - 1)
      #expect(bench.clients[newcomer].peers[bench.actor(newcomer)] == nil, "nobody is told of itself")
    }
  }

  @Test("R3: a newcomer knows everybody of whom others have been told, and learns of the rest with them")
  func between() {
    var bench = RoomBench()
    let actors = (0..<30).map { _ in bench.join() }.map { bench.actor($0) }
    let first = arrive(&bench)
    let second = arrive(&bench)
    // The client leaves before others were told that it joined, so they must not be told that it left.
    bench.leave(first)
    bench.settle()
    #expect(Set(bench.clients[second].peers.keys) == Set(actors))
    for message in bench.clients[second].messages {
      if case .leave = message { Issue.record("it is told that somebody left of whom it has not heard") }
    }
  }

  @Test(
    "R12: a crowd is told by name only up to a bound, and those who ask are told the number",
    arguments: WireEncoding.allCases
  )
  func crowd(_ encoding: WireEncoding) {
    var bench = RoomBench { $0.namedPeople = 5 }
    let ann = bench.join(encoding) { $0.crowd = true }
    let old = bench.join(encoding)
    var others = (0..<18).map { _ in bench.join() }
    bench.settle()
    #expect(bench.clients[ann].peers.count == 4, "five are told by name, and Ann is one of them")
    #expect(numbers(bench, ann).last == 20)
    #expect(numbers(bench, old).isEmpty, "whoever didn't ask could not read it")
    #expect(bench.clients[old].peers.count == 4)

    // A newcomer gets as many names as others, and is sent the number of people at once.
    let eve = bench.join(encoding) { $0.crowd = true }
    #expect(bench.clients[eve].peers.count == 5)
    #expect(numbers(bench, eve).last == 21)

    // When listed people leave, others are listed instead. When few people remain, all are listed.
    for other in others.prefix(10) { bench.leave(other) }
    others.removeFirst(10)
    bench.settle()
    #expect(bench.clients[ann].peers.count == 4)
    #expect(numbers(bench, ann).last == 11)
    for other in others { bench.leave(other) }
    bench.settle()
    #expect(Set(bench.clients[ann].peers.keys) == [bench.actor(old), bench.actor(eve)])
    #expect(Set(bench.clients[eve].peers.keys) == [bench.actor(old), bench.actor(ann)])
    #expect(numbers(bench, ann).last == 0)
    #expect(numbers(bench, eve).last == 0)
  }

  @Test("R12: somebody who shows something is named, in place of somebody who has shown nothing for long")
  func showing() throws {
    var bench = RoomBench {
      $0.namedPeople = 2
      $0.showingPeople = 3
    }
    let ann = bench.join { $0.crowd = true }
    let people = (0..<6).map { _ in bench.join() }
    func shown() -> Set<Identifier> { Set(bench.clients[ann].peers.filter { $0.value.state != nil }.keys) }
    for person in people[3...5] { bench.say(.presence(state(person)), person) }
    bench.settle()
    #expect(shown() == Set(people[3...5].map { bench.actor($0) }), "they came last, and are seen all the same")
    #expect(bench.clients[ann].peers.count == 3)

    // The list of people is full, and all three of them were active recently. So the next active person is not listed
    // yet, and others don't get that person's presence.
    bench.say(.presence(state(0)), people[0])
    bench.settle()
    #expect(shown() == Set(people[3...5].map { bench.actor($0) }))
    bench.pass(11_000)
    for person in people[4...5] { bench.say(.presence(state(9)), person) }
    bench.settle()
    bench.say(.presence(state(1)), people[0])
    bench.settle()
    #expect(shown() == [bench.actor(people[0]), bench.actor(people[4]), bench.actor(people[5])])
    // A newcomer is sent the same names as Ann.
    let late = bench.join()
    #expect(bench.clients[late].peers == bench.clients[ann].peers)
  }

  @Test("R12: presence from before a name was free is seen once one is")
  func shownBefore() throws {
    var bench = RoomBench {
      $0.namedPeople = 2
      $0.showingPeople = 2
    }
    let people = (0..<3).map { _ in bench.join { $0.crowd = true } }
    for person in people[0...1] { bench.say(.presence(state(person)), person) }
    bench.settle()
    bench.say(.presence(state(7)), people[2])
    bench.settle()
    #expect(bench.clients[people[0]].peers[bench.actor(people[2])] == nil)
    bench.leave(people[1])
    bench.pass(2_000)
    bench.settle()
    #expect(bench.clients[people[0]].peers[bench.actor(people[2])]?.state == state(7))
  }

  @Test("R12: a reader that fell off the ring knows the same people as everybody, and the number")
  func behind() throws {
    var bench = RoomBench {
      $0.namedPeople = 3
      $0.ringBeats = 2
    }
    let ann = bench.join { $0.crowd = true }
    let people = (0..<4).map { _ in bench.join() }
    bench.settle()
    bench.clients[ann].takes = 0
    for person in people.prefix(2) { bench.leave(person) }
    for number in 0..<5 {
      bench.say(.presence(state(number)), people[3])
      bench.settle()
      bench.pass(100)
    }
    let eve = bench.join { $0.crowd = true }
    let bob = bench.join()
    bench.settle()
    bench.catchUp(ann)
    var known = bench.clients[eve].peers
    known[bench.actor(eve)] = bench.clients[bob].peers[bench.actor(eve)]
    known[bench.actor(ann)] = nil
    #expect(Set(bench.clients[ann].peers.keys) == Set(known.keys))
    #expect(bench.clients[ann].peers[bench.actor(people[3])]?.state == state(4))
    #expect(numbers(bench, ann).last == numbers(bench, eve).last)
  }

  @Test("R13: presence has a budget for each receiver, which the peers share evenly")
  func budget() throws {
    var bench = RoomBench {
      $0.presenceBytesPerSecond = 4_000
      $0.presenceMilliseconds = 0
    }
    let ann = bench.join()
    let people = (0..<20).map { _ in bench.join() }
    let still = bench.join()
    bench.settle()
    bench.pass(1_000)
    let told = bench.clients[ann].messages.count
    for step in 0..<200 {
      for person in people { bench.say(.presence(state(step)), person) }
      bench.beatIfDue()
      bench.pass(10)
    }
    var seen: [Identifier: Int] = [:]
    var bytes = 0
    for case .presence(let states) in messages(bench, ann, since: told) {
      bytes += JSONEncoding.encode(.presence(states)).count
      for state in states { seen[state.actor, default: 0] += 1 }
    }
    #expect(bytes > 6_000 && bytes < 9_500, "two seconds at 4,000 bytes a second are \(bytes)")
    let (least, most) = (seen.values.min() ?? 0, seen.values.max() ?? 0)
    #expect(
      seen.count == 20 && most - least <= 1,
      "everybody is seen as often: \(people.map { seen[bench.actor($0)] ?? 0 })"
    )

    // A person who has not moved for long shows presence again. The room sends it before the presence of people who
    // move all the time.
    bench.say(.presence(state(7)), still)
    for person in people { bench.say(.presence(state(1_000)), person) }
    var beats = 0
    while bench.clients[ann].peers[bench.actor(still)]?.state == nil, beats < 8 {
      bench.pass(10)
      bench.beatIfDue()
      beats += 1
    }
    #expect(beats < 8)
    // Everybody's newest presence arrives in the end.
    bench.settle()
    for person in people { #expect(bench.clients[ann].peers[bench.actor(person)]?.state == state(1_000)) }
  }

  @Test("R13: presence may wait for any time, whatever its budget is")
  func silence() {
    var limits = Limits()
    limits.presenceBytesPerSecond = .max
    var budget = PresenceBudget(limits: limits)
    budget.fill(Moment(wallMilliseconds: 0, monotonicMilliseconds: .max))
    #expect(!budget.isUsedUp)
  }

  @Test("a beat is sent to a few at a time, and whoever has waited is next")
  func rounds() {
    var bench = RoomBench()
    let people = (0..<10).map { _ in bench.join() }
    bench.settle()
    func received() -> [Int] { people.map { bench.deliveries($0).count } }
    let before = received()
    func news() -> [Int] { zip(received(), before).map { $0 - $1 } }
    bench.write(people[0], bench.shape(1)) { $0.kind = .star }
    bench.commitAll()
    bench.room.flush(now: bench.now)
    bench.send(seatsMax: 4)
    // The broadcast went to four members, and perhaps also to the writer, together with the writer's answer.
    #expect((4...5).contains(news().reduce(0, +)) && bench.room.hasUnsent)
    // The next broadcast is made before all members got the last one.
    bench.write(people[1], bench.shape(1), id: 2) { $0.alpha = 3 }
    bench.commitAll()
    bench.room.flush(now: bench.now)
    bench.send(seatsMax: 6)
    #expect(news().allSatisfy { (1...2).contains($0) }, "those who lacked the first go first")
    bench.send(seatsMax: 4)
    #expect(!bench.room.hasUnsent)
    for person in people { bench.expectCaughtUp(person) }
  }

  @Test("D4: the beats that were made since a reader's last turn are sent to it in one write")
  func severalBeats() {
    var bench = RoomBench()
    let people = (0..<6).map { _ in bench.join() }
    bench.settle()
    let told = people.map { bench.deliveries($0).count }
    for step in 0..<5 {
      bench.write(people[0], bench.shape(1), id: UInt64(step + 1)) { set in
        set.kind = .star
        set.alpha = Int16(step + 1)
      }
      bench.commitAll()
      bench.room.flush(now: bench.now)
    }
    let writes = bench.writes
    // This client's socket accepts only part of the bytes for now.
    bench.clients[people[5]].takes = 10
    bench.send()
    #expect(
      bench.writes - writes <= people.count - 1 + 5,
      "only the writer, who is sent answers too, gets them one by one"
    )
    bench.catchUp(people[5])
    for (index, person) in people.enumerated() {
      #expect(bench.deliveries(person).count - told[index] == 5, "none is left out")
      bench.expectCaughtUp(person)
    }
  }

  @Test("D4: the beats of a room grow with the time that sending takes, and what gathers meanwhile is one message")
  func pace() {
    var bench = RoomBench()
    let ann = bench.join()
    let bob = bench.join()
    bench.settle(ann, 1) { $0.kind = .star }
    for _ in 0..<20 { bench.room.sendingTook(microseconds: 30_000, seats: bench.room.memberCount) }
    let told = bench.deliveries(bob).count
    var beatsAt: [UInt64] = []
    for step in 0..<200 {
      bench.write(ann, bench.shape(1), id: UInt64(step + 2)) { $0.position = Point(x: Double(step), y: 0) }
      bench.commitAll()
      let before = bench.deliveries(bob).count
      bench.beatIfDue()
      if bench.deliveries(bob).count > before { beatsAt.append(bench.now.monotonicMilliseconds) }
    }
    let gaps = zip(beatsAt, beatsAt.dropFirst()).map { $1 - $0 }
    #expect(!gaps.isEmpty && gaps.allSatisfy { (14...16).contains($0) }, "about half of thirty milliseconds: \(gaps)")
    #expect(bench.deliveries(bob).count - told == beatsAt.count)

    // A newcomer between two broadcasts gets its welcome at once, and the state with the next broadcast.
    bench.settle()
    bench.write(ann, bench.shape(1), id: 999) { $0.alpha = 3 }
    bench.commitAll()
    let eve = arrive(&bench)
    #expect(bench.clients[eve].messages.count == 1)
    bench.settle()
    bench.expectCaughtUp(eve)
    bench.expectCaughtUp(bob)
    #expect(bench.acknowledgements(ann).count == 202)

    // When sending is fast again, broadcasts are frequent again.
    for _ in 0..<40 { bench.room.sendingTook(microseconds: 10, seats: bench.room.memberCount) }
    bench.write(ann, bench.shape(1), id: 1_000) { $0.alpha = 4 }
    bench.commit()
    #expect(bench.room.isFlushDue(now: bench.now))
  }

  @Test("those who wait for a seldom beat hold up nobody, whoever comes and goes meanwhile", arguments: [1, 2, 3])
  func waitingForABeat(seed: UInt64) {
    var bench = RoomBench { $0.stateStreams = 2 }
    var random = SeededGenerator(seed: seed)
    let writer = bench.join()
    for _ in 0..<70 { bench.join() }
    // Sending takes so long that broadcasts are an eighth of a second apart.
    func sendingTakesLong() {
      for _ in 0..<20 { bench.room.sendingTook(microseconds: 250_000, seats: 71) }
    }
    sendingTakesLong()
    var waited = 0
    for step in 0..<400 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        bench.write(writer, bench.shape(UInt64(step))) { $0.kind = .star }
        bench.commit()
      case 2: _ = arrive(&bench, step.isMultiple(of: 2) ? .binary : .json)
      case 3:
        let others = bench.clients.indices.filter { $0 != writer && bench.clients[$0].id != nil }
        bench.leave(others.randomElement(using: &random)!)
      case 4: bench.room.rest(now: bench.now)
      default:
        bench.pass(UInt64.random(in: 1...40, using: &random))
        sendingTakesLong()
      }
      if bench.room.isGathering, !bench.room.isFlushDue(now: bench.now) { waited += 1 }
      bench.beatIfDue()
    }
    #expect(waited > 100, "there was something to wait for")
    bench.settle()
    for client in bench.clients.indices where bench.clients[client].id != nil { bench.expectCaughtUp(client) }
  }

  @Test("a cursor is told with the next beat, though who came and went waits for a later one, and not for cursors")
  func cursorsAmongNews() throws {
    var bench = RoomBench { $0.presenceMilliseconds = 5_000 }
    let ann = bench.join()
    for _ in 0..<80 { bench.join() }
    bench.pass(1_000)
    bench.join()
    _ = arrive(&bench)
    let people = try #require(bench.room.flushDueAt)
    #expect(people > bench.now.monotonicMilliseconds + bench.limits.beatMilliseconds)
    bench.say(.presence(state(1)), ann)
    let beat = try #require(bench.room.flushDueAt)
    #expect(beat <= bench.now.monotonicMilliseconds + bench.limits.beatMilliseconds)
    bench.pass(bench.limits.beatMilliseconds)
    bench.beatIfDue()
    bench.say(.presence(state(2)), ann)
    bench.write(ann, bench.shape(1)) { $0.kind = .star }
    bench.commit()
    bench.beatIfDue()
    #expect(bench.room.flushDueAt == people)
    bench.settle()
    for client in bench.clients.indices.dropFirst() { #expect(bench.presences(client).count == 2) }
  }
}
