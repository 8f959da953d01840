import CanvasCRDT

/// The seats with new presence since the last beat.
///
/// What always holds: a seat is listed at most once, and only while its member has something to tell.
struct PeerNews: Sendable {
  /// The seats of members with presence that others have not been sent.
  private(set) var showing: [Int32] = []

  mutating func shows(_ seat: Int32) { showing.append(seat) }
  mutating func went(seat: Int32) { showing.removeAll { $0 == seat } }

  /// To be called when all of it has been sent, except the presence of these seats.
  mutating func told(butFor waiting: [Int32]) { if !showing.isEmpty { showing = waiting } }
}
