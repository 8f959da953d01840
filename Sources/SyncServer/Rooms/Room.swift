import CanvasCRDT

/// A room: the state that its log adds up to, and the connections that watch it.
///
/// What a connection writes is checked by `Door` and becomes batches for the log. Only records that the log returns, in
/// its order, change the canvas and reach anyone. So nothing is seen before it is durable, and all nodes that apply the
/// same log have the same room.
///
/// A room is a value without I/O and without a clock: events go in, and `takeEffects` returns what has to be done.
/// Sending is not an effect: `send` offers bytes to connections until they have taken them.
///
/// The room passes each event to the values that it consists of. The file of each value says what always holds of that
/// value.
struct Room: Sendable {
  let name: Text
  /// The state that the log adds up to.
  private(set) var fold: Fold
  /// The limits of the room, and the batches that the log has not answered yet.
  private var door: Door
  private var forgetting: Forgetting
  /// The people in the room, and how far each of them has read.
  var audience: Audience
  /// The messages that go to everyone.
  var fanOut: FanOut
  /// Which shapes overlap. Kept only while somebody asks for overlaps.
  var overlaps: Overlaps
  private let limits: Limits
  /// What other nodes have to be told of the people here. `nil` if the log isn't shared.
  var company: Company?
  var effects: [RoomEffect] = []
  private(set) var counts = RoomCounts()
  /// Whether everyone is being sent away, so that nobody needs to be sent a state or news of those who leave.
  private var isClosing = false

  /// An empty room, or the room of a snapshot. The records after the snapshot have to be passed to `delivered`.
  /// - Parameter imageMilliseconds: when the log stored the snapshot's last record.
  init(
    name: Text,
    epoch: UInt64,
    limits: Limits,
    framing: Framing,
    seed: UInt64,
    image: RoomImage? = nil,
    imageMilliseconds: UInt64 = 0,
    company: Company? = nil,
    vocabularies: [Vocabulary] = Vocabulary.all
  ) {
    self.name = name
    self.company = company
    self.limits = limits
    fold =
      image.map { Fold(epoch: epoch, image: $0, changedMilliseconds: imageMilliseconds) }
      ?? Fold(epoch: epoch, seed: seed)
    door = Door(limits: limits)
    forgetting = Forgetting(limits: limits)
    audience = Audience(limits: limits)
    fanOut = FanOut(limits: limits, framing: framing, vocabularies: vocabularies)
    overlaps = Overlaps(limits: limits)
  }

  /// To be called when the log has created the room, with this epoch.
  mutating func begin(epoch: UInt64) { fold.begin(epoch: epoch) }

  /// Removes and returns what has to be done because of the events since the last call.
  mutating func takeEffects() -> [RoomEffect] {
    defer { if !effects.isEmpty { effects = [] } }
    return effects
  }

  /// Whether the room has no connections and no pending batch, so that it can be closed without losing anything.
  var isIdle: Bool { audience.isEmpty && door.isClear }

  // MARK: - Coming and going

