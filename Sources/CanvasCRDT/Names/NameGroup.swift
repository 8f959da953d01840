/// The live shapes with one name, and the numbers after it that are taken.
///
/// A shape's number is computed from its rank and isn't stored. So when a shape goes, the numbers of all after it shift
/// at no cost.
struct NameGroup: Hashable, Sendable {
  /// Which actor wrote the name, and when. If one stamp names two shapes, the identifiers decide.
  struct Member: Hashable, Comparable, Sendable {
    let stamp: Stamp
    let shape: Identifier

    static func < (left: Member, right: Member) -> Bool {
      left.stamp != right.stamp ? left.stamp < right.stamp : left.shape < right.shape
    }
  }

  /// Sorted. The first one shows the name without a number.
  private(set) var members: [Member] = []

  /// Numbers that can't be shown, because a shape has the name with that number as its own name. Sorted.
  private(set) var taken: [Int] = []

  /// Whether no shape has the name and no number is taken.
  var isEmpty: Bool { members.isEmpty && taken.isEmpty }

  // MARK: - Members

  /// The index of the member, or the index where it would be inserted.
  func rank(of member: Member) -> Int {
    // Mostly the newest name is searched for, and that one is last.
    guard let last = members.last, !(last < member) else { return members.count }
    return members.partitionIndex { members[$0] < member }
  }

  mutating func insert(_ member: Member) { members.insert(member, at: rank(of: member)) }

  mutating func remove(_ member: Member) { members.remove(at: rank(of: member)) }

  // MARK: - Numbers

  /// The number that the member of that rank shows after the name. It is 1 for the first, which shows no number.
  func number(atRank rank: Int) -> Int {
    guard rank > 0 else { return 1 }
    // Before the taken number at `index` there are `taken[index] - 2 - index` free ones.
    let passedOver = taken.partitionIndex { taken[$0] - 2 - $0 < rank }
    return rank + 1 + passedOver
  }

  /// The rank that shows the number. If the number is taken: the rank that shows the next free one.
  func rank(atNumber number: Int) -> Int {
    guard number > 1 else { return 0 }
    return number - 1 - takenCount(below: number)
  }

  /// The ranks that show this number or a greater one, or would if it were free.
  func ranks(from number: Int) -> Range<Int> {
    min(rank(atNumber: number), members.count)..<members.count
  }

  mutating func take(_ number: Int) { taken.insert(number, at: takenCount(below: number)) }

  mutating func free(_ number: Int) { taken.remove(at: takenCount(below: number)) }

  private func takenCount(below number: Int) -> Int {
    taken.partitionIndex { taken[$0] < number }
  }
}
