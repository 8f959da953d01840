/// How many bytes of each address wait to be stored.
///
/// The log stores the batches of all clients in the order in which they came. Without a bound, one address with many
/// connections could fill that queue while the disk is slow, and everybody would wait for all of it. So the connections
/// of an address with too many bytes aren't read until the log has stored half of them.
///
/// What always holds: an address is full from the time when it reaches `bytesMax` until at most half of that waits.
struct StoringShares {
  /// As much as a slow disk stores in a second or two.
  private let bytesMax: Int
  private var waiting: [String: Int] = [:]
  private var full: Set<String> = []

  init(bytesMax: Int = 4 << 20) { self.bytesMax = bytesMax }

  func isFull(_ party: String) -> Bool { full.contains(party) }

  /// - Returns: whether this batch has made the address full.
  mutating func add(_ bytes: Int, of party: String) -> Bool {
    waiting[party, default: 0] += bytes
    return waiting[party, default: 0] >= bytesMax && full.insert(party).inserted
  }

  /// - Returns: whether the address is full no longer.
  mutating func remove(_ bytes: Int, of party: String) -> Bool {
    let left = waiting[party, default: 0] - bytes
    waiting[party] = left > 0 ? left : nil
    return left <= bytesMax / 2 && full.remove(party) != nil
  }
}