  /// Adds a connection. The connection is sent a welcome, then the state or what changed since its own state, then
  /// everything that happens.
  ///
  /// Only a client with an actor's key becomes that actor again. If the actor is connected already, the newer
  /// connection gets the actor, and the older one is closed.
  /// - Parameter party: the connection's address. Readers of different addresses get equal shares of the state streams.
  /// - Returns: `nil` if the room takes no more connections.
  mutating func join(
    _ hello: Hello,
    role: Role,
    encoding: WireEncoding,
    party: String,
    keys: ActorKeys,
    now: Moment,
    using generator: inout some RandomNumberGenerator
  ) -> MemberID? {
    let actor = audience.actor(for: hello, as: role, in: name, keys, using: &generator)
    let older = audience.member(of: actor)
    let known = older?.claim ?? company?.claim(thatSentAway: actor)
    let claim = Claim(role: role, node: company?.number ?? 0, after: known, now: now)
    if let older, older.isGuest {
      // The older connection is at another node, which closes it when it hears of the new connection. So only this
      // node's entry for it is removed here.
      audience.remove(older.id)
    } else if let older {
      sendAway(older.id, .actorElsewhere, "this actor has joined over another connection", now: now)
    }
    guard !audience.isFull else { return nil }
    if hello.overlaps { keepOverlaps(now) }
    // The welcome lists only people that a broadcast has announced. So if a broadcast is due, it is made first.
    if isFlushDue(now: now) || audience.isSmall && !fanOut.hasRecords { flush(now: now) }
    var named: [Peer] = []
    let told = Told(
      newcomerAt: fanOut.ring.end,
      among: audience.named(but: actor),
      peopleBytesMax: fanOut.encoder.peopleBytesMax,
      named: &named
    )
    let id = audience.add(
      Peer(actor, as: hello),
      claim,
      channel: Channel(
        encoding,
        vocabulary: fanOut.encoder.vocabularies.index(ofNumber: hello.vocabularyNumber),
        overlaps: hello.overlaps,
        crowd: hello.crowd
      ),
      party: party,
      told: told,
      position: hello.since.flatMap { fold.place(of: $0) }
    )
    company?.came(actor)
    let welcome = Welcome(
      room: name,
      actor: actor,
      key: keys.key(of: actor, in: name, for: hello, encoding),
      role: role,
      milliseconds: now.wallMilliseconds,
      limits: limits.roomLimits,
      peers: named
    )
    post(.welcome(welcome), to: id)
    if hello.crowd, audience.crowdTold > 0 { post(.crowd(people: audience.crowdTold), to: id) }
    beginState(at: id.seat, now: now)
    gatherPeople(now)
    return id
  }

  /// The connection has ended. Its pending batches are stored all the same.
  /// - Returns: false if a message to the connection was sent only in part. Then only a close frame may follow.
  @discardableResult
  mutating func leave(_ id: MemberID, now: Moment) -> Bool {
    guard let member = audience.member(id) else { return false }
    let isBetweenMessages = audience.readers.isBetweenMessages(id.seat)
    leaveStream(at: id.seat)
    audience.remove(id)
    company?.went(member.actor)
    admitWaiting(now)
    if !audience.wantsOverlaps {
      overlaps.endTelling()
      dropIdleOverlaps(now)
    }
    if audience.isEmpty {
      fanOut.clear(position: fold.position)
      company?.isDeserted()
    } else if !isClosing {
      gatherPeople(now)
    }
    return isBetweenMessages
  }

  /// Schedules the broadcast (`Beat`) that announces joins and leaves.
  mutating func gatherPeople(_ now: Moment) {
    if let dueAt = audience.newsDueAt { gather(dueAt: dueAt, now) }
  }

  mutating func gather(dueAt: UInt64, _ now: Moment) {
    if dueAt <= now.monotonicMilliseconds { fanOut.gather(now) } else { fanOut.gather(dueAt: dueAt) }
  }

  /// The room is deleted: all connections are closed, and pending batches are refused.
  mutating func close(_ code: CloseCode, _ reason: Text, now: Moment) {
    for batch in door.batches { failed(batch: batch) }
    isClosing = true
    defer { isClosing = false }
    for id in audience.ids { sendAway(id, code, reason, now: now) }
  }

  mutating func sendAway(_ id: MemberID, _ code: CloseCode, _ reason: Text, now: Moment) {
    let isBetweenMessages = leave(id, now: now)
    effects.append(.close(id, code, reason, isBetweenMessages: isBetweenMessages))
  }

  // MARK: - What connections send

  /// Takes operations from a connection.
  /// - Returns: the reason, if they are refused.
  @discardableResult
  mutating func submit(
    _ submission: Submission,
    from id: MemberID,
    allowance: Allowance = .all,
    now: Moment
  ) -> Rejection? {
    guard let member = audience.member(id) else { return nil }
    do throws(Rejection) {
      guard member.role == .editor else { throw Rejection(code: .readOnly, message: "this connection is read-only") }
      let origin = Door.Passage.Origin.member(id, submission.id)
      guard
        let batch = try door.admit(
          submission.operations,
          by: member.actor,
          from: origin,
          allowance,
          to: &fold,
          now: now
        )
      else {
        acknowledge(known: submission, to: id)
        return nil
      }
      effects.append(.append(batch))
      if audience.readers.entered(operations: batch.operations.count, by: id) { effects.append(.pauseReading(id)) }
      return nil
    } catch {
      var rejection = error
      rejection.id = submission.id
      refuse(rejection, to: id)
      return rejection
    }
  }

