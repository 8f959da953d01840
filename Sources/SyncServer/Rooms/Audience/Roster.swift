import Basics
import CanvasCRDT

/// The people whose names the room has broadcast, and the people whose names the next broadcast will have.
///
/// A crowded room names only some people. It sends only a count of all others. So the cost of a join doesn't grow with
/// the number of people in the room.
///
/// What always holds:
/// - A broadcast has announced every entry. So a reader that has got all broadcasts knows these people and their
///   presence.
/// - There are at most `showingPeople` entries, or `namedPeople` if that is more.
/// - The entry of a person who has left stays until a broadcast has announced the leave. Until then the person is
///   listed in `gone`.
struct Roster: Sendable {
  struct Entry: Sendable {
    let id: MemberID
    /// The person, with the presence that was sent last.
    fileprivate(set) var peer: Peer
    /// The ordinal of the broadcast that announced this person.
    let namedAt: UInt64
    /// The ordinal of the broadcast that sent this person's newest presence.
    fileprivate(set) var stateAt: UInt64
    /// When this person last sent presence, on the monotonic clock. 0 if that never happened.
    fileprivate(set) var shownAt: UInt64
  }

  private let limits: Limits
  private var entries: [Identifier: Entry] = [:]
  private var gone: [Identifier] = []
  /// The people who wait to be named, in the order in which they came. Some of these people can have left or been named
  /// meanwhile.
  private var unnamed = Fifo<MemberID>()
  /// The number of people that was last sent to clients that want to know it.
  private(set) var crowdTold: UInt64 = 0
  /// When names were last announced, and when the number of people was. Both are on the monotonic clock.
  private var namesToldAt: UInt64?
  private var crowdToldAt: UInt64?
  /// The result of `peers`. It is kept until the entries change.
  private var sorted: [Peer]?

  init(limits: Limits) { self.limits = limits }

  // MARK: Reading

  subscript(actor: Identifier) -> Entry? { entries[actor] }

  func names(_ id: MemberID, _ actor: Identifier) -> Bool { entries[actor]?.id == id }

  /// Everyone who has been named, in the order of their actors. The result is kept until it changes, so that many
  /// newcomers cost one sort.
  mutating func peers() -> [Peer] {
    if let sorted { return sorted }
    let peers = entries.values.map { $0.peer }.sorted { $0.actor < $1.actor }
    sorted = peers
    return peers
  }

  // MARK: Coming and going

  mutating func came(_ id: MemberID) { unnamed.append(id) }

  mutating func went(_ id: MemberID, _ actor: Identifier) {
    if names(id, actor) { gone.append(actor) }
  }

  /// When a broadcast should announce who came and left. `nil` if there is nothing to announce.
  /// - Parameter count: how many people are here.
  func newsDueAt(people count: Int) -> UInt64? {
    let names = hasNamesToTell(count) ? Roster.due(namesToldAt, interval(count, max: 100)) : nil
    let number = number(count) == crowdTold ? nil : Roster.due(crowdToldAt, interval(count, max: 1_000))
    guard let names, let number else { return names ?? number }
    return min(names, number)
  }

  /// The shortest time between two announcements: a millisecond for each person here, up to a bound. So announcements
  /// cost about the same a second, however many people there are. In a small room nobody waits.
  private func interval(_ count: Int, max most: UInt64) -> UInt64 { isSmall(count) ? 0 : min(UInt64(count), most) }

  /// Whether the room is small enough to announce joins and leaves at once.
  func isSmall(_ count: Int) -> Bool { UInt64(count) <= limits.namedPeople / 5 }

  private static func due(_ toldAt: UInt64?, _ interval: UInt64) -> UInt64 { toldAt.map { $0 &+ interval } ?? 0 }

  private func hasNamesToTell(_ count: Int) -> Bool {
    let here = entries.count - gone.count
    return !gone.isEmpty || here < count && UInt64(here) < limits.namedPeople
  }

  /// The number of people to send to clients that want to know it. 0 if everyone is named, or soon will be.
  private func number(_ count: Int) -> UInt64 {
    let everyone = UInt64(count) <= limits.namedPeople || entries.count - gone.count >= count
    return everyone ? 0 : UInt64(count)
  }

  // MARK: Announcing

