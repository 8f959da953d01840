import CanvasCRDT

/// How far each connection of a room has read, by its seat (index).
///
/// What always holds:
/// - A taken seat has a reader and a lane, and both belong to the same connection.
/// - A plain lane belongs to a reader that needs only the next broadcasts.
/// - A reader that might have something to be sent is listed as ready, or its seat is still to come in the current
///   round (one pass over all seats).
/// - A blocked reader is offered nothing until its socket takes more.
struct Readers: Sendable {
  private let limits: Limits
  private(set) var readers: [Reader?] = []
  /// The lane at an index belongs to the reader at the same index.
  private var lanes: [Lane] = []
  /// The seats of readers that became ready (may be sent something) since the last call of `takeReady`.
  private var readySeats: [Int32] = []
  /// The next seat in the current round. A round offers the newest broadcast to every reader.
  private var roundAt = 0
  /// How many seats are left in the current round.
  private var roundLeft = 0
  /// The seats whose readers wait for a state stream, in the order in which the readers came. Some of these seats can
  /// be free by now. No seat is listed twice.
  private var waitingSeats: [Int] = []

  init(limits: Limits) { self.limits = limits }

  // MARK: Coming and going

  mutating func seat(_ reader: Reader) {
    let seat = reader.id.seat
    while readers.count <= seat {
      readers.append(nil)
      lanes.append(Lane(id: reader.id, channel: reader.channel))
    }
    readers[seat] = reader
    var lane = Lane(id: reader.id, channel: reader.channel)
    // The list of waiting seats can still contain this seat because of its former member. A seat must not be listed
    // twice.
    lane.isListedAsWaiting = lanes[seat].isListedAsWaiting
    lanes[seat] = lane
  }

  /// Reserves a seat without a reader, for a guest, because nothing is sent to a guest.
  mutating func keepFree(_ id: MemberID) {
    while readers.count <= id.seat {
      readers.append(nil)
      lanes.append(Lane(id: id, channel: Channel.all[0]))
    }
  }

  mutating func vacate(_ seat: Int) {
    readers[seat] = nil
    lanes[seat].isPlain = false
  }

  mutating func removeAll() {
    readers = []
    lanes = []
    readySeats = []
    waitingSeats = []
    roundAt = 0
    roundLeft = 0
  }

  // MARK: Answers

  /// Keeps an answer until it may be sent.
  /// - Returns: whether reading from that connection has to pause now.
  mutating func answer(_ id: MemberID, _ bytes: [UInt8], after ordinal: UInt64, isDigest: Bool = false) -> Bool {
    readers[id.seat]?.answer(bytes, after: ordinal, isDigest: isDigest)
    lanes[id.seat].isPlain = false
    becomesReady(id)
    return pausesReading(id)
  }

  private mutating func becomesReady(_ id: MemberID) {
    guard !lanes[id.seat].isReady else { return }
    lanes[id.seat].isReady = true
    readySeats.append(id.index)
  }

  /// Postpones a digest for a reader that is behind.
  /// - Returns: whether reading from that connection has to pause now. `nil` if the reader is not behind, so that the
  ///   digest can be made at once.
  mutating func deferDigest(of id: MemberID) -> Bool? {
    readers[id.seat]?.deferDigest() == true ? pausesReading(id) : nil
  }

  /// Counts operations of a connection that are now pending in the log.
  /// - Returns: whether reading from the connection has to pause now.
  mutating func entered(operations: Int, by id: MemberID) -> Bool {
    readers[id.seat]?.entered(operations: UInt64(operations))
    return pausesReading(id)
  }

  /// The log has stored or refused operations of a connection.
  /// - Returns: whether reading from the connection has to go on now.
  mutating func landed(operations: UInt64, of id: MemberID) -> Bool {
    readers[id.seat]?.landed(operations: operations)
    return resumesReading(at: id.seat) != nil
  }

  func hasPausedReading(from id: MemberID) -> Bool { readers[id.seat]?.isReadingPaused ?? false }

  private mutating func pausesReading(_ id: MemberID) -> Bool { readers[id.seat]?.pausesReading(limits) ?? false }

  /// - Returns: the connection, if reading from it has to go on now.
  mutating func resumesReading(at seat: Int) -> MemberID? {
    readers[seat]?.resumesReading(limits) == true ? lanes[seat].id : nil
  }

  // MARK: - Sending

  /// Begins a round of all readers, because there is a new broadcast. It begins where the previous round stopped, so
  /// that readers who were not offered the previous broadcast come first.
  mutating func everyoneIsReady() { roundLeft = lanes.count }
  /// Whether there might be a reader that has to be sent something.
  var isReady: Bool { roundLeft > 0 || !readySeats.isEmpty }