  /// Acknowledges operations of which nothing has to be stored: they are in the room, or have lost to what is there.
  private mutating func acknowledge(known submission: Submission, to id: MemberID) {
    var acknowledgement = Acknowledgement(id: submission.id, cursor: fold.cursor)
    acknowledgement.superseded = told(fold.losses(of: submission.operations))
    post(.acknowledgement(acknowledgement), to: id, after: fanOut.ring.end &+ (isGathering ? 1 : 0))
  }

  /// Takes operations that came over HTTP. An operation with a stamp keeps the stamp, whichever actor the stamp names.
  /// Operations without a stamp count as written by the actor of the first stamp, or by `actor` if there is no stamp.
  /// An `answered` effect reports the outcome.
  mutating func submit(
    _ operations: [ProposedOperation],
    request: UInt64,
    actor: Identifier,
    allowance: Allowance = .all,
    now: Moment
  ) {
    let writer = operations.lazy.compactMap { $0.at?.actor }.first ?? actor
    answer(request, isEmpty: operations.isEmpty) { room throws(Rejection) in
      let batch = try room.door.admit(
        operations,
        by: writer,
        from: .request(request),
        allowance,
        to: &room.fold,
        now: now
      )
      return batch.map { .append($0) } ?? .answered(request: request, .success(room.fold.cursor))
    }
  }

  /// Takes a layout (the shapes of an HTTP request), written by `actor`. A `prepare` effect asks for the layout to be
  /// stamped. An `answered` effect reports the outcome.
  mutating func submit(
    _ layout: LayoutEdits,
    request: UInt64,
    actor: Identifier,
    allowance: Allowance = .all,
    now: Moment
  ) {
    answer(request, isEmpty: layout.isEmpty) { room throws(Rejection) in
      .prepare(try room.door.admit(layout, by: actor, request: request, allowance, to: &room.fold, now: now))
    }
  }

  /// Answers an HTTP request at once if it is refused or there is nothing to store. Otherwise it is answered when the
  /// log has stored or refused the batch.
  private mutating func answer(
    _ request: UInt64,
    isEmpty: Bool,
    _ admit: (inout Room) throws(Rejection) -> RoomEffect
  ) {
    guard !isEmpty else {
      effects.append(.answered(request: request, .success(fold.cursor)))
      return
    }
    do throws(Rejection) {
      effects.append(try admit(&self))
    } catch {
      counts.noteRefusal(error.code)
      effects.append(.answered(request: request, .failure(error)))
    }
  }

  /// Takes a connection's presence, which is not stored. If it changes several times before the next broadcast, only
  /// the newest is sent.
  mutating func presence(_ state: JSONText, from id: MemberID, now: Moment) {
    if company != nil, let actor = audience.member(id)?.actor { company?.shows(actor) }
    if let dueAt = audience.show(state, by: id) { gather(dueAt: dueAt, now) }
  }

  /// Sends the room's digest to a client that compares its canvas with the room's. The digest is sent after everything
  /// up to the digest's cursor, and before anything later.
  mutating func digest(for id: MemberID, now: Moment) {
    guard let channel = audience.channel(of: id) else { return }
    counts.noteDigest()
    if fanOut.hasRecords { flush(now: now) }
    if let pauses = audience.readers.deferDigest(of: id) {
      if pauses { effects.append(.pauseReading(id)) }
      return
    }
    post(fold.digest(for: fanOut.encoder.vocabulary(of: channel)), to: id, after: fanOut.ring.end, isDigest: true)
  }

  /// Sends one connection an answer that doesn't depend on the room.
  mutating func reply(_ message: ServerMessage, to id: MemberID) {
    if case .rejection(let rejection) = message { refuse(rejection, to: id) } else { post(message, to: id) }
  }

  /// Refuses operations. The refusal is sent after everything that the room has so far. A client can send an operation
  /// again that was stored the first time. If this is refused, the client gets the stored operation, and then the
  /// refusal.
  private mutating func refuse(_ rejection: Rejection, to id: MemberID) {
    counts.noteRefusal(rejection.code)
    post(.rejection(rejection), to: id, after: fanOut.newest)
  }

