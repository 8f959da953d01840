import CanvasCRDT
import Synchronization

/// All rooms that a token covers, by name.
///
/// For 100,000 rooms the list has hundreds of thousands of values, and freeing them takes as long as making them. So
/// the list is made, corrected and freed on another thread.
struct RoomList: Sendable {
  /// A room whose shapes can be counted only by opening it.
  struct Uncounted: Sendable {
    let index: Int
    let name: String
  }

  /// The result of opening a room to count its shapes.
  enum Correction: Sendable {
    case counted(RoomListing)
    case faulty(Text)
    case deleted
  }

  private let listings: Handover<[RoomListing]>
  private var corrections: [Int: Correction] = [:]

  init(_ listings: [RoomListing]) { self.listings = Handover(listings) }

  mutating func correct(_ room: Uncounted, _ correction: Correction) { corrections[room.index] = correction }

  /// Takes the rooms out of the list. Only the first call gets them.
  func take() -> [RoomListing] {
    var listings = listings.take() ?? []
    var deleted: Set<Int> = []
    for (index, correction) in corrections {
      switch correction {
      case .counted(let listing): listings[index] = listing
      case .faulty(let words): listings[index].fault = words
      case .deleted: deleted.insert(index)
      }
    }
    guard !deleted.isEmpty else { return listings }
    return listings.indices.filter { !deleted.contains($0) }.map { listings[$0] }
  }
}
