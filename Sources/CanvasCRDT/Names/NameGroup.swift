/// The live shapes that have one name, and the numbers that can't be shown after this name.
///
/// A shape's number is not stored but computed from its rank. So when a shape is deleted, the numbers of all later
/// shapes shift at no cost.
struct NameGroup: Hashable, Sendable {
  /// A shape of the group. Members are ordered by the stamp of the name, and then by identifier, because one stamp may
  /// name two shapes.
  struct Member: Hashable, Comparable, Sendable {
    let stamp: Stamp
    let shape: Identifier

    static func < (left: Member, right: Member) -> Bool {
      left.stamp != right.stamp ? left.stamp < right.stamp : left.shape < right.shape
    }
  }

  /// The members, sorted. The first member shows the name without a number.
  private(set) var members: [Member] = []

  /// The numbers that can't be shown after the name, sorted. Such a number is taken because the name with the number is
  /// another shape's own name.
  private(set) var taken: [Int] = []

  /// Whether no shape has the name and no number is taken.
  var isEmpty: Bool { members.isEmpty && taken.isEmpty }

  // MARK: - Members

  /// The index of the member. If the group doesn't have the member: the index at which to insert it.
  func rank(of member: Member) -> Int {
    // The end of the list is tried first, because most searches are for the newest member, which is last.
    guard let last = members.last, !(last < member) else { return members.count }
    return members.partitionIndex { members[$0] < member }
  }

  mutating func insert(_ member: Member) { members.insert(member, at: rank(of: member)) }

  mutating func remove(_ member: Member) { members.remove(at: rank(of: member)) }

  // MARK: - Numbers

  /// The number that the member of this rank shows after the name. It is 1 for the first member, which shows no number.
  func number(atRank rank: Int) -> Int {
    guard rank > 0 else { return 1 }
    // Below the taken number at `index`, there are `taken[index] - 2 - index` free numbers.
    let passedOver = taken.partitionIndex { taken[$0] - 2 - $0 < rank }
    return rank + 1 + passedOver
  }

  /// The rank of the member that shows this number. If the number is taken: the rank of the member that shows the next
  /// free number.
  func rank(atNumber number: Int) -> Int {
    guard number > 1 else { return 0 }
    return number - 1 - takenCount(below: number)
  }

  /// The ranks of the members that show this number or a greater one. A taken `number` is treated as if it were free.
  func ranks(from number: Int) -> Range<Int> {
    min(rank(atNumber: number), members.count)..<members.count
  }

  mutating func take(_ number: Int) { taken.insert(number, at: takenCount(below: number)) }

  mutating func free(_ number: Int) { taken.remove(at: takenCount(below: number)) }

  private func takenCount(below number: Int) -> Int {
    taken.partitionIndex { taken[$0] < number }
  }
}