  /// Queues an answer to one connection, to be sent after the broadcast with the ordinal `after`. If that is 0, the
  /// answer may be sent at any time.
  private mutating func post(_ message: ServerMessage, to id: MemberID, after: UInt64 = 0, isDigest: Bool = false) {
    guard let channel = audience.channel(of: id) else { return }
    let bytes = fanOut.encoder.encode(message, channel.encoding)
    if audience.readers.answer(id, bytes, after: after, isDigest: isDigest) { effects.append(.pauseReading(id)) }
  }

  // MARK: - What the log reports

  /// Applies a durable record, which this process or another wrote. Nothing else changes a room. A record that was
  /// applied before changes nothing. If a record before this one is missing, that is an error.
  mutating func delivered(_ record: borrowing RoomRecord, now: Moment) throws(MissingRecord) {
    let batch = record.batch
    var wantsLosses = false
    if record.endsBatch, let batch, case .member = door.origin(of: batch) { wantsLosses = true }
    let before = fold.position
    let taking = try fold.take(record, wantsLosses: wantsLosses) { change, canvas in
      door.arrived(change, of: batch, on: canvas)
      overlaps.follow(change)
    }
    if record.forgottenBefore > 0 { fold.forgetMore() }
    if taking == .leftOut { door.markTooOld(batch) }
    if taking != .known, !audience.isEmpty {
      fanOut.gather(taking == .leftOut ? [] : record.operations, after: before, now: now)
    }
    if record.endsBatch, let batch, let passage = door.stored(batch, on: fold.canvas) {
      land(passage)
      answer(passage, taking)
    }
    if fanOut.isBeatFull { flush(now: now) }
  }

  /// Tells the writer that the log has stored a batch.
  private mutating func answer(_ passage: Door.Passage, _ taking: Fold.Taking) {
    if passage.isTooOld {
      answer(passage, Rejection(code: .tooOld, message: Door.forgotten))
      return
    }
    switch passage.origin {
    case .member(let id, let message):
      var acknowledgement = Acknowledgement(id: message, cursor: fold.cursor)
      if case .taken(let losses) = taking {
        acknowledgement.superseded = told(passage.message.map { fold.losses(of: $0) } ?? losses)
      }
      // The acknowledgement is sent after the broadcast that has the acknowledged operations.
      post(.acknowledgement(acknowledgement), to: id, after: fanOut.ring.end &+ (taking == .known ? 0 : 1))
    case .request(let request): effects.append(.answered(request: request, .success(fold.cursor)))
    }
  }

  /// The first of the values that had lost, as many as a message has room for (W4).
  private func told(_ losses: [Superseded]) -> [Superseded] {
    Array(losses.prefix(Int(limits.messageBytes) / Room.lossBytesMax))
  }

  /// More bytes than a value that had lost takes in an acknowledgement.
  private static let lossBytesMax = 128

  /// Refuses a batch, for the connection or the HTTP request that it came from.
  /// - Returns: the connection that is sent the refusal, if there is one.
  @discardableResult
  private mutating func answer(_ passage: Door.Passage, _ rejection: Rejection) -> MemberID? {
    switch passage.origin {
    case .member(let id, let message):
      var rejection = rejection
      rejection.id = message
      refuse(rejection, to: id)
      return id
    case .request(let request):
      counts.noteRefusal(rejection.code)
      effects.append(.answered(request: request, .failure(rejection)))
      return nil
    }
  }

  /// The log could not store a batch.
  /// - Returns: the connection that sent the batch, if there is one.
  @discardableResult
  mutating func failed(batch number: UInt64) -> MemberID? {
    guard let passage = door.refused(number, on: fold.canvas) else { return nil }
    land(passage)
    return answer(passage, Rejection(code: .unavailable, message: Door.unavailable))
  }

  /// Drops a batch that wasn't sent to the log, because its writer has lost the right to write.
  mutating func withdraw(batch number: UInt64) {
    guard let passage = door.withdrawn(number, on: fold.canvas) else { return }
    land(passage)
    answer(passage, Rejection(code: .readOnly, message: "the right to write here has ended"))
  }

  private mutating func land(_ passage: Door.Passage) {
    guard case .member(let id, _) = passage.origin, audience.holds(id) else { return }
    if audience.readers.landed(operations: passage.operationCount, of: id) { effects.append(.resumeReading(id)) }
  }

  /// To be called when the room is opened while the log can't be written.
  mutating func doubtLog() { door.doubtLog() }

