import CanvasCRDT

/// All messages that a room sent at one time, encoded once for each channel that has any member.
struct Beat: Sendable {
  /// The room's place in its log after this beat.
  var position: UInt64
  /// On the monotonic clock.
  let madeAt: UInt64
  /// By channel: the frames of all its messages in one buffer, so that a connection takes a beat with one call.
  var bytes = ForEachChannel<[UInt8]>(repeating: [])
  /// By channel: where in `bytes` the part about peers begins. A recipient that appears in this part gets a version
  /// without itself.
  var peersStart = ForEachChannel<Int>(repeating: 0)
  var peers = PeerChanges()

  /// The beat's overlaps, for readers that don't get the beat itself.
  var overlaps: Overlaps.Notices?

  init(position: UInt64, madeAt: UInt64) {
    self.position = position
    self.madeAt = madeAt
  }

  var byteCount: Int { (0..<Channel.count).reduce(0) { $0 + bytes[$1].count } }
}

/// The newest beats of a room. A connection's place in it is the ordinal of the beat that the connection gets next.
struct Ring: Sendable {
  /// Beats by ordinal, from `start` on. A dropped beat leaves an empty slot until the array is moved up.
  private var beats: [Beat] = []
  private var dropped = 0
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0

  /// The ordinal of the beat that comes next.
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
    // Moving up costs as much as was dropped since the last time, so the cost per beat stays constant.
    if dropped * 2 > beats.count {
      beats.removeFirst(dropped)
      dropped = 0
    }
    return beat
  }
}
