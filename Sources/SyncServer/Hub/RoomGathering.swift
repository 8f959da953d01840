import CanvasCRDT
import RoomLog

// The list of rooms, put together from the log and from the open rooms.

extension RoomList {
  /// - Returns: the list, and a few rooms that have to be opened to count their shapes.
  static func gather(
    _ stored: [RoomSummary],
    open: [RoomListing],
    elsewhere: [String: Int],
    _ grant: Grant,
    uncountedMax: Int
  ) -> (list: RoomList, uncounted: [Uncounted]) {
    let open = Dictionary(open.map { ($0.room.string, $0) }) { $1 }
    let visible = stored.filter { grant.covers($0.room) }
    let sorted = visible.sorted { $0.room.utf8.lexicographicallyPrecedes($1.room.utf8) }
    let listings = sorted.map { open[$0.room] ?? RoomListing($0, peers: elsewhere[$0.room] ?? 0) }
    let uncounted = listings.indices.lazy
      .filter { listings[$0].isUncounted && listings[$0].fault == nil }
      .prefix(uncountedMax)
      .map { Uncounted(index: $0, name: sorted[$0].room) }
    return (RoomList(listings), Array(uncounted))
  }
}

extension RoomListing {
  /// A room's entry, made from what the log knows without reading records. A client can't join with the entry's cursor,
  /// because it isn't known which server processes wrote the records. The cursor only shows whether something was
  /// written.
  /// - Parameter peers: how many people other nodes have in the room.
  init(_ summary: RoomSummary, peers: Int) {
    self.init(
      room: Text(summary.room),
      shapes: Int(clamping: summary.snapshot?.shapes ?? 0),
      peers: peers,
      places: RoomPlaces(epoch: summary.epoch),
      position: summary.last,
      operations: summary.operations,
      isUncounted: summary.snapshot?.position != summary.last,
      fault: summary.damage.map { Text("\($0)") }
    )
  }
}