  /// Adds joins and leaves to a broadcast, if they are due.
  /// - Parameters:
  ///   - count: how many people are here.
  ///   - person: returns the person behind a member, with the newest presence that may be sent. `nil` if that member
  ///     has left.
  mutating func tell(
    _ changes: inout PeerChanges,
    beat ordinal: UInt64,
    people count: Int,
    now: Moment,
    person: (MemberID) -> Peer?
  ) {
    let time = now.monotonicMilliseconds
    if unnamed.count > 2 * count + 64 { tidy(person) }
    let areNamesDue = hasNamesToTell(count) && Roster.due(namesToldAt, interval(count, max: 100)) <= time
    if areNamesDue {
      namesToldAt = time
      tellGone(&changes)
      while UInt64(entries.count) < limits.namedPeople, let id = unnamed.popFirst() {
        guard let peer = person(id), !names(id, peer.actor) else { continue }
        name(id, peer, &changes, beat: ordinal, shownAt: 0)
      }
    }
    let number = number(count)
    guard number != crowdTold, areNamesDue || Roster.due(crowdToldAt, interval(count, max: 1_000)) <= time
    else { return }
    crowdToldAt = time
    crowdTold = number
    changes.crowd = number
  }

  /// Drops from `unnamed`: duplicates, people who have left, and people who are named by now. So the list stays short.
  private mutating func tidy(_ person: (MemberID) -> Peer?) {
    var known: Set<MemberID> = []
    unnamed = Fifo(
      unnamed.filter { id in
        guard let peer = person(id), !names(id, peer.actor) else { return false }
        return known.insert(id).inserted
      }
    )
  }

  private mutating func tellGone(_ changes: inout PeerChanges) {
    for actor in gone { drop(actor, &changes) }
    gone = []
  }

  private mutating func drop(_ actor: Identifier, _ changes: inout PeerChanges) {
    entries[actor] = nil
    sorted = nil
    changes.left.append(actor)
  }

  private mutating func name(
    _ id: MemberID,
    _ peer: Peer,
    _ changes: inout PeerChanges,
    beat ordinal: UInt64,
    shownAt: UInt64
  ) {
    var peer = peer
    // Joins are announced without presence, which is sent in a message of its own.
    peer.state = nil
    changes.joined.append(peer)
    entries[peer.actor] = Entry(id: id, peer: peer, namedAt: ordinal, stateAt: 0, shownAt: shownAt)
    sorted = nil
  }

  /// Names a person who shows a cursor or a selection, unless that person is named already. If the room names as many
  /// people as allowed, this person replaces somebody who has shown nothing for a while.
  /// - Returns: false if nobody can be replaced.
  mutating func admit(
    _ id: MemberID,
    _ peer: Peer,
    _ changes: inout PeerChanges,
    beat ordinal: UInt64,
    now: Moment
  ) -> Bool {
    guard !names(id, peer.actor) else { return true }
    // Entries of people who have left still count towards the limit, so they are removed first.
    if !gone.isEmpty { tellGone(&changes) }
    if UInt64(entries.count) >= max(limits.namedPeople, limits.showingPeople) {
      guard let quietest = entries.values.min(by: { ($0.shownAt, $0.peer.actor) < ($1.shownAt, $1.peer.actor) }),
        quietest.namedAt < ordinal,
        quietest.shownAt == 0 || quietest.shownAt &+ Roster.quietMilliseconds <= now.monotonicMilliseconds
      else { return false }
      drop(quietest.peer.actor, &changes)
      unnamed.append(quietest.id)
    }
    name(id, peer, &changes, beat: ordinal, shownAt: now.monotonicMilliseconds)
    return true
  }

  /// How long somebody must have sent no presence before another person may take their place in the list.
  private static let quietMilliseconds: UInt64 = 10_000

  /// Notes that the broadcast `ordinal` has the presence of this actor.
  mutating func told(_ state: JSONText, of actor: Identifier, beat ordinal: UInt64, now: Moment) {
    entries[actor]?.peer.state = state
    entries[actor]?.stateAt = ordinal
    entries[actor]?.shownAt = now.monotonicMilliseconds
    sorted = nil
  }

  /// Forgets everyone. To be called when nobody is here any more.
  mutating func clear() { self = Roster(limits: limits) }
}
