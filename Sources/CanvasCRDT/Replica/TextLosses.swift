/// Detects that somebody has overwritten this user's text, or deleted it with its shape. If two people write in one text
/// at the same time, the later text wins.
///
/// Replacing a text that one has read is no loss. So a text counts as lost only if the next writer can hardly have read
/// it, in one of these cases:
/// - The next text was written within 15 seconds.
/// - Presence shows that its writer had begun before this user's text was written.
/// - Its writer was not there when this user wrote. They wrote it before they joined, or it came within 15 seconds after
///   that, so that they may have written it without a connection.
/// - The server answered that a later text was already there.
///
/// If the new text contains the old one, nothing is lost. All times are the server's, as those of stamps are.
///
/// A text is also lost with its shape if somebody deleted that without having got the text: they deleted it before the
/// text was written or before they joined, or the text reached the server after their deletion.
public struct TextLosses: Sendable {
  public struct Loss: Hashable, Sendable {
    public let shape: Identifier
    /// What this user had written.
    public let text: Text
    /// Who has written over the text, or has deleted the shape.
    public let by: Identifier
  }

  private static let soonMilliseconds: UInt64 = 15_000
  /// At most this many texts are remembered.
  private static let keptMax = 500

  /// The text that this user wrote last in each shape.
  private var own = IdentifierMap<Written>()
  /// The other people in the room, or those who were there when the connection was lost.
  private(set) var people = IdentifierMap<Person>()
  private var isJoined: Bool
  /// When the last connection was lost. Whoever is not among `people` then has joined later.
  private var lostAt: UInt64 = 0
  private var losses: [Loss] = []

  private struct Written: Sendable {
    let text: Text
    let stamp: Stamp
  }

  struct Person: Sendable {
    /// When they joined, or a time before that. 0 if they were there before this user.
    var joinedAt: UInt64
    /// Where they write, and where they wrote before: a text can arrive a little later than the presence that tells of
    /// its end.
    var place = Place()
    var formerPlace = Place()
  }

  struct Place: Sendable {
    var shape: Identifier?
    var beganAt: UInt64 = 0
    /// The largest number while they write there.
    var endedAt = UInt64.max
  }

  /// Texts of this replica that the server hasn't answered yet can be lost too, even if an earlier process wrote them. A
  /// restored drawing may have a later text in their place already.
  public init(of replica: Replica) {
    isJoined = replica.state.isJoined
    rememberTexts(in: replica.outbox)
  }

  private mutating func rememberTexts(in outbox: Outbox) {
    outbox.forEach { pending in
      let operation = pending.operation
      if operation.set.assigned.contains(.text) { remember(operation.shape, operation.set.text, operation.at) }
    }
  }

  /// Follows what a replica does. All its effects must be passed.
  /// - Returns: The texts that were lost.
  public mutating func follow(_ effects: [ReplicaEffect], of replica: Replica, at now: Moment) -> [Loss] {
    losses = []
    let canvas = replica.canvas
    let now = replica.serverMilliseconds(at: now)
    for effect in effects {
      switch effect {
      case .changed(let changes, _):
        for change in changes
        where change.lifecycle == .appeared || !change.changed.intersection([.text, .deleted]).isEmpty {
          compare(change.shape, on: canvas, of: replica, at: now)
        }
      case .reset(let former):
        // What was seen before is no news, even if whoever did it has joined again since.
        for shape in own.keys where !former.isAlike(canvas, in: shape) {
          compare(shape, on: canvas, of: replica, at: now)
        }
      case .superseded(let values):
        for value in values
        where value.property == .text && !replica.isOwn(value.by) && !isDeleted(value.shape, on: canvas, by: replica) {
          lose(value.shape, to: value.by.actor, on: canvas)
        }
      case .state(let state):
        if isJoined, !state.isJoined { lostAt = now }
        isJoined = state.isJoined
      // When a replica loses its connection, it reports an empty list of peers, which is ignored here.
      case .peers(let peers) where !peers.isEmpty:
        let before = people
        people.removeAll()
        for peer in peers { people[peer.actor] = before[peer.actor] ?? Person(joinedAt: lostAt) }
      case .joined(let peer): people[peer.actor] = Person(joinedAt: now)
      case .left(let actor): people.removeValue(forKey: actor)
      default: break
      }
    }
    return losses
  }

