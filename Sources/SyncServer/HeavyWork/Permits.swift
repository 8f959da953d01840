import Basics

/// A number of permits, of which no party (client's address) has more than its share.
struct Permits {
  let most: Int
  let mostOfParty: Int
  private(set) var taken = 0
  private var ofParty: [String: Int] = [:]

  init(most: Int, ofParty mostOfParty: Int = .max) {
    (self.most, self.mostOfParty) = (most, mostOfParty)
  }

  func taken(by party: String) -> Int { ofParty[party, default: 0] }

  /// - Returns: whether a permit was free for the party.
  mutating func take(_ party: String) -> Bool {
    guard taken < most, taken(by: party) < mostOfParty else { return false }
    taken += 1
    ofParty[party, default: 0] += 1
    return true
  }

  mutating func giveBack(_ party: String) {
    taken -= 1
    ofParty.countDown(party)
  }
}