  // MARK: - Forgetting deletions

  /// Forgets old deletions. A deletion is old if the room would refuse every edit that could conflict with the
  /// deletion. To be called now and then, and before a snapshot.
  mutating func forgetErasures(now: Moment) {
    fold.forgetErasures(now: now, horizonMilliseconds: limits.horizonMilliseconds)
  }

  var forgottenBefore: UInt64 { fold.forgottenBefore }

  /// The number of a request to which nobody needs an answer.
  private static let nobody: UInt64 = 0

  /// Asks the log to append a record that forgets deletions from before a time, in Unix milliseconds. From that record
  /// on, every node refuses operations from before that time. An `answered` effect reports the outcome.
  ///
  /// A time after the newest stamp would forget no more. If this server's clock is ahead, it would only have the room
  /// refuse everything until that time.
  mutating func forgetErasures(before asked: UInt64, request: UInt64) {
    let milliseconds = min(asked, (fold.clockTime >> 16) + 1)
    let isNothingSince = fold.clockTime >> 16 == fold.forgottenBefore && fold.clockTime & 0xFFFF == 0
    guard milliseconds > fold.forgottenBefore, !isNothingSince else {
      effects.append(.answered(request: request, .success(fold.cursor)))
      return
    }
    effects.append(.append(door.admitForgetting(before: milliseconds, from: .request(request), on: fold.canvas)))
  }

  // MARK: - The broadcast

  /// Makes a broadcast (`Beat`) of what has been gathered, for everyone.
  mutating func flush(now: Moment) {
    let notices = overlaps.takeNews()
    orderOverlaps(now)
    // Who shows something all the time, and keeps up, must not fill the ring for nobody.
    if fanOut.isRingLong, audience.readers.hasAll(fanOut.ring) { fanOut.dropAll() }
    let (peers, next) = audience.takeNews(beat: fanOut.ring.end, now: now)
    let channels = audience.channels
    guard
      let beat = fanOut.flush(fold, peers: peers, overlaps: notices, to: channels, next: next, now: now)
    else { return }
    counts.note(beat)
    audience.readers.everyoneIsReady()
    if fanOut.isRingOverfull {
      while fanOut.isRingOverfull {
        counts.noteFallenOff(audience.readers.fallOff(fanOut.ring, fanOut.dropped))
        fanOut.dropOldest()
      }
      fanOut.dropStaleStreams(position: fold.position)
    }
    // Readers that waited for this broadcast can now get a state stream.
    admitWaiting(now)
  }

  /// Notes how long sending a broadcast took. In a large room, the time between two broadcasts depends on it, so that
  /// sending takes about half of all time.
  mutating func sendingTook(microseconds: UInt64, seats: Int) {
    fanOut.sendingTook(microseconds: microseconds, seats: seats, of: audience.readers.seatCount)
  }

  /// Frees memory that no connection needs any more, when the room is quiet. To be called now and then.
  mutating func rest(now: Moment) {
    admitWaiting(now)
    company?.comparesDigests()
    door.rest(now: now)
    fold.forgetMore()
    if let before = forgetting.look(at: fold.canvas, now: now) {
      forgetErasures(before: before, request: Room.nobody)
    }
    if audience.wantsOverlaps {
      // The broadcast might have nothing to send, but making it starts the next check of overlaps.
      if overlaps.isLookDue(now) { fanOut.gather(now) }
    } else {
      dropIdleOverlaps(now)
    }
    if fanOut.isQuiet(now), audience.readers.hasAll(fanOut.ring) { fanOut.rest() }
  }

  // MARK: - Sending

  /// Offers new bytes to connections that can take them. `write` gets whole frames, or the remaining bytes of frames
  /// that were taken in part, and returns how many bytes were taken. A connection that takes only a part is offered
  /// nothing more until `writable` is called.
  /// - Parameter seatsMax: the most seats that are offered anything. `hasUnsent` then tells whether there are more.
  /// - Returns: how many seats were offered a broadcast.
  @discardableResult
  mutating func send(
    now: Moment,
    seatsMax: Int = .max,
    _ write: (MemberID, UnsafeRawBufferPointer) -> Int
  ) -> Int {
    var offered = 0
    repeat {
      let (listed, ofRound) = audience.readers.takeReady(ofRoundMax: seatsMax - offered)
      audience.readers.offerNewest(fanOut.ring, to: ofRound, write)
      for seat in ofRound where audience.readers.mayBeSent(seat, fanOut.ring) {
        send(to: seat, now: now, mayLeap: false, write)
      }
      for seat in listed where !audience.readers.isBlocked(Int(seat)) {
        send(to: Int(seat), now: now, mayLeap: false, write)
      }
      offered += ofRound.count
      // While a reader was catching up, a new broadcast may have been made. Then everyone is offered bytes again.
    } while audience.readers.isReady && offered < seatsMax
    return offered
  }

