@testable import SyncServer

extension Room {
  /// The memory that the room takes for its readers.
  var kept: KeptForReaders {
    let readers = audience.readers
    return KeptForReaders(
      beats: fanOut.ring.count,
      beatBytes: fanOut.ring.byteCount,
      states: fanOut.streams.count,
      waiting: readers.readers.indices.count { readers.wasTurnedAway($0) },
      readerBytes: readers.readers.reduce(0) { $0 + ($1?.bytesHeld ?? 0) }
    )
  }

  /// Whether the room has an index of overlaps and keeps it up to date.
  var keepsOverlaps: Bool { if case .none = overlaps.place { false } else { true } }

  /// The room refuses operations from before this time, in Unix milliseconds, unless it has them.
  var refusedBefore: UInt64 { max(forgottenBefore, (canvas.forgottenBefore + 0xFFFF) >> 16) }
}

/// The memory that a room takes for slow readers. It is bounded, however slow the readers are.
struct KeptForReaders: Hashable, Sendable {
  let beats: Int
  let beatBytes: Int
  /// How many state streams there are.
  let states: Int
  /// How many readers wait for a state stream.
  let waiting: Int
  /// The bytes of the answers that wait, and of chunks that sockets have taken in part, for all readers together.
  let readerBytes: Int
}
