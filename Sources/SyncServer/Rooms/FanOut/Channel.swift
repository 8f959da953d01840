import CanvasCRDT

/// All connections that get the same bytes: they have the same encoding and vocabulary, and made the same choice about
/// overlap notices and about the number of people.
struct Channel: Hashable, Sendable {
  let index: Int

  static let count = ForEachChannel<Bool>.count
  static let all = (0..<count).map { Channel(index: $0) }

  /// - Parameter vocabulary: its place in the list of the room's vocabularies.
  init(_ encoding: WireEncoding, vocabulary: Int, overlaps: Bool, crowd: Bool) {
    index = Int(encoding.rawValue) + (overlaps ? 2 : 0) + (crowd ? 4 : 0) + 8 * vocabulary
  }

  private init(index: Int) { self.index = index }

  var encoding: WireEncoding { index & 1 == 0 ? .json : .binary }
  var hasOverlaps: Bool { index & 2 != 0 }
  var hasCrowd: Bool { index & 4 != 0 }
  var vocabulary: Int { index / 8 }
}

/// One value for each channel, by its index. There may be two vocabularies: one is for a test's clients that don't know
/// everything.
typealias ForEachChannel<Value> = InlineArray<16, Value>