  /// The connection's socket has space for more bytes again.
  mutating func writable(_ id: MemberID, now: Moment, _ write: (MemberID, UnsafeRawBufferPointer) -> Int) {
    guard audience.holds(id) else { return }
    audience.readers.unblock(id.seat)
    send(to: id.seat, now: now, mayLeap: true, write)
  }

  /// - Parameter mayLeap: whether the connection may skip broadcasts and get the newest values instead. This is allowed
  ///   after its socket has refused bytes, because the connection can be behind then.
  private mutating func send(
    to seat: Int,
    now: Moment,
    mayLeap: Bool,
    _ write: (MemberID, UnsafeRawBufferPointer) -> Int
  ) {
    while true {
      switch audience.readers.next(seat, fanOut.ring) {
      case .nothing: return
      case .loaded:
        guard audience.readers.offer(seat, write) else { return }
        if let id = audience.readers.resumesReading(at: seat) { effects.append(.resumeReading(id)) }
      case .beat(let ordinal, _, _)
      where mayLeap && fanOut.isBehind(ordinal, now: now) || audience.readers.isOwedStates(seat):
        leap(seat, now: now)
      case .beat(let ordinal, let channel, let listener):
        audience.readers.load(beat: fanOut.bytes(ofBeat: ordinal, for: channel, to: listener), at: seat)
      case .part(let part, let stream):
        switch fanOut.part(part, ofStream: stream, places: fold.places, now: now) {
        case .frames(let bytes): audience.readers.load(part: bytes, at: seat)
        // A digest covers everything that the room has. So the operations that are being gathered have to be sent
        // before it.
        case .end where fanOut.hasRecords && audience.readers.wantsDigest(seat): flush(now: now)
        case .end(let end): finishState(at: seat, stream, end, now: now)
        case .gone:
          audience.readers.loseStream(at: seat)
          beginState(at: seat, now: now)
        }
      case .states(let channel): loadOwedStates(at: seat, channel)
      case .state: beginState(at: seat, now: now)
      }
    }
  }

  private mutating func loadOwedStates(at seat: Int, _ channel: Channel) {
    let portion = audience.portion(of: [], at: seat, bytesMax: fanOut.statesBytesMax(beside: 0))
    var people = PeerChanges()
    people.states = portion.told
    var bytes: [UInt8] = []
    fanOut.encoder.append(people, for: channel, to: &bytes)
    audience.readers.load(states: bytes, owed: portion.owed, at: seat)
  }

  /// Gives a slow connection the newest values in place of the broadcasts that it lacks.
  private mutating func leap(_ seat: Int, now: Moment) {
    flush(now: now)
    guard let gap = audience.readers.gap(at: seat, fanOut.ring, fanOut.dropped) else { return }
    guard let newest = fanOut.newest(over: gap, of: fold) else {
      counts.noteFallenOff(1)
      audience.readers.fallBehind(seat, fanOut.ring, told: fanOut.told(before: gap.place))
      return beginState(at: seat, now: now)
    }
    var people = fanOut.ring.people(from: gap.peopleFrom).without(gap.actor)
    let bytesMax = fanOut.statesBytesMax(beside: newest.count)
    let portion = audience.portion(of: people.states, at: seat, bytesMax: bytesMax)
    people.states = portion.told
    var own: [UInt8] = []
    fanOut.encoder.append(people, for: gap.channel, to: &own)
    counts.noteLeap()
    audience.readers.leap(seat, newest, own, owed: portion.owed, fanOut.ring) {
      fanOut.encoder.encode(fold.digest(for: fanOut.encoder.vocabulary(of: gap.channel)), gap.channel.encoding)
    }
  }

