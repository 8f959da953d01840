import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("The people that a room names")
struct RosterTests {
  private let ann = Peer(actor: Identifier("ann-000-001")!, name: "Ann", color: Color(red: 1, green: 2, blue: 3))
  private let bob = Peer(actor: Identifier("bob-000-001")!, name: "Bob", color: Color(red: 4, green: 5, blue: 6))

  @Test("R12: somebody whose place in the list was given away is named again once there is a place")
  func displaced() {
    var limits = Limits()
    limits.namedPeople = 1
    limits.showingPeople = 1
    var roster = Roster(limits: limits)
    let (first, second) = (MemberID(index: 0, serial: 0), MemberID(index: 1, serial: 1))
    var here = [first: ann]
    func tell(_ beat: UInt64) -> PeerChanges { roster.tell(of: here, beat: beat) }
    roster.came(first)
    #expect(tell(1).joined == [ann])
    here[second] = bob
    roster.came(second)
    #expect(tell(2).joined.isEmpty)

    var changes = PeerChanges()
    let later = Moment(wallMilliseconds: 0, monotonicMilliseconds: 60_000)
    #expect(roster.admit(second, bob, &changes, beat: 3, now: later))
    #expect(changes.left == [ann.actor] && changes.joined == [bob])

    here[second] = nil
    roster.went(second, bob.actor)
    let last = tell(4)
    #expect(last.left == [bob.actor] && last.joined == [ann])
    #expect(roster.peers() == [ann])
  }

  @Test("R12: who comes and goes several times between two beats has left once, and is named once")
  func returning() {
    var roster = Roster(limits: Limits())
    let ids = (0..<4).map { MemberID(index: Int32($0), serial: UInt32($0)) }
    var here = [ids[0]: ann]
    func tell(_ beat: UInt64) -> PeerChanges { roster.tell(of: here, beat: beat) }
    roster.came(ids[0])
    #expect(tell(1).joined == [ann])
    for (before, after) in zip(ids, ids.dropFirst()) {
      roster.went(before, ann.actor)
      here = [after: ann]
      roster.came(after)
      #expect(!roster.names(after, ann.actor), "the one before has been told")
    }
    let changes = tell(2)
    #expect(changes.left == [ann.actor] && changes.joined == [ann])
    #expect(roster.names(ids[3], ann.actor))
  }

  @Test("R12: the number of people in a large crowd is told at most once a second")
  func crowd() {
    var limits = Limits()
    limits.namedPeople = 1
    var roster = Roster(limits: limits)
    let first = MemberID(index: 0, serial: 0)
    roster.came(first)
    func told(_ people: Int, at milliseconds: UInt64) -> UInt64? {
      var changes = PeerChanges()
      let now = Moment(wallMilliseconds: 0, monotonicMilliseconds: milliseconds)
      roster.tell(&changes, beat: milliseconds, people: people, now: now) { $0 == first ? ann : nil }
      return changes.crowd
    }
    #expect(told(3_000, at: 5_000) == 3_000)
    #expect(told(3_001, at: 5_999) == nil)
    #expect(told(3_001, at: 6_000) == 3_001)
    #expect(told(3_001, at: 9_000) == nil, "it is the same")
  }
}

extension Roster {
  /// What is told at a beat of those who are here. Beats are twenty seconds apart.
  fileprivate mutating func tell(of here: [MemberID: Peer], beat: UInt64) -> PeerChanges {
    var changes = PeerChanges()
    let now = Moment(wallMilliseconds: 0, monotonicMilliseconds: beat * 20_000)
    tell(&changes, beat: beat, people: here.count, now: now) { here[$0] }
    return changes
  }
}
