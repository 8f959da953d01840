/// Shapes whose number an update may change, with the number that they had before it.
struct Renaming {
  private struct Note {
    let name: Text
    /// In the order of their ranks.
    var candidates: [(member: NameGroup.Member, number: Int)] = []
  }

  private var notes: [Note] = []

  /// Notes members of a group before something happens to it. If a group is noted more than once in an update, every
  /// range has to reach the group's end. A shape that was noted before is not noted again, because its number may be a
  /// new one by then.
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

  /// The candidates whose number has changed, sorted, without the shape that the update was about.
  consuming func shapes(except updated: Identifier, _ group: (Text) -> NameGroup?) -> [Identifier] {
    var renamed: [Identifier] = []
    for note in notes {
      guard let group = group(note.name) else { continue }
      var rank = 0
      for (member, number) in note.candidates where member.shape != updated {
        // Mostly the members still follow each other as before.
        if rank >= group.members.count || group.members[rank] != member { rank = group.rank(of: member) }
        if group.number(atRank: rank) != number { renamed.append(member.shape) }
        rank += 1
      }
    }
    renamed.sort()
    return renamed
  }
}
