import CanvasCRDT

/// All messages that a room sent at one time, encoded once for each channel that has any member.
struct Beat: Sendable {
  /// The room's place in its log after this beat.
  var position: UInt64
  /// When the beat was made, on the monotonic clock.
  let madeAt: UInt64
  /// By channel: the frames of all messages of the beat in one buffer, so that one call offers a whole beat to a
  /// socket.
  var bytes = ForEachChannel<[UInt8]>(repeating: [])
  /// By channel: where in `bytes` the news about peers begins. A recipient that is one of these peers gets a version
  /// without the news about itself.
  var peersStart = ForEachChannel<Int>(repeating: 0)
  var peers = PeerChanges()

  /// The beat's overlaps. They are kept for readers that get a sum over several beats instead of the beats.
  var overlaps: Overlaps.Notices?

  init(position: UInt64, madeAt: UInt64) {
    self.position = position
    self.madeAt = madeAt
  }

  var byteCount: Int { (0..<Channel.count).reduce(0) { $0 + bytes[$1].count } }
}

/// The newest beats of a room. A connection's place in the ring is the ordinal of the beat that the connection gets
/// next.
struct Ring: Sendable {
  /// Beats by ordinal, from `start` on. A dropped beat leaves an empty slot at the beginning of the array until the
  /// other beats are moved up.
  private var beats: [Beat] = []
  private var dropped = 0
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0

  /// The ordinal of the next beat.
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
    // The beats are moved up only after more beats have been dropped than are left. So the cost for each beat stays
    // constant.
    if dropped * 2 > beats.count {
      beats.removeFirst(dropped)
      dropped = 0
    }
    return beat
  }
}
