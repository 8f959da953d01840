/// The shapes whose numbers (such as 2 in `Sun 2`) can change with an update, and their numbers from before the update.
struct Renaming {
  private struct Note {
    let name: Text
    var candidates: [(member: NameGroup.Member, number: Int)] = []
  }

  private var notes: [Note] = []

  /// Stores the numbers of some members before their group changes. If this is called more than once for a group,
  /// every range must extend to the group's end. A member that is already recorded keeps its first number.
  mutating func note(_ name: Text, _ group: NameGroup, ranks: Range<Int>) {
    var end = ranks.upperBound
    for earlier in notes where earlier.name == name {
      if let first = earlier.candidates.first { end = min(end, group.rank(of: first.member)) }
    }
    guard ranks.lowerBound < end else { return }
    var note = Note(name: name)
    note.candidates.reserveCapacity(end - ranks.lowerBound)
    for rank in ranks.lowerBound..<end { note.candidates.append((group.members[rank], group.number(atRank: rank))) }
    notes.append(note)
  }

  /// The noted shapes whose number has changed, sorted, without `updated`.
  consuming func shapes(except updated: Identifier, _ group: (Text) -> NameGroup?) -> [Identifier] {
    var renamed: [Identifier] = []
    for note in notes {
      guard let group = group(note.name) else { continue }
      var rank = 0
      for (member, number) in note.candidates where member.shape != updated {
        // Most members keep their rank, so a search is seldom needed.
        if rank >= group.members.count || group.members[rank] != member { rank = group.rank(of: member) }
        if group.number(atRank: rank) != number { renamed.append(member.shape) }
        rank += 1
      }
    }
    renamed.sort()
    return renamed
  }
}
