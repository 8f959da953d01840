/// The live shapes that have the same name. The first one shows the name alone. Each of the others shows the name with
/// a number, but never with one of the numbers in `taken`.
///
/// A shape's number is not stored but computed from its rank in the group. So when a shape is deleted, the numbers of
/// all later shapes shift at no cost.
struct NameGroup: Hashable, Sendable {
  /// A shape of the group. Members are ordered by the stamps of their names. If two names have the same stamp, the
  /// identifiers decide.
  struct Member: Hashable, Comparable, Sendable {
    let stamp: Stamp
    let shape: Identifier

    static func < (left: Member, right: Member) -> Bool {
      left.stamp != right.stamp ? left.stamp < right.stamp : left.shape < right.shape
    }
  }

  /// The members, sorted. The first one shows the name without a number.
  private(set) var members: [Member] = []

  /// The numbers that this group can't use, sorted. For example, 2 is taken in the group `Sun` if another shape's own
  /// name is `Sun 2`.
  private(set) var taken: [Int] = []

  /// During an update: the first rank whose number can change.
  var firstRenumbered: Int?

  var isEmpty: Bool { members.isEmpty && taken.isEmpty }

  // MARK: - Members

  /// The rank of a member, or the rank that it would get.
  func rank(of member: Member) -> Int {
    // Most searches are for the newest member, so the end of the list is tried before the binary search.
    guard let last = members.last, !(last < member) else { return members.count }
    return members.partitionIndex { members[$0] < member }
  }

  mutating func insert(_ member: Member) { members.insert(member, at: rank(of: member)) }

  mutating func remove(_ member: Member) { members.remove(at: rank(of: member)) }

  // MARK: - Numbers

  /// The number that the member of this rank shows after the name. The first member shows no number, and the result is
  /// 1.
  func number(atRank rank: Int) -> Int {
    guard rank > 0 else { return 1 }
    // Shown numbers start at 2. So `taken[i] - 2 - i` of the numbers below `taken[i]` are free.
    let passedOver = taken.partitionIndex { taken[$0] - 2 - $0 < rank }
    return rank + 1 + passedOver
  }

  /// The rank of the member that shows this number. If the number is in `taken`, the rank of the member that shows the
  /// next free number.
  func rank(atNumber number: Int) -> Int {
    guard number > 1 else { return 0 }
    return number - 1 - takenCount(below: number)
  }

  mutating func take(_ number: Int, isSorting: Bool) {
    taken.insert(number, at: isSorting ? takenCount(below: number) : taken.count)
  }

  mutating func sortNumbers() { taken.sort() }

  mutating func free(_ number: Int) { taken.remove(at: takenCount(below: number)) }

  private func takenCount(below number: Int) -> Int {
    taken.partitionIndex { taken[$0] < number }
  }
}
