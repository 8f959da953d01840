import CanvasCRDT

/// How a message becomes bytes on a connection. Handed in, so that rooms know of no sockets.
struct Framing: Sendable {
  /// Appends the frames of one message; those of several may stand in one buffer.
  let append: @Sendable (_ message: [UInt8], _ encoding: WireEncoding, _ bytes: inout [UInt8]) -> Void
}

/// Writes a room's messages, none of them longer than a message may be.
struct MessageEncoder: Sendable {
  private let framing: Framing
  let messageBytesMax: UInt64

  init(framing: Framing, messageBytesMax: UInt64) {
    self.framing = framing
    self.messageBytesMax = messageBytesMax
  }

  func encode(_ message: ServerMessage, _ encoding: WireEncoding) -> [UInt8] {
    var bytes: [UInt8] = []
    append(message, encoding, to: &bytes)
    return bytes
  }

  func append(_ message: ServerMessage, _ encoding: WireEncoding, to bytes: inout [UInt8]) {
    framing.append(encoding.encode(message), encoding, &bytes)
  }

  /// One message, or, where that is too long, each half by itself. A reader that has only some of them has come no further
  /// than it was before.
  /// - Parameters:
  ///   - before: the place in the log before the operations.
  ///   - after: the place behind them.
  func append(
    _ operations: ArraySlice<Operation>,
    epoch: UInt64,
    from before: UInt64,
    to after: UInt64,
    isLast: Bool = true,
    _ encoding: WireEncoding,
    to bytes: inout [UInt8]
  ) {
    guard !operations.isEmpty else { return }
    let cursor = RoomCursor(epoch: epoch, position: isLast ? after : before).cursor
    let message = encoding.encode(
      .operations(Delivery(cursor: cursor, operations: Array(operations), more: !isLast))
    )
    guard UInt64(message.count) > messageBytesMax, operations.count > 1 else {
      framing.append(message, encoding, &bytes)
      return
    }
    let middle = operations.startIndex + operations.count / 2
    append(operations[..<middle], epoch: epoch, from: before, to: after, isLast: false, encoding, to: &bytes)
    append(operations[middle...], epoch: epoch, from: before, to: after, isLast: isLast, encoding, to: &bytes)
  }

  /// In as many messages as it takes.
  func append(_ changes: PeerChanges, _ encoding: WireEncoding, to bytes: inout [UInt8]) {
    for actor in changes.left { append(.leave(actor), encoding, to: &bytes) }
    for peer in changes.joined { append(.join(peer), encoding, to: &bytes) }
    let states = changes.states
    var start = 0
    while start < states.count {
      var end = start
      var size: UInt64 = 64
      repeat {
        // The actor and the names of the members beside the state.
        size += UInt64(states[end].state.bytes.count) + 48
        end += 1
      } while end < states.count && size + UInt64(states[end].state.bytes.count) + 48 <= messageBytesMax
      append(.presence(Array(states[start..<end])), encoding, to: &bytes)
      start = end
    }
  }

  /// In as many messages as it takes; one even where there is nothing to tell.
  func notices(began: [ShapePair], ended: [ShapePair]) -> [OverlapNotice] {
    // Twenty-eight bytes a pair in the longer of the encodings.
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