  /// Notes that the presence of somebody in the room says in which shape they write now.
  public mutating func note(_ actor: Identifier, writesIn shape: Identifier?, at now: UInt64) {
    var person = person(actor)
    guard person.place.shape != shape else { return }
    person.place.endedAt = now
    if person.place.shape != nil { person.formerPlace = person.place }
    person.place = Place(shape: shape, beganAt: now)
    people[actor] = person
  }

  /// Compares the text that a shape has now with what this user wrote there.
  @inline(never)
  private mutating func compare(_ shape: Identifier, on canvas: Canvas, of replica: Replica, at now: UInt64) {
    let stamp = canvas.stamp(of: .text, in: shape)
    // A shape that this user has deleted and brought back still has the stamp of its deletion.
    if let stamp, canvas[shape] != nil, replica.isOwn(stamp) {
      // Undo writes texts of others again.
      guard replica.isOwnText(of: shape) else { return forget(shape) }
      return remember(shape, canvas.text(of: shape), stamp)
    }
    if isDeleted(shape, on: canvas, by: replica) {
      // If the server refuses the deletion, the text counts again.
      if !replica.optimistic.pending.contains(shape) { forget(shape) }
      return
    }
    if let written = own[shape], canvas[shape] == nil, let erasure = canvas.stamp(of: .deleted, in: shape) {
      if erasure < written.stamp || erasure.milliseconds <= person(erasure.actor).joinedAt {
        lose(shape, to: erasure.actor, on: canvas)
      }
      return
    }
    guard let stamp, let written = own[shape] else { return }
    // This user's text was refused or taken back.
    guard stamp > written.stamp else { return forget(shape) }
    let writtenAt = written.stamp.milliseconds
    let justNow = now - min(now, TextLosses.soonMilliseconds)
    let writer = person(stamp.actor)
    func hasBegun(_ place: Place) -> Bool {
      place.shape == shape && place.beganAt <= writtenAt && place.endedAt > justNow
    }
    let isNear = stamp.milliseconds < writtenAt + TextLosses.soonMilliseconds
    let wasAway = stamp.milliseconds <= writer.joinedAt || writer.joinedAt > max(writtenAt, justNow)
    if isNear || wasAway || hasBegun(writer.place) || hasBegun(writer.formerPlace) {
      lose(shape, to: stamp.actor, on: canvas)
    }
  }

  /// Whether this user has deleted the shape of their text. That is no loss, also if somebody else's text turns out to
  /// have been there before.
  @inline(never)
  private func isDeleted(_ shape: Identifier, on canvas: Canvas, by replica: Replica) -> Bool {
    guard let written = own[shape], let erasure = canvas.stamp(of: .deleted, in: shape), replica.isOwn(erasure) else {
      return false
    }
    return canvas[shape] == nil || erasure > written.stamp
  }

  @inline(never)
  private func person(_ actor: Identifier) -> Person { people[actor] ?? Person(joinedAt: lostAt) }

  @inline(never)
  private mutating func remember(_ shape: Identifier, _ text: Text?, _ stamp: Stamp) {
    guard let text, !text.isEmpty else { return forget(shape) }
    own[shape] = Written(text: text, stamp: stamp)
    guard own.count > TextLosses.keptMax else { return }
    var oldest = 0
    for place in own.values.indices where own.values[place].stamp < own.values[oldest].stamp { oldest = place }
    forget(own.keys[oldest])
  }

  @inline(never)
  private mutating func forget(_ shape: Identifier) { own.removeValue(forKey: shape) }

  @inline(never)
  private mutating func lose(_ shape: Identifier, to actor: Identifier, on canvas: Canvas) {
    guard let written = own[shape] else { return }
    if canvas[shape] != nil {
      guard let text = canvas.text(of: shape), !text.contains(written.text) else { return }
    }
    forget(shape)
    losses.append(Loss(shape: shape, text: written.text, by: actor))
  }
}

extension Canvas {
  /// Whether a shape has the same text here as there, or was deleted by the same operation.
  fileprivate func isAlike(_ other: Canvas, in shape: Identifier) -> Bool {
    stamp(of: .text, in: shape) == other.stamp(of: .text, in: shape)
      && stamp(of: .deleted, in: shape) == other.stamp(of: .deleted, in: shape)
  }
}
