/// How many bytes each address has in bodies that were delivered to the owner and are not answered yet. Such bodies
/// can't be dropped. So an address may take at most half of the memory that the other addresses leave free.
///
/// What always holds: `all` is the sum over all addresses, and an address without bytes has no entry.
struct HeldShares {
  private let bytesMax: Int
  private let smallBytesMax: Int
  private var ofParty: [String: Int] = [:]
  private var all = 0

  init(bytesMax: Int, smallBytesMax: Int) {
    self.bytesMax = bytesMax
    self.smallBytesMax = smallBytesMax
  }

  /// Counts a body, unless its address would exceed its share. Small bodies, and the first body of each address, are
  /// always accepted.
  /// - Returns: how many bytes were counted, to be given back later; `nil` if the body isn't accepted.
  mutating func takes(_ bytes: Int, of party: String) -> Int? {
    guard bytes > smallBytesMax else { return 0 }
    let own = ofParty[party, default: 0]
    guard own == 0 || own + bytes <= (bytesMax - (all - own)) / 2 else { return nil }
    ofParty[party] = own + bytes
    all += bytes
    return bytes
  }

  mutating func giveBack(_ bytes: Int, of party: String) {
    guard bytes > 0, let own = ofParty[party] else { return }
    ofParty[party] = own > bytes ? own - bytes : nil
    all -= min(own, bytes)
  }
}
