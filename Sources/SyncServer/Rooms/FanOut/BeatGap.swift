import CanvasCRDT

/// The broadcasts that a connection lacks: from the connection's next broadcast to the newest one. The ring buffer
/// still has all of them.
struct BeatGap: Sendable {
  let place: UInt64
  /// The ordinal of the first broadcast whose joins and leaves are news to the connection.
  let peopleFrom: UInt64
  /// The log position up to which the connection has read.
  let since: UInt64
  let channel: Channel
  let actor: Identifier
}

extension Ring {
  /// Whether a connection whose next broadcast is `place` is behind: it lacks more than one broadcast, and the first of
  /// them was made at least `milliseconds` ago.
  func isBehind(_ place: UInt64, by milliseconds: UInt64, now: Moment) -> Bool {
    place &+ 1 < end && self[place].madeAt &+ milliseconds <= now.monotonicMilliseconds
  }

  /// The joins, leaves and presence of the broadcasts from `place` on, combined.
  func people(from place: UInt64) -> PeerChanges {
    var net = PeerChanges()
    var states: [Identifier: PeerState] = [:]
    for ordinal in place..<max(place, end) where !self[ordinal].peers.isEmpty {
      let peers = self[ordinal].peers
      for actor in peers.left {
        states[actor] = nil
        // If a peer joined and left within these broadcasts, the reader gets neither the join nor the leave.
        if let came = net.joined.firstIndex(where: { $0.actor == actor }) {
          net.joined.remove(at: came)
        } else {
          net.left.append(actor)
        }
      }
      net.joined += peers.joined
      for state in peers.states { states[state.actor] = state }
      if let crowd = peers.crowd { net.crowd = crowd }
    }
    net.states = states.values.sorted { $0.actor < $1.actor }
    return net
  }

  /// The changed overlaps of the broadcasts from `place` on, combined. `nil` if there is nothing to send. A connection
  /// that still has to be sent all pairs gets a value even if there are no pairs.
  func overlaps(from place: UInt64) -> OverlapChanges? {
    var net = NetChanges()
    var isFirst = false
    for ordinal in place..<end {
      guard let overlaps = self[ordinal].overlaps else { continue }
      if overlaps.isFirst { isFirst = true }
      net.note(overlaps.changes)
    }
    let changes = net.changes
    return isFirst || !changes.isEmpty ? changes : nil
  }
}

/// The bytes that bring slow readers up to date. They are kept for a moment, because readers that lack the same
/// broadcasts get the same bytes.
///
/// What always holds: all these bytes end with the broadcast that was newest at the last call of `knows`.
struct Leaps: Sendable {
  private struct Key: Hashable {
    let channel: Channel
    let place: UInt64
    let since: UInt64

    init(_ gap: BeatGap) {
      channel = gap.channel
      place = gap.place
      since = gap.since
    }
  }

  private var end: UInt64 = 0
  private var known: [Key: [UInt8]?] = [:]

  /// Whether the bytes for a gap that ends with the broadcast `end` have been made already.
  mutating func knows(_ gap: BeatGap, to end: UInt64) -> Bool {
    if end != self.end {
      self.end = end
      known.removeAll(keepingCapacity: true)
    }
    return known[Key(gap)] != nil
  }

  /// The bytes that fill a gap. `nil` if making them would be too much work.
  subscript(gap: BeatGap) -> [UInt8]? { known[Key(gap)] ?? nil }

  mutating func note(_ bytes: [UInt8]?, over gap: BeatGap) { known[Key(gap)] = .some(bytes) }

  mutating func forget() { known = [:] }
}
