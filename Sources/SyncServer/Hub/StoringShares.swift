/// How many bytes of each address wait to be stored.
///
/// The log stores the batches of all clients in the order in which they came. Without a bound, one address with many
/// connections could fill that queue while the disk is slow, and everybody would wait for all of it. So an address with
/// too many bytes can write nothing new until the log has stored half of them.
///
/// What always holds: an address is full from the time when it reaches `bytesMax` until at most half of that waits.
struct StoringShares {
  /// As much as a slow disk stores in a second or two.
  private let bytesMax: Int
  private var waiting: [String: Int] = [:]
  private var full: Set<String> = []

  init(bytesMax: Int = 4 << 20) { self.bytesMax = bytesMax }

  func isFull(_ party: String) -> Bool { full.contains(party) }

  mutating func add(_ bytes: Int, of party: String) {
    waiting[party, default: 0] += bytes
    if waiting[party, default: 0] >= bytesMax { full.insert(party) }
  }

  mutating func remove(_ bytes: Int, of party: String) {
    let left = waiting[party, default: 0] - bytes
    waiting[party] = left > 0 ? left : nil
    if left <= bytesMax / 2 { full.remove(party) }
  }
}
