/// The live shapes that carry one name, and which numbers behind it are taken.
///
/// A shape's number follows from its rank among them and is not kept: one shape that goes shifts the numbers of all
/// that come after it, and costs no more for that.
struct NameGroup: Hashable, Sendable {
  /// Who wrote the name when. One stamp may name two shapes; then the identifier decides.
  struct Member: Hashable, Comparable, Sendable {
    let stamp: Stamp
    let shape: Identifier

    static func < (left: Member, right: Member) -> Bool {
      left.stamp != right.stamp ? left.stamp < right.stamp : left.shape < right.shape
    }
  }

  /// Sorted; the first shows the name bare.
  private(set) var members: [Member] = []

  /// Numbers that can't be shown because some shape carries the name with the number behind it. Sorted.
  private(set) var taken: [Int] = []

  /// Nobody carries the name, and nothing is to be remembered about it.
  var isEmpty: Bool { members.isEmpty && taken.isEmpty }

  // MARK: - Members

  /// Where the member is, or where it would be.
  func rank(of member: Member) -> Int {
    // Whoever comes last was mostly named last.
    guard let last = members.last, !(last < member) else { return members.count }
    return members.partitionIndex { members[$0] < member }
  }

  mutating func insert(_ member: Member) { members.insert(member, at: rank(of: member)) }

  mutating func remove(_ member: Member) { members.remove(at: rank(of: member)) }

  // MARK: - Numbers

  /// What the member of that rank shows behind the name; one is the first's, who shows none.
  func number(atRank rank: Int) -> Int {
    guard rank > 0 else { return 1 }
    // Before the taken number at `index` there are `taken[index] - 2 - index` free ones.
    let passedOver = taken.partitionIndex { taken[$0] - 2 - $0 < rank }
    return rank + 1 + passedOver
  }

  /// Which rank shows, or would show if it were free, the number or else the next free one.
  func rank(atNumber number: Int) -> Int {
    guard number > 1 else { return 0 }
    return number - 1 - takenCount(below: number)
  }

  /// Those who show the number or a greater one, or would if it were free.
  func ranks(from number: Int) -> Range<Int> {
    min(rank(atNumber: number), members.count)..<members.count
  }

  mutating func take(_ number: Int) { taken.insert(number, at: takenCount(below: number)) }

  mutating func free(_ number: Int) { taken.remove(at: takenCount(below: number)) }

  private func takenCount(below number: Int) -> Int {
    taken.partitionIndex { taken[$0] < number }
  }
}
