import CanvasCRDT

/// Turns a message into WebSocket frames. Rooms get it as a closure, so that they don't depend on sockets.
struct Framing: Sendable {
  /// Appends the frames of one message. One buffer may hold the frames of several messages.
  let append: @Sendable (_ message: [UInt8], _ encoding: WireEncoding, _ bytes: inout [UInt8]) -> Void
}

/// Encodes a room's messages, for clients of each vocabulary. No message is longer than the limit.
struct MessageEncoder: Sendable {
  private let framing: Framing
  let vocabularies: [Vocabulary]
  let messageBytesMax: UInt64

  init(framing: Framing, vocabularies: [Vocabulary], messageBytesMax: UInt64) {
    self.framing = framing
    self.vocabularies = vocabularies
    self.messageBytesMax = messageBytesMax
  }

  /// The upper bound on the bytes of a message that tells of people: `welcome` and `presence`. Over a thin line, a longer
  /// welcome would take longer than clients wait for one.
  var peopleBytesMax: UInt64 { min(messageBytesMax, 65_536) }

  func vocabulary(of channel: Channel) -> Vocabulary { vocabularies[channel.vocabulary] }

  func encode(_ message: ServerMessage, _ encoding: WireEncoding) -> [UInt8] {
    var bytes: [UInt8] = []
    append(message, encoding, to: &bytes)
    return bytes
  }

  func append(_ message: ServerMessage, _ encoding: WireEncoding, to bytes: inout [UInt8]) {
    framing.append(encoding.encode(message), encoding, &bytes)
  }

  /// Appends the operations as one message. If that message would be too long, each half of the operations is appended
  /// in the same way. Only the last message moves the reader's cursor, so a reader that has got only some of the
  /// messages keeps its old cursor.
  /// - Parameters:
  ///   - before: the log position before the operations.
  ///   - after: the log position after the operations.
  func append(
    _ operations: ArraySlice<Operation>,
    of places: RoomPlaces,
    from before: UInt64,
    to after: UInt64,
    isLast: Bool = true,
    _ encoding: WireEncoding,
    to bytes: inout [UInt8]
  ) {
    guard !operations.isEmpty else { return }
    let cursor = places.cursor(at: isLast ? after : before)
    let message = encoding.encode(
      .operations(Delivery(cursor: cursor, operations: Array(operations), more: !isLast))
    )
    guard UInt64(message.count) > messageBytesMax, operations.count > 1 else {
      framing.append(message, encoding, &bytes)
      return
    }
    let middle = operations.startIndex + operations.count / 2
    append(operations[..<middle], of: places, from: before, to: after, isLast: false, encoding, to: &bytes)
    append(operations[middle...], of: places, from: before, to: after, isLast: isLast, encoding, to: &bytes)
  }

  /// Appends joins, leaves and presence, in as many messages as needed.
  func append(_ changes: PeerChanges, for channel: Channel, to bytes: inout [UInt8]) {
    let encoding = channel.encoding
    for actor in changes.left { append(.leave(actor), encoding, to: &bytes) }
    for peer in changes.joined { append(.join(peer), encoding, to: &bytes) }
    let states = changes.states
    var start = 0
    while start < states.count {
      var end = start
      var size: UInt64 = 64
      repeat {
        // In a message, each state also has its actor and the keys of a JSON object.
        size += UInt64(states[end].state.bytes.count) + 48
        end += 1
      } while end < states.count && size + UInt64(states[end].state.bytes.count) + 48 <= peopleBytesMax
      append(.presence(Array(states[start..<end])), encoding, to: &bytes)
      start = end
    }
    if channel.hasCrowd, let people = changes.crowd { append(.crowd(people: people), encoding, to: &bytes) }
  }

  /// Appends the notices of changed overlaps, in as many messages as needed, but at least one.
  func append(_ changes: OverlapChanges, _ encoding: WireEncoding, to bytes: inout [UInt8]) {
    for notice in notices(began: changes.began, ended: changes.ended) {
      append(.overlaps(notice), encoding, to: &bytes)
    }
  }

  /// Splits pairs into as many notices as needed, but at least one.
  func notices(began: [ShapePair], ended: [ShapePair]) -> [OverlapNotice] {
    // A pair takes at most 28 bytes. The calculation assumes 32 bytes for each pair and leaves out four pairs, so that
    // the rest of the message fits too.
    let pairsMax = max(1, Int(clamping: messageBytesMax / 32) - 4)
    var notices: [OverlapNotice] = []
    var began = began[...]
    var ended = ended[...]
    repeat {
      let first = began.prefix(pairsMax)
      let second = ended.prefix(pairsMax - first.count)
      began = began.dropFirst(first.count)
      ended = ended.dropFirst(second.count)
      notices.append(
        OverlapNotice(began: Array(first), ended: Array(second), more: !began.isEmpty || !ended.isEmpty)
      )
    } while !began.isEmpty || !ended.isEmpty
    return notices
  }
}

extension WireEncoding {
  func encode(_ message: ServerMessage) -> [UInt8] {
    switch self {
    case .json: JSONEncoding.encode(message)
    case .binary: BinaryEncoding.encode(message)
    }
  }
}