  /// Gives a connection a stream of the values that have changed since its log position.
  private mutating func beginState(at seat: Int, now: Moment) {
    leaveStream(at: seat)
    guard mayBeginState(now) else { return audience.readers.waitForState(at: seat, wasTurnedAway: false) }
    if fanOut.hasRecords { flush(now: now) }
    guard let want = audience.want(seat, of: fold, fanOut.ring) else { return }
    guard let entry = fanOut.enterStream(want, of: fold, now: now) else {
      return audience.readers.waitForState(at: seat, wasTurnedAway: true)
    }
    counts.noteState(isNewcomer: audience.readers.isNew(seat), isWhole: entry.isWhole, isMade: entry.isNew)
    audience.readers.enter(entry, at: seat)
  }

  /// Whether a state stream may begin. It begins at the end of a broadcast, so it has to wait while operations are
  /// being gathered.
  private func mayBeginState(_ now: Moment) -> Bool { !fanOut.hasRecords || isFlushDue(now: now) }

  private mutating func leaveStream(at seat: Int) {
    let party = audience.readers.party(of: seat)
    if let stream = audience.readers.leaveStream(at: seat) { fanOut.leaveStream(stream, party) }
  }

  /// Gives state streams to waiting readers, if earlier streams have ended or can be dropped.
  private mutating func admitWaiting(_ now: Moment) {
    guard !isClosing, mayBeginState(now) else { return }
    let waiting = fanOut.streams.inTurn(audience.readers.takeWaiting()) { audience.readers.party(of: $0) }
    guard !waiting.isEmpty else { return }
    let made = counts.statesMade
    // If there is no space for an address that has no stream, there is none for any address. That is checked once for
    // all, because a check takes a while.
    var (checkedAt, space) = (made, spaceForStates(now))
    /// Short streams have a limit of their own. So a reader that lacks little can be admitted while others of its party
    /// are refused, and vice versa.
    struct Asker: Hashable {
      let party: String
      let lacksLittle: Bool
    }
    var refused: Set<Asker> = []
    // Each reader is tried once. Those that still have to wait are listed again, in the same order.
    for seat in waiting {
      if counts.statesMade != checkedAt {
        (checkedAt, space) = (counts.statesMade, spaceForStates(now))
      }
      let since = fold.differenceStart(audience.readers.position(of: seat))
      let asker = Asker(party: audience.readers.party(of: seat), lacksLittle: fold.hasLittle(since: since))
      // A reader that was refused a stream before is skipped if no stream that has just been made suits it, and there
      // is no space for another one.
      if audience.readers.wasTurnedAway(seat), counts.statesMade == made || !hasStream(at: seat),
        !(asker.lacksLittle ? space.forLittle : space.forMuch) || refused.contains(asker)
          || !fanOut.hasSpaceForState(of: asker.party, lacksLittle: asker.lacksLittle, now)
      {
        refused.insert(asker)
        audience.readers.waitForState(at: seat, wasTurnedAway: true)
      } else {
        beginState(at: seat, now: now)
        // A stream that seemed short can turn out to be long. The reader is then turned away.
        if audience.readers.wasTurnedAway(seat) { refused.insert(asker) }
      }
    }
  }

  /// Whether a stream could be made for an address that has none.
  private func spaceForStates(_ now: Moment) -> (forMuch: Bool, forLittle: Bool) {
    let forMuch = fanOut.hasSpaceForState(of: "", lacksLittle: false, now)
    return (forMuch, forMuch || fanOut.hasSpaceForState(of: "", lacksLittle: true, now))
  }

  /// Whether one of the streams that there are has all that a reader lacks.
  private mutating func hasStream(at seat: Int) -> Bool {
    guard let want = audience.want(seat, of: fold, fanOut.ring) else { return false }
    return fanOut.hasStream(for: want, of: fold)
  }

  /// Called when a connection has got all parts of its stream. Sends what else the connection has missed. After that,
  /// the connection gets broadcasts again.
  private mutating func finishState(at seat: Int, _ stream: Int, _ end: StateStreams.End, now: Moment) {
    leaveStream(at: seat)
    audience.catchUp(seat, at: end.position, pairs: end.pairs, fanOut.ring, encoder: fanOut.encoder) {
      fanOut.notices(ofStream: stream)
    } digest: {
      fold.digest(for: $0)
    }
    admitWaiting(now)
  }
}