  /// The readers that may have something to be sent: those that became ready since the last call, and the next seats of
  /// the round.
  mutating func takeReady(ofRoundMax: Int) -> (listed: [Int32], ofRound: Range<Int>) {
    let listed = readySeats
    readySeats = []
    for seat in listed where lanes.indices.contains(Int(seat)) { lanes[Int(seat)].isReady = false }
    if roundAt >= lanes.count { roundAt = 0 }
    let start = roundAt
    roundAt = min(lanes.count, start + min(roundLeft, ofRoundMax))
    roundLeft -= roundAt - start
    return (listed, start..<roundAt)
  }

  var seatCount: Int { lanes.count }
  /// False if the seat's socket has taken a message only in part.
  func isBetweenMessages(_ seat: Int) -> Bool { readers[seat]?.isSending == false }
  func isBlocked(_ seat: Int) -> Bool { lanes[seat].isBlocked }
  mutating func unblock(_ seat: Int) { lanes[seat].isBlocked = false }

  /// Whether a seat's socket can take bytes, and there might be bytes to send.
  func mayBeSent(_ seat: Int, _ ring: borrowing Ring) -> Bool {
    !lanes[seat].isBlocked && !(lanes[seat].isPlain && lanes[seat].place == ring.end)
  }

  /// Offers the newest broadcasts to readers that need nothing else. That is nearly all readers of a busy room, so this
  /// path is fast. If more broadcasts are made during a round, the readers that come later in the round get all of them
  /// in one write.
  mutating func offerNewest(
    _ ring: borrowing Ring,
    to seats: Range<Int>,
    _ write: (MemberID, UnsafeRawBufferPointer) -> Int
  ) {
    var known: [NewestBeats] = []
    for seat in seats {
      let lane = lanes[seat]
      guard lane.isPlain, !lane.isBlocked, lane.place >= ring.start, lane.place < ring.end else { continue }
      let index = known.firstIndex { $0.place == lane.place && $0.channel == lane.channel } ?? known.count
      if index == known.count { known.append(NewestBeats(from: lane.place, for: lane.channel, ring)) }
      // A reader must not be told about itself, or twice about another person. If the broadcast would do that, the
      // reader takes the slower path, which leaves such news out.
      if known[index].tellsOfPeople, let reader = readers[seat], concern(reader, from: lane.place, ring) { continue }
      let bytes = known[index].bytes
      guard !bytes.isEmpty else { continue }
      let taken = bytes.withUnsafeBytes { write(lane.id, $0) }
      if taken >= bytes.count {
        lanes[seat].place = ring.end
        continue
      }
      lanes[seat].isPlain = false
      lanes[seat].isBlocked = true
      guard taken > 0 else { continue }
      readers[seat]?.load(bytes, .leap(to: ring.end), taken: taken)
      if let beat = readers[seat]?.beginsLeap() { lanes[seat].place = beat }
    }
  }

  /// Whether the broadcasts that start at `place` are about the reader itself, or about people that the reader already
  /// knows.
  private func concern(_ reader: Reader, from place: UInt64, _ ring: borrowing Ring) -> Bool {
    for ordinal in place..<ring.end where !ring[ordinal].peers.isEmpty {
      if ordinal < reader.peopleToldBefore || ring[ordinal].peers.concern(reader.actor) { return true }
    }
    return false
  }

  /// What to send to a connection next.
  enum Next {
    /// Nothing, because the connection has got everything.
    case nothing
    /// The bytes that are already loaded. They have to be offered to the socket.
    case loaded
    /// A part of the room's state, which has to be loaded.
    case part(Int, stream: Int)
    /// A broadcast of the ring buffer, which has to be loaded.
    case beat(UInt64, Channel, BeatRecipient)
    /// The presence of other members that this connection has not been sent yet.
    case states(Channel)
    /// The room's state, because the ring buffer no longer has the connection's next broadcast. The connection has to
    /// enter a state stream.
    case state
  }

  mutating func next(_ seat: Int, _ ring: borrowing Ring) -> Next {
    guard let stage = readers[seat]?.stage else {
      lanes[seat].isPlain = false
      return .nothing
    }
    if readers[seat]?.isSending == true { return .loaded }
    switch stage {
    case .waiting: return readers[seat]?.loadAnswers(upTo: 0) == true ? .loaded : .nothing
    case .state(let stream, let part):
      // Before a part of the state, only answers that refer to no broadcast may be sent, such as the welcome.
      return readers[seat]?.loadAnswers(upTo: 0) == true ? .loaded : .part(part, stream: stream)
    case .notices(let buffers, let index):
      readers[seat]?.load(buffers[index], .notice)
      return .loaded
    case .live:
      let place = lanes[seat].place
      if place >= ring.start, place < ring.end, let reader = readers[seat] {
        let listener = BeatRecipient(actor: reader.actor, knowsPeople: place < reader.peopleToldBefore)
        return .beat(place, lanes[seat].channel, listener)
      }
      if readers[seat]?.loadAnswers(upTo: place) == true { return .loaded }
      guard place >= ring.end else { return .state }
      if isOwedStates(seat) { return .states(lanes[seat].channel) }
      lanes[seat].isPlain = readers[seat]?.isPlain ?? false
      return .nothing
    }
  }

