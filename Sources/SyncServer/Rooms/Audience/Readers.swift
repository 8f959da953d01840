import CanvasCRDT

/// How far each connection of a room has come, by its seat.
///
/// What always holds:
/// - A seat that is taken has a reader and a lane, and they are of the same connection.
/// - A plain lane is that of a reader to which nothing but the next beats is to be sent.
/// - A reader that may have something to be sent is listed as ready, or everyone is.
/// - A blocked one is offered nothing before its socket takes more.
struct Readers: Sendable {
  private let limits: Limits
  private var readers: [Reader?] = []
  /// Beside `readers`, one for each.
  private var lanes: [Lane] = []
  /// Who may have something to be sent since `takeReady` was last asked.
  private var readySeats: [Int32] = []
  private var isEveryoneReady = false

  init(limits: Limits) { self.limits = limits }

  // MARK: Coming and going

  mutating func seat(_ reader: Reader) {
    let seat = reader.id.seat
    while readers.count <= seat {
      readers.append(nil)
      lanes.append(Lane(id: reader.id, channel: reader.channel))
    }
    readers[seat] = reader
    lanes[seat] = Lane(id: reader.id, channel: reader.channel)
  }

  mutating func vacate(_ seat: Int) {
    readers[seat] = nil
    lanes[seat].isPlain = false
  }

  mutating func removeAll() {
    readers = []
    lanes = []
    readySeats = []
    isEveryoneReady = false
  }

  // MARK: Answers

  /// Keeps an answer until it may be sent.
  /// - Returns: whether its reader's reading is to be paused now.
  mutating func answer(_ id: MemberID, _ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool = false) -> Bool {
    readers[id.seat]?.answer(bytes, after: ordinal, isDigest: isDigest)
    lanes[id.seat].isPlain = false
    if !lanes[id.seat].isReady {
      lanes[id.seat].isReady = true
      readySeats.append(id.index)
    }
    return pausesReading(id)
  }

  mutating func deferDigest(of id: MemberID) -> Bool { readers[id.seat]?.deferDigest() ?? false }

  /// So many operations of a connection are on their way to the log now.
  /// - Returns: whether its reading is to be paused now.
  mutating func entered(operations: Int, by id: MemberID) -> Bool {
    readers[id.seat]?.entered(operations: UInt64(operations))
    return pausesReading(id)
  }

  /// - Returns: whether its reading is to go on now.
  mutating func landed(operations: UInt64, of id: MemberID) -> Bool {
    readers[id.seat]?.landed(operations: operations)
    return resumesReading(at: id.seat) != nil
  }

  private mutating func pausesReading(_ id: MemberID) -> Bool { readers[id.seat]?.pausesReading(limits) ?? false }

  /// - Returns: the connection, where its reading is to go on now.
  mutating func resumesReading(at seat: Int) -> MemberID? {
    readers[seat]?.resumesReading(limits) == true ? lanes[seat].id : nil
  }

  // MARK: - Sending

  /// There is a new beat.
  mutating func everyoneIsReady() { isEveryoneReady = true }
  /// Whether anyone may have something to be sent.
  var isReady: Bool { isEveryoneReady || !readySeats.isEmpty }

  enum Ready {
    case everyone
    case seats([Int32])
  }

  /// Who may have something to be sent since this was last asked.
  mutating func takeReady() -> Ready {
    let seats = readySeats
    readySeats = []
    for seat in seats where lanes.indices.contains(Int(seat)) { lanes[Int(seat)].isReady = false }
    guard isEveryoneReady else { return .seats(seats) }
    isEveryoneReady = false
    return .everyone
  }

  var seats: Range<Int> { lanes.indices }
  /// Whether nothing has been sent in part.
  func isBetweenMessages(_ seat: Int) -> Bool { readers[seat]?.isSending == false }
  func isBlocked(_ seat: Int) -> Bool { lanes[seat].isBlocked }
  mutating func unblock(_ seat: Int) { lanes[seat].isBlocked = false }

  /// Whether a seat's socket takes bytes and there may be some for it.
  func mayBeSent(_ seat: Int, _ ring: borrowing Ring) -> Bool {
    !lanes[seat].isBlocked && !(lanes[seat].isPlain && lanes[seat].place == ring.end)
  }

  /// The short way, which nearly all go in a busy room: all that they lack is the newest beat, as everyone gets it.
  mutating func offerNewest(_ ring: borrowing Ring, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) {
    guard !ring.isEmpty else { return }
    let last = ring.end &- 1
    let beat = ring[last]
    for channel in 0..<Channel.count where !beat.bytes[channel].isEmpty {
      let bytes = beat.bytes[channel]
      bytes.withUnsafeBytes { buffer in
        for seat in lanes.indices {
          let lane = lanes[seat]
          guard lane.isPlain, lane.place == last, lane.channel.index == channel, !lane.isBlocked else { continue }
          // Nobody is told of oneself.
          if !beat.peers.isEmpty, let actor = readers[seat]?.actor, beat.peers.concern(actor) { continue }
          let taken = write(lane.id, buffer)
          if taken >= buffer.count {
            lanes[seat].place = last &+ 1
          } else {
            lanes[seat].isPlain = false
            lanes[seat].isBlocked = true
            readers[seat]?.load(bytes, .beat, taken: max(0, taken))
          }
        }
      }
    }
  }

  /// What a connection is to be sent next.
  enum Next {
    /// It has all there is.
    case nothing
    /// What has been loaded: to be offered.
    case loaded
    /// A part of a stream of state: to be loaded.
    case part(Int, stream: Int)
    /// A beat of the ring: to be loaded.
    case beat(UInt64, Channel, Identifier)
    /// The ring has gone on without it: it has to enter a stream of state.
    case state
  }

