import CanvasCRDT

/// A connection in a room, for as long as it is in it.
struct MemberID: Hashable, Sendable {
  let index: Int32
  /// Tells those apart who had one place after the other.
  let serial: UInt32
}

/// What a room knows of a connection: a place in the ring, a few answers of its own, and no queue.
struct Member: Sendable {
  let id: MemberID
  let role: Role
  let channel: Channel
  let overlaps: Bool
  var peer: Peer

  /// Ordinals of the beats that told of its coming and of its newest presence.
  var joinedAt: UInt64
  var stateAt: UInt64 = 0
  /// It may have heard of whom earlier beats brought otherwise than by them: from its welcome, or when it was caught up.
  var peersToldBefore: UInt64
  /// Others are not told of its presence before that, on the monotonic clock.
  var presenceDueAt: UInt64 = 0
  var isPresenceDirty = false

  // MARK: What it has been sent

  enum Stage: Sendable {
    /// The parts of a stream, from `next` on.
    case state(stream: Int, next: Int)
    /// What it missed beside operations: one buffer after the other.
    case notices([[UInt8]], next: Int)
    case live
  }

  var stage: Stage
  /// How far in the log it has come, not counting the beats since it was last live; nothing where it has to be sent
  /// everything.
  var position: UInt64?
  /// What it had been told beside operations when it was last live. Kept until it has been told the difference.
  var told: Told?

  /// What is being sent now, and how much of it has been taken. Nothing else comes between.
  var chunk: [UInt8] = []
  var offset = 0
  var chunkKind = ChunkKind.letters

  enum ChunkKind: Sendable { case letters, part, notice, beat }

  var isReady = false

  // MARK: Its own letters

  var letters: [Letter] = []
  var lettersTaken = 0
  var letterBytes = 0
  var inFlightOperations: UInt64 = 0
  var isReadingPaused = false

  struct Letter: Sendable {
    /// Sent once its reader has come so far in the ring, so that an answer never speaks of what is still to come.
    let after: UInt64
    let bytes: [UInt8]
    /// Of no use to one who is brought up to date otherwise: made anew then.
    let isDigest: Bool
  }

  /// Live, with nothing under way and nothing of its own to be sent.
  var isPlain: Bool {
    guard case .live = stage else { return false }
    return chunk.isEmpty && !hasLetters
  }

  var hasLetters: Bool { lettersTaken < letters.count }
}

/// What sending a beat to hundreds has to know of each, apart from all the rest so that it is found quickly.
struct Lane: Sendable {
  /// The beat that comes next; in the stages before, once the connection is live.
  var place: UInt64 = 0
  let id: MemberID
  let channel: Channel
  /// A beat is all that it is to be sent: see `Member.isPlain`.
  var isPlain = false
  /// The socket took less than it was offered.
  var isBlocked = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}

/// What a connection that has fallen behind had been told.
struct Told: Sendable {
  /// From that beat on it has been told nothing.
  var ordinal: UInt64
  /// At least those whom it knows of.
  var peers: [Identifier]
  var pairs: Set<ShapePair>
  /// Asked for a digest and not yet answered.
  var wantsDigest = false
  /// Nothing at all: it has only just come.
  var isNew = false
  /// Its welcome would have been too long with what the others show of themselves.
  var owesStates = false
  /// Even without that, it would have been with these.
  var unnamed: Set<Identifier> = []
}

extension Member {
  mutating func enclose(_ letter: Letter) {
    letters.append(letter)
    letterBytes += letter.bytes.count
  }

  /// All letters that may be sent now, in one buffer.
  mutating func takeLetters(upTo ordinal: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    while hasLetters, letters[lettersTaken].after <= ordinal {
      let letter = letters[lettersTaken]
      letterBytes -= letter.bytes.count
      lettersTaken += 1
      // One alone needs no copy.
      if bytes.isEmpty { bytes = letter.bytes } else { bytes += letter.bytes }
    }
    if lettersTaken == letters.count {
      letters.removeAll(keepingCapacity: letters.count <= 16)
      lettersTaken = 0
    } else if lettersTaken * 2 > letters.count {
      letters.removeFirst(lettersTaken)
      lettersTaken = 0
    }
    return bytes
  }

  mutating func dropDigests() {
    letters.removeFirst(lettersTaken)
    lettersTaken = 0
    letters.removeAll { $0.isDigest }
    letterBytes = letters.reduce(0) { $0 + $1.bytes.count }
  }
}