  mutating func load(part bytes: [UInt8], at seat: Int) { readers[seat]?.load(bytes, .part) }

  mutating func load(states bytes: [UInt8], owed: [Identifier], at seat: Int) {
    readers[seat]?.load(states: bytes, owed: owed)
  }

  /// The members whose newest presence a connection still has to be sent. Those who have waited longest come first.
  func owed(at seat: Int) -> [Identifier] { readers[seat]?.owed ?? [] }
  /// Whether a connection still has to be sent presence, because it was too slow.
  func isOwedStates(_ seat: Int) -> Bool { readers[seat]?.owed.isEmpty == false }

  mutating func load(beat bytes: [UInt8], at seat: Int) {
    // If the broadcast has nothing for this channel, it is skipped as if it had been sent.
    if readers[seat]?.load(beat: bytes, ordinal: lanes[seat].place) == false { lanes[seat].place &+= 1 }
  }

  /// Offers the loaded bytes to a seat's socket.
  /// - Returns: whether the socket took all of them. If not, the socket is offered nothing more before `unblock`.
  mutating func offer(_ seat: Int, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) -> Bool {
    guard let sent = readers[seat]?.offer(write) else {
      lanes[seat].isBlocked = true
      lanes[seat].isPlain = false
      if let beat = readers[seat]?.beginsLeap() { lanes[seat].place = beat }
      return false
    }
    switch sent {
    // The broadcast's ordinal isn't used, because the ring buffer might have dropped the broadcast meanwhile.
    case .beat: lanes[seat].place &+= 1
    case .leap(let end): lanes[seat].place = end
    case .answers, .part, .notice, .states: break
    }
    return true
  }

  // MARK: - Newest values in place of broadcasts

  /// The broadcasts that a connection lacks. `nil` if the ring buffer no longer has all of them.
  func gap(at seat: Int, _ ring: borrowing Ring, _ dropped: borrowing DroppedBeats) -> BeatGap? {
    let place = lanes[seat].place
    guard place >= ring.start, place < ring.end, let reader = readers[seat], let position = reader.position else {
      return nil
    }
    let told = place > ring.start ? ring[place &- 1].position : dropped.position
    return BeatGap(
      place: place,
      peopleFrom: max(place, reader.peopleToldBefore),
      since: max(position, told),
      channel: lanes[seat].channel,
      actor: reader.actor
    )
  }

  /// Starts to send the newest values instead of the broadcasts that a connection lacks.
  /// - Parameters:
  ///   - newest: the bytes for all connections that lack the same broadcasts.
  ///   - own: the bytes about people, for this connection alone.
  mutating func leap(
    _ seat: Int,
    _ newest: [UInt8],
    _ own: [UInt8],
    owed: [Identifier],
    _ ring: borrowing Ring,
    digest: () -> [UInt8]
  ) {
    readers[seat]?.load(newest: newest, own, from: lanes[seat].place, to: ring.end, owed: owed, digest: digest)
    // If nothing was loaded, the broadcasts have nothing for this connection, and count as sent.
    if readers[seat]?.isSending == false { lanes[seat].place = ring.end }
  }

  // MARK: - Falling behind and catching up

  /// The log position up to which a connection has read. `nil` if it has to be sent everything.
  func position(of seat: Int) -> UInt64? { readers[seat]?.position }

  func party(of seat: Int) -> String { readers[seat]?.party ?? "" }

  /// How many state streams in a row were ended before the connection had got the whole stream.
  func statesLost(_ seat: Int) -> Int { readers[seat]?.statesLost ?? 0 }

  /// Whether the last request of this reader for a state stream was refused because there were too many streams. The
  /// reader would be refused again, because it lacks at least as much now.
  func wasTurnedAway(_ seat: Int) -> Bool {
    if case .waiting(wasTurnedAway: true)? = readers[seat]?.stage { true } else { false }
  }

  func isNew(_ seat: Int) -> Bool { readers[seat]?.told?.isNew == true }

  /// Lists the connection as waiting for a state stream.
  /// - Parameter wasTurnedAway: whether it waits because there are too many streams.
  mutating func waitForState(at seat: Int, wasTurnedAway: Bool) {
    readers[seat]?.waitForState(wasTurnedAway: wasTurnedAway)
    lanes[seat].isPlain = false
    guard !lanes[seat].isListedAsWaiting else { return }
    lanes[seat].isListedAsWaiting = true
    waitingSeats.append(seat)
  }