  mutating func next(_ seat: Int, _ ring: borrowing Ring) -> Next {
    guard let stage = readers[seat]?.stage else {
      lanes[seat].isPlain = false
      return .nothing
    }
    if readers[seat]?.isSending == true { return .loaded }
    switch stage {
    case .state(let stream, let part):
      // Only the welcome and such come before the state is there.
      return readers[seat]?.loadAnswers(upTo: 0) == true ? .loaded : .part(part, stream: stream)
    case .notices(let buffers, let index):
      readers[seat]?.load(buffers[index], .notice)
      return .loaded
    case .live:
      let place = lanes[seat].place
      if place >= ring.start, place < ring.end, let actor = readers[seat]?.actor {
        return .beat(place, lanes[seat].channel, actor)
      }
      if readers[seat]?.loadAnswers(upTo: place) == true { return .loaded }
      guard place >= ring.end else { return .state }
      lanes[seat].isPlain = readers[seat]?.isPlain ?? false
      return .nothing
    }
  }

  mutating func load(part bytes: [UInt8], at seat: Int) { readers[seat]?.load(bytes, .part) }

  mutating func load(beat bytes: [UInt8], at seat: Int) {
    // Where nothing of the beat was for its channel, it has had it.
    if readers[seat]?.load(beat: bytes, ordinal: lanes[seat].place) == false { lanes[seat].place &+= 1 }
  }

  /// Offers what is loaded.
  /// - Returns: whether the socket took all of it. Where it did not, it is not asked again before `unblock`.
  mutating func offer(_ seat: Int, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) -> Bool {
    guard let sent = readers[seat]?.offer(write) else {
      lanes[seat].isBlocked = true
      lanes[seat].isPlain = false
      return false
    }
    // By now the ring may have dropped the beat that was under way.
    if sent == .beat { lanes[seat].place &+= 1 }
    return true
  }

  // MARK: - Falling behind and catching up

  /// How far in the log a connection has come; nothing where it has to be sent everything.
  func position(of seat: Int) -> UInt64? { readers[seat]?.position }

  func isNew(_ seat: Int) -> Bool { readers[seat]?.told?.isNew == true }

  /// It is sent a stream of state, and goes on at a place in the ring.
  mutating func enter(_ entry: StateStreams.Entry, at seat: Int) {
    readers[seat]?.enter(stream: entry.number)
    lanes[seat].place = entry.place
    lanes[seat].isPlain = false
  }

  /// - Returns: the stream of state that it was in.
  mutating func leaveStream(at seat: Int) -> Int? { readers[seat]?.leaveStream() }

  func wantsDigest(_ seat: Int) -> Bool { readers[seat]?.told?.wantsDigest == true }

  /// A connection has had a state as of a position in the log.
  /// - Returns: what it had been told beside operations, and its place; nothing where the ring has gone on without it. Then
  ///   there is another stream to come, and after that it is told all that it missed at once.
  mutating func reach(_ position: UInt64, at seat: Int, _ ring: borrowing Ring) -> (told: Told, place: UInt64)? {
    readers[seat]?.reach(position)
    guard lanes[seat].place >= ring.start, let told = readers[seat]?.told else { return nil }
    return (told, lanes[seat].place)
  }

  /// It is told what it missed, one buffer after the other, and is back on the ring.
  mutating func catchUp(_ seat: Int, _ notices: [[UInt8]], digest: [UInt8]?, _ ring: borrowing Ring) {
    if let digest { readers[seat]?.answer(digest, after: ring.end, isDigest: true) }
    // Of those whom the next beat brings it has been told.
    readers[seat]?.catchUp(notices, peersToldBefore: ring.end &+ 1)
  }

  /// The ring is about to drop its oldest beat: those who would have got it next remember what they had been told until
  /// then.
  /// - Returns: how many they are.
  mutating func fallOff(_ ring: borrowing Ring, _ dropped: borrowing DroppedBeats) -> Int {
    let ordinal = ring.start
    var peersThere: [Identifier]?
    var count = 0
    for seat in lanes.indices where lanes[seat].place <= ordinal {
      guard let reader = readers[seat] else { continue }
      // A beat that is under way is as good as sent.
      guard lanes[seat].place &+ (reader.isSendingBeat ? 1 : 0) == ordinal else { continue }
      // One that has not yet been told what it missed before keeps to that.
      guard reader.told == nil else { continue }
      var peers = peersThere ?? dropped.peers.sorted()
      peersThere = peers
      if reader.peersToldBefore > ordinal {
        var known = dropped.peers
        for later in ordinal..<min(ring.end, reader.peersToldBefore) {
          known.formUnion(ring[later].peers.joined.map { $0.actor })
        }
        peers = known.sorted()
      }
      readers[seat]?.fallOff(at: ordinal, dropped: dropped, peers: peers)
      lanes[seat].isPlain = false
      count += 1
    }
    return count
  }

  /// Whether everyone has all beats, and nothing is under way to anyone.
  func hasAll(_ ring: borrowing Ring) -> Bool {
    for seat in readers.indices {
      guard let reader = readers[seat] else { continue }
      guard case .live = reader.stage, lanes[seat].place == ring.end else { return false }
    }
    return true
  }

  /// What the readers cost beside the ring.
  var bytesHeld: Int { readers.reduce(0) { $0 + ($1?.bytesHeld ?? 0) } }
}
