import CanvasCRDT

/// How far each connection of a room has read, by its seat.
///
/// What always holds:
/// - A taken seat has a reader and a lane, and both are of the same connection.
/// - A plain lane belongs to a reader that needs only the next beats.
/// - A reader that may have something to be sent is listed as ready, or comes later in the current round.
/// - A blocked reader is offered nothing until its socket takes more.
struct Readers: Sendable {
  private let limits: Limits
  private var readers: [Reader?] = []
  /// Parallel to `readers`: one lane for each reader.
  private var lanes: [Lane] = []
  /// The seats of readers that may have something to be sent since `takeReady` was last called.
  private var readySeats: [Int32] = []
  /// The round in which every reader is offered the newest beat: the next seat, and how many seats are left.
  private var roundAt = 0
  private var roundLeft = 0
  /// The seats that wait for a stream of state, first come first. Some may be free by now. No seat is listed twice.
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
    // The seat may still be listed for the member that had it before.
    lane.isListedAsWaiting = lanes[seat].isListedAsWaiting
    lanes[seat] = lane
  }

  /// Keeps a seat for somebody who is sent nothing.
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
  /// - Returns: whether reading from that connection is to be paused now.
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

  /// Puts off a digest for a reader that is behind.
  /// - Returns: whether reading from that connection is to be paused now. `nil` if the digest can be made at once.
  mutating func deferDigest(of id: MemberID) -> Bool? {
    readers[id.seat]?.deferDigest() == true ? pausesReading(id) : nil
  }

  /// Counts operations of a connection that are now on their way to the log.
  /// - Returns: whether reading from the connection is to be paused now.
  mutating func entered(operations: Int, by id: MemberID) -> Bool {
    readers[id.seat]?.entered(operations: UInt64(operations))
    return pausesReading(id)
  }

  /// - Returns: whether reading from the connection is to go on now.
  mutating func landed(operations: UInt64, of id: MemberID) -> Bool {
    readers[id.seat]?.landed(operations: operations)
    return resumesReading(at: id.seat) != nil
  }

  func hasPausedReading(from id: MemberID) -> Bool { readers[id.seat]?.isReadingPaused ?? false }

  private mutating func pausesReading(_ id: MemberID) -> Bool { readers[id.seat]?.pausesReading(limits) ?? false }

  /// - Returns: the connection, if reading from it is to go on now.
  mutating func resumesReading(at seat: Int) -> MemberID? {
    readers[seat]?.resumesReading(limits) == true ? lanes[seat].id : nil
  }

  // MARK: - Sending

  /// There is a new beat. Connections that have not been offered the last one go first.
  mutating func everyoneIsReady() { roundLeft = lanes.count }
  /// Whether any reader may have something to be sent.
  var isReady: Bool { roundLeft > 0 || !readySeats.isEmpty }

  /// The readers that may have something to be sent: those that became ready since the last call, and the next ones of
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
  /// Whether no message has been sent in part.
  func isBetweenMessages(_ seat: Int) -> Bool { readers[seat]?.isSending == false }
  func isBlocked(_ seat: Int) -> Bool { lanes[seat].isBlocked }
  mutating func unblock(_ seat: Int) { lanes[seat].isBlocked = false }

  /// Whether a seat's socket takes bytes and there may be some for it.
  func mayBeSent(_ seat: Int, _ ring: borrowing Ring) -> Bool {
    !lanes[seat].isBlocked && !(lanes[seat].isPlain && lanes[seat].place == ring.end)
  }

  /// The fast path, which nearly all readers of a busy room take: they lack only the newest beats, in the form that
  /// everyone gets. While a large room's readers have their turns, new beats may be made. They go out in the same
  /// write.
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
      // A reader is not told of itself, nor twice of anyone.
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

  /// Whether the beats from a place on concern the reader itself, or people whom it already knows.
  private func concern(_ reader: Reader, from place: UInt64, _ ring: borrowing Ring) -> Bool {
    for ordinal in place..<ring.end where !ring[ordinal].peers.isEmpty {
      if ordinal < reader.peopleToldBefore || ring[ordinal].peers.concern(reader.actor) { return true }
    }
    return false
  }

  /// What a connection is sent next.
  enum Next {
    /// The connection has all there is.
    case nothing
    /// Something has been loaded and is to be offered.
    case loaded
    /// A part of a stream of state is to be loaded.
    case part(Int, stream: Int)
    /// A beat of the ring is to be loaded.
    case beat(UInt64, Channel, BeatRecipient)
    /// Presence that the connection hasn't got yet.
    case states(Channel)
    /// The ring has dropped the connection's next beat. The connection has to enter a stream of state.
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
      // Before the state is taken, only answers such as the welcome may be sent.
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

  /// The members whose newest presence is owed to a connection, longest wait first.
  func owed(at seat: Int) -> [Identifier] { readers[seat]?.owed ?? [] }
  /// Whether a connection is owed more presence than its line takes now.
  func isOwedStates(_ seat: Int) -> Bool { readers[seat]?.owed.isEmpty == false }

  mutating func load(beat bytes: [UInt8], at seat: Int) {
    // If the beat has nothing for this channel, it counts as sent.
    if readers[seat]?.load(beat: bytes, ordinal: lanes[seat].place) == false { lanes[seat].place &+= 1 }
  }

  /// Offers what is loaded.
  /// - Returns: whether the socket took all of it. If not, the socket is not offered anything before `unblock`.
  mutating func offer(_ seat: Int, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) -> Bool {
    guard let sent = readers[seat]?.offer(write) else {
      lanes[seat].isBlocked = true
      lanes[seat].isPlain = false
      if let beat = readers[seat]?.beginsLeap() { lanes[seat].place = beat }
      return false
    }
    switch sent {
    // The ring may have dropped the beat while it was being sent, so the place is counted up.
    case .beat: lanes[seat].place &+= 1
    case .leap(let end): lanes[seat].place = end
    case .answers, .part, .notice, .states: break
    }
    return true
  }

  // MARK: - Leaping

  /// The beats that a connection lacks, from its place on. `nil` if the ring no longer has them.
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

  /// Loads the newest values in place of the beats that a connection lacks.
  /// - Parameters:
  ///   - newest: the bytes for all connections that lack the same beats.
  ///   - own: the bytes for this connection alone, about people.
  mutating func leap(
    _ seat: Int,
    _ newest: [UInt8],
    _ own: [UInt8],
    owed: [Identifier],
    _ ring: borrowing Ring,
    digest: () -> [UInt8]
  ) {
    readers[seat]?.load(newest: newest, own, from: lanes[seat].place, to: ring.end, owed: owed, digest: digest)
    // The beats may have nothing for this connection.
    if readers[seat]?.isSending == false { lanes[seat].place = ring.end }
  }

  // MARK: - Falling behind and catching up

  /// How far in the log a connection has read. `nil` if it has to be sent everything.
  func position(of seat: Int) -> UInt64? { readers[seat]?.position }

  func party(of seat: Int) -> String { readers[seat]?.party ?? "" }

  /// Whether there was no space for a stream when this reader last asked. What it lacks has only grown since.
  func wasTurnedAway(_ seat: Int) -> Bool {
    if case .waiting(wasTurnedAway: true)? = readers[seat]?.stage { true } else { false }
  }

  func isNew(_ seat: Int) -> Bool { readers[seat]?.told?.isNew == true }

  /// The connection waits until it can be sent a stream of state.
  /// - Parameter wasTurnedAway: because there was no space for one more stream.
  mutating func waitForState(at seat: Int, wasTurnedAway: Bool) {
    readers[seat]?.waitForState(wasTurnedAway: wasTurnedAway)
    lanes[seat].isPlain = false
    guard !lanes[seat].isListedAsWaiting else { return }
    lanes[seat].isListedAsWaiting = true
    waitingSeats.append(seat)
  }

  /// All connections that wait for a stream of state by now, the one that has waited longest first. They are no longer listed.
  mutating func takeWaiting() -> [Int] {
    guard !waitingSeats.isEmpty else { return [] }
    let listed = waitingSeats
    waitingSeats = []
    for seat in listed { lanes[seat].isListedAsWaiting = false }
    return listed.filter { if case .waiting? = readers[$0]?.stage { true } else { false } }
  }

  /// The connection is sent a stream of state, and then continues at a place in the ring.
  mutating func enter(_ entry: StateStreams.Entry, at seat: Int) {
    readers[seat]?.enter(stream: entry.number)
    lanes[seat].place = entry.place
    lanes[seat].isPlain = false
    becomesReady(lanes[seat].id)
  }

  /// - Returns: the stream of state that the connection was reading.
  mutating func leaveStream(at seat: Int) -> Int? { readers[seat]?.leaveStream() }

  func wantsDigest(_ seat: Int) -> Bool { readers[seat]?.told.map { $0.digestsWanted > 0 } ?? false }

  /// A connection has been sent a state as of a position in the log.
  /// - Returns: what the connection knew besides operations, and its place in the ring. `nil` if the ring has dropped
  ///   that place. Then the connection reads another stream, and after that gets everything that it missed.
  mutating func reach(_ position: UInt64, at seat: Int, _ ring: borrowing Ring) -> (told: Told, place: UInt64)? {
    readers[seat]?.reach(position)
    guard lanes[seat].place >= ring.start, let told = readers[seat]?.told else { return nil }
    return (told, lanes[seat].place)
  }

  /// The connection is sent what it missed, one buffer after the other, and then reads the ring again.
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

  /// The ring is about to drop its oldest beat. The readers that need it next record what they know so far.
  /// - Returns: how many readers fell off.
  mutating func fallOff(_ ring: borrowing Ring, _ dropped: borrowing DroppedBeats) -> Int {
    let ordinal = ring.start
    var count = 0
    for seat in lanes.indices where lanes[seat].place <= ordinal {
      guard let reader = readers[seat] else { continue }
      // A beat that is being sent counts as sent.
      guard lanes[seat].place &+ (reader.isSendingBeat ? 1 : 0) == ordinal else { continue }
      // A reader that has a record already keeps it: it still lacks what it missed before.
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

  /// Gives the connection a stream of state, because it is too many beats behind, or has fallen off the ring.
  /// - Parameter told: what a reader knows that got all beats before this one's place.
  mutating func fallBehind(_ seat: Int, _ ring: borrowing Ring, told: DroppedBeats) {
    fallOff(seat, at: lanes[seat].place, ring, told)
  }

  /// Whether all readers have all beats, and none is being sent anything.
  func hasAll(_ ring: borrowing Ring) -> Bool {
    for seat in readers.indices {
      guard let reader = readers[seat] else { continue }
      guard case .live = reader.stage, lanes[seat].place == ring.end else { return false }
    }
    return true
  }

  /// The bytes that the readers hold beside the ring: all together, and the one that holds most.
  var bytesHeld: (all: Int, most: Int) {
    readers.reduce(into: (0, 0)) { sum, reader in
      guard let held = reader?.bytesHeld else { return }
      sum = (sum.0 + held, max(sum.1, held))
    }
  }

  /// How many were turned away when they asked for a stream of state, and wait for one.
  var turnedAway: Int { readers.indices.count { wasTurnedAway($0) } }
}
