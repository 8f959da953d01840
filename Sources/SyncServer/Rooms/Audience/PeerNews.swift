import CanvasCRDT

/// The seats (indices) of members that have shown something since the last broadcast.
///
/// What always holds: a seat is listed at most once, and only while its member has presence that others have not been
/// sent.
struct PeerNews: Sendable {
  private(set) var showing: [Int32] = []

  mutating func shows(_ seat: Int32) { showing.append(seat) }
  mutating func went(seat: Int32) { showing.removeAll { $0 == seat } }

  /// A broadcast has sent the presence of all listed seats except these.
  mutating func told(butFor waiting: [Int32]) { if !showing.isEmpty { showing = waiting } }
}
