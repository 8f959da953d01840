import CanvasCRDT

/// Who came, went and shows something new since the last beat.
///
/// What always holds: one who came and went again since then is on neither list, and a seat is among `showing` once at most.
struct PeerNews: Sendable {
  private(set) var joined: [Identifier] = []
  private(set) var left: [Identifier] = []
  /// The seats of those who show something that others have not been told.
  private(set) var showing: [Int32] = []

  mutating func came(_ actor: Identifier) { joined.append(actor) }

  mutating func went(_ actor: Identifier, seat: Int32) {
    showing.removeAll { $0 == seat }
    if let unannounced = joined.firstIndex(of: actor) {
      joined.remove(at: unannounced)
    } else {
      left.append(actor)
    }
  }

  mutating func shows(_ seat: Int32) { showing.append(seat) }

  /// All of it has been told, but for what these seats show.
  mutating func told(butFor waiting: [Int32]) {
    if !joined.isEmpty { joined = [] }
    if !left.isEmpty { left = [] }
    if !showing.isEmpty { showing = waiting }
  }
}
