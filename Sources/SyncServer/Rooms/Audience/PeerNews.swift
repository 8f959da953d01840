import CanvasCRDT

/// Who came, went and shows something new since the last beat.
///
/// What always holds: a member who came and went again since then is on neither list, and a seat is in `showing` at
/// most once.
struct PeerNews: Sendable {
  private(set) var joined: [Identifier] = []
  private(set) var left: [Identifier] = []
  /// The seats of members who show something that others have not been told.
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

  /// To be called when all of it has been told, except what these seats show.
  mutating func told(butFor waiting: [Int32]) {
    if !joined.isEmpty { joined = [] }
    if !left.isEmpty { left = [] }
    if !showing.isEmpty { showing = waiting }
  }
}
