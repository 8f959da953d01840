/// The shapes whose numbers (such as 2 in `Sun 2`) can change with an update, and their numbers from before the update.
struct Renaming {
  /// The members of a group from a rank on, and their numbers.
  private struct Note {
    var start: Int
    var numbers: [(member: NameGroup.Member, number: Int)]
  }

  private var notes: [Text: Note] = [:]

  /// Stores the numbers of the members from this rank on. All groups must still be as they were before the update.
  mutating func note(_ name: Text, _ group: NameGroup, from start: Int) {
    let end = notes[name]?.start ?? group.members.count
    guard start < end else { return }
    let numbers = (start..<end).map { (member: group.members[$0], number: group.number(atRank: $0)) }
    notes[name, default: Note(start: start, numbers: [])].start = start
    notes[name]?.numbers += numbers
  }

  /// The noted shapes whose number has changed.
  consuming func shapes(_ group: (Text) -> NameGroup?) -> IdentifierSet {
    var renamed = IdentifierSet()
    for (name, note) in notes {
      guard let group = group(name) else { continue }
      var rank = 0
      for (member, number) in note.numbers {
        // Most members keep their rank, so a search is seldom needed.
        if rank >= group.members.count || group.members[rank] != member { rank = group.rank(of: member) }
        if rank < group.members.count, group.members[rank] == member, group.number(atRank: rank) != number {
          renamed.insert(member.shape)
        }
        rank += 1
      }
    }
    return renamed
  }
}
