import CanvasCRDT

/// A broadcast: all messages that a room sends to everyone at one time, encoded once for each channel that has a
/// member.
struct Beat: Sendable {
  /// The log position that the room has reached with this broadcast.
  var position: UInt64
  /// When the broadcast was made, on the monotonic clock.
  let madeAt: UInt64
  /// By channel: the frames of all messages of the broadcast in one buffer, so that one call offers a whole broadcast
  /// to a socket.
  var bytes = ForEachChannel<[UInt8]>(repeating: [])
  /// For each channel, the offset in `bytes` at which the news about peers begins. From this offset on, a recipient who
  /// is one of these peers gets other bytes, without the news about itself.
  var peersStart = ForEachChannel<Int>(repeating: 0)
  var peers = PeerChanges()

  /// The broadcast's overlaps, for readers that get the combined changes of several broadcasts.
  var overlaps: Overlaps.Notices?

  init(position: UInt64, madeAt: UInt64) {
    self.position = position
    self.madeAt = madeAt
  }

  var byteCount: Int {
    let states = peers.states.reduce(0) { $0 + $1.state.bytes.count }
    return (0..<Channel.count).reduce(states) { $0 + bytes[$1].count }
  }
}

/// The newest broadcasts of a room, in a ring buffer. A connection's place in it is the ordinal of the broadcast that
/// the connection gets next.
struct Ring: Sendable {
  /// The broadcasts by ordinal, from `start` on. Dropped broadcasts leave empty slots at the beginning until the other
  /// broadcasts are moved up.
  private var beats: [Beat] = []
  private var dropped = 0
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0

  /// The ordinal of the next broadcast.
  var end: UInt64 { start &+ UInt64(beats.count - dropped) }
  var count: Int { beats.count - dropped }
  var isEmpty: Bool { count == 0 }

  subscript(ordinal: UInt64) -> Beat {
    _read { yield beats[dropped + Int(ordinal &- start)] }
  }

  mutating func append(_ beat: Beat) {
    byteCount += beat.byteCount
    beats.append(beat)
  }

  mutating func dropFirst() -> Beat {
    let beat = beats[dropped]
    beats[dropped] = Beat(position: 0, madeAt: 0)
    dropped += 1
    start &+= 1
    byteCount -= beat.byteCount
    // The broadcasts are moved to the front of the array only when most of its slots are empty. So the average cost of
    // a broadcast is constant.
    if dropped * 2 > beats.count {
      beats.removeFirst(dropped)
      dropped = 0
    }
    return beat
  }
}