  /// Takes all connections off the list of those that wait for a state stream.
  /// - Returns: their seats, the one that has waited longest first.
  mutating func takeWaiting() -> [Int] {
    guard !waitingSeats.isEmpty else { return [] }
    let listed = waitingSeats
    waitingSeats = []
    for seat in listed { lanes[seat].isListedAsWaiting = false }
    return listed.filter { if case .waiting? = readers[$0]?.stage { true } else { false } }
  }

  /// The connection reads a state stream from now on. Afterwards it continues with the broadcasts in the ring buffer.
  mutating func enter(_ entry: StateStreams.Entry, at seat: Int) {
    readers[seat]?.enter(stream: entry.number)
    lanes[seat].place = entry.place
    lanes[seat].isPlain = false
    becomesReady(lanes[seat].id)
  }

  mutating func loseStream(at seat: Int) { readers[seat]?.loseStream() }

  /// Takes a connection out of its state stream.
  /// - Returns: the number of the stream that it was reading.
  mutating func leaveStream(at seat: Int) -> Int? { readers[seat]?.leaveStream() }

  func wantsDigest(_ seat: Int) -> Bool { readers[seat]?.told.map { $0.digestsWanted > 0 } ?? false }

  /// A connection has been sent the state up to a log position.
  /// - Returns: what the connection knew besides operations, and the ordinal of its next broadcast. `nil` if the ring
  ///   buffer has dropped that broadcast. Then the connection has to read another state stream.
  mutating func reach(_ position: UInt64, at seat: Int, _ ring: borrowing Ring) -> (told: Told, place: UInt64)? {
    readers[seat]?.reach(position)
    guard lanes[seat].place >= ring.start, let told = readers[seat]?.told else { return nil }
    return (told, lanes[seat].place)
  }

  /// The connection is sent what it missed, one buffer after the other, and then gets broadcasts again.
  mutating func catchUp(
    _ seat: Int,
    _ notices: [[UInt8]],
    digests: [[UInt8]],
    peopleToldBefore: UInt64,
    _ ring: borrowing Ring
  ) {
    for digest in digests { readers[seat]?.answer(digest, after: ring.end, isDigest: true) }
    readers[seat]?.catchUp(notices, peopleToldBefore: peopleToldBefore)
  }

  /// Called before the ring buffer drops its oldest broadcast. For each reader that needs this broadcast next, records
  /// what the reader knows.
  /// - Returns: how many readers need this broadcast.
  mutating func fallOff(_ ring: borrowing Ring, _ dropped: borrowing DroppedBeats) -> Int {
    let ordinal = ring.start
    var count = 0
    for seat in lanes.indices where lanes[seat].place <= ordinal {
      guard let reader = readers[seat] else { continue }
      // A broadcast that is being sent counts as sent.
      guard lanes[seat].place &+ (reader.isSendingBeat ? 1 : 0) == ordinal else { continue }
      // If `told` is set already, the reader has not caught up since it was set. So `told` is kept.
      guard reader.told == nil else { continue }
      fallOff(seat, at: ordinal, ring, dropped)
      count += 1
    }
    return count
  }

  private mutating func fallOff(_ seat: Int, at ordinal: UInt64, _ ring: borrowing Ring, _ dropped: DroppedBeats) {
    guard let reader = readers[seat] else { return }
    var people = dropped.peers
    for later in ordinal..<max(ordinal, min(ring.end, reader.peopleToldBefore)) {
      people.subtract(ring[later].peers.left)
      people.formUnion(ring[later].peers.joined.map { $0.actor })
    }
    readers[seat]?.fallOff(at: ordinal, dropped: dropped, people: people)
    lanes[seat].isPlain = false
  }

  /// Makes the connection read the room's state, because it is too many broadcasts behind.
  /// - Parameter told: what is known to readers that have got the same broadcasts as this connection.
  mutating func fallBehind(_ seat: Int, _ ring: borrowing Ring, told: DroppedBeats) {
    fallOff(seat, at: lanes[seat].place, ring, told)
  }

  /// Whether every reader has got all broadcasts, and no bytes are being sent to any.
  func hasAll(_ ring: borrowing Ring) -> Bool {
    for seat in readers.indices {
      guard let reader = readers[seat] else { continue }
      guard case .live = reader.stage, lanes[seat].place == ring.end else { return false }
    }
    return true
  }

  /// The most memory that one reader takes, not counting the ring buffer.
  var bytesHeldMost: Int { readers.reduce(0) { max($0, $1?.bytesHeld ?? 0) } }
}
