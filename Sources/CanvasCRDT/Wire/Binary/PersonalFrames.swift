extension BinaryEncoding {
  /// Whether a server's frame is to its reader alone: a welcome, an answer, an error. The others tell what happens in
  /// the room, and whoever only writes need not decode them.
  public static func isPersonal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch bytes.first {
    case Kind.delivery, Kind.state, Kind.peerStates, Kind.join, Kind.leave, Kind.overlaps: false
    default: true
    }
  }
}
