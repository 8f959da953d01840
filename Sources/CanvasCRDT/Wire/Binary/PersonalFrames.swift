extension BinaryEncoding {
  /// Whether a server's frame is for its receiver alone: a welcome, an answer, an error. The other frames tell what
  /// happens in the room. A client that only writes need not decode those.
  public static func isPersonal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch bytes.first {
    case Kind.delivery, Kind.state, Kind.peerStates, Kind.join, Kind.leave, Kind.overlaps: false
    default: true
    }
  }
}
