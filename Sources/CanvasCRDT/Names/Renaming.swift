/// The shapes whose numbers (such as 2 in `Sun 2`) can change with an update, and their numbers from before the update.
struct Renaming {
  private var names: [Text] = []
  private var numbers: [(name: Text, member: NameGroup.Member, number: Int)] = []

  /// Notes that a shape gets or loses a name. All groups must still be as they were before the update.
  mutating func note(_ name: Text, _ member: NameGroup.Member, in groups: inout NameTable) {
    if let group = groups[name] { note(name, from: group.rank(of: member), in: &groups) }
    if let numbered = NumberedName(name), let group = groups[numbered.name] {
      note(numbered.name, from: group.rank(atNumber: numbered.number), in: &groups)
    }
  }

  private mutating func note(_ name: Text, from rank: Int, in groups: inout NameTable) {
    groups.change(name) { group in
      if group.firstRenumbered == nil { names.append(name) }
      group.firstRenumbered = min(group.firstRenumbered ?? rank, rank)
    }
  }

  /// Stores the numbers that can change.
  mutating func noteNumbers(in groups: NameTable) {
    for name in names {
      guard let group = groups[name], let first = group.firstRenumbered, first < group.members.count else { continue }
      for rank in first..<group.members.count {
        numbers.append((name, group.members[rank], group.number(atRank: rank)))
      }
    }
  }

  /// Ends the update, and returns the noted shapes whose number has changed.
  consuming func end(in groups: inout NameTable) -> IdentifierSet {
    var renamed = IdentifierSet()
    var rank = 0
    for (name, member, number) in numbers {
      guard let group = groups[name] else { continue }
      // Most members keep their rank, so a search is seldom needed.
      if rank >= group.members.count || group.members[rank] != member { rank = group.rank(of: member) }
      guard rank < group.members.count, group.members[rank] == member else { continue }
      if group.number(atRank: rank) != number { renamed.insert(member.shape) }
      rank += 1
    }
    for name in names where groups[name] != nil { groups.change(name) { $0.firstRenumbered = nil } }
    return renamed
  }
}
