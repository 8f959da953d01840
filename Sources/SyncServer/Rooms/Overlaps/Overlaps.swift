import CanvasCRDT

/// Which shapes of a room overlap: an index that is kept only while somebody asks for it.
///
/// What always holds, while there is an index:
/// - The index says what overlapped on the canvas when it was last settled.
/// - Every shape whose outline may have changed since then is among the unsettled shapes. Without an index there are no
///   unsettled shapes.
struct Overlaps: Sendable {
  private let pairsMax: Int
  private let idleMilliseconds: UInt64
  private var index: OverlapIndex?
  private var unsettled: Set<Identifier> = []
  /// The index is kept until this time for questions over HTTP. On the monotonic clock.
  private var neededUntil: UInt64 = 0
  /// When there were too many overlaps to tell, and it was last checked whether there still are. On the monotonic
  /// clock.
  private var lookedAt: UInt64 = 0

  init(limits: Limits) {
    pairsMax = Int(clamping: limits.overlapPairs)
    idleMilliseconds = limits.indexIdleMilliseconds
  }

  var isKept: Bool { index != nil }

  /// All pairs that overlap, as of the last time that the index was settled.
  var pairs: [ShapePair] { index?.pairs ?? [] }

  /// Builds the index and follows changes from here on.
  mutating func keep(of canvas: borrowing Canvas) {
    guard index == nil else { return }
    index = OverlapIndex(of: canvas, pairsMax: pairsMax)
    unsettled = []
  }

  /// The index brought up to the canvas as it is now, for a question over HTTP. It is kept for the next question.
  mutating func index(of canvas: borrowing Canvas, now: Moment) -> OverlapIndex {
    neededUntil = now.monotonicMilliseconds &+ idleMilliseconds
    _ = settle(canvas, isTold: false, now: now)
    keep(of: canvas)
    return index ?? OverlapIndex()
  }

  /// To be called when nobody in the room wants notices. Drops the index, unless it is still kept for questions over
  /// HTTP.
  mutating func dropIfIdle(now: Moment) {
    guard now.monotonicMilliseconds >= neededUntil else { return }
    index = nil
    unsettled = []
  }

  /// Notes a change that may move an outline. The shape is looked at once, when the index is next settled.
  mutating func follow(_ change: Change) {
    guard index != nil else { return }
    switch change.lifecycle {
    case .absent: return
    case .present where change.changed.union(change.erased).intersection(.outline).isEmpty: return
    case .present, .appeared, .vanished: unsettled.insert(change.shape)
    }
  }

  /// Brings the index up to the canvas.
  /// - Parameter isTold: whether somebody is to be told of the difference. Only then it is returned, and each pair is
  ///   in at most one of the lists.
  mutating func settle(_ canvas: borrowing Canvas, isTold: Bool, now: Moment) -> OverlapChanges {
    guard index != nil, !unsettled.isEmpty || isLookDue(now) else { return OverlapChanges() }
    var net = NetChanges()
    for shape in unsettled.sorted() {
      let live = canvas[shape]
      guard let changes = index?.update(shape, to: live?.properties.visible == true ? live?.outline : nil) else {
        break
      }
      net.note(changes)
    }
    unsettled.removeAll(keepingCapacity: true)
    if isLookDue(now), let changes = index?.lookAgain() {
      net.note(changes)
      lookedAt = now.monotonicMilliseconds
    }
    return isTold ? net.changes : OverlapChanges()
  }

  /// If too many shapes overlap, it is checked from time to time, while something changes, whether that is still so. A
  /// check may take as long as telling the most pairs that may be told.
  func isLookDue(_ now: Moment) -> Bool {
    index?.isWorthALook == true && now.monotonicMilliseconds >= lookedAt &+ Overlaps.lookMilliseconds
  }

  private static let lookMilliseconds: UInt64 = 2_000
}

/// The net result of several changes. A pair that begins and ends again, or ends and begins again, has not changed.
private struct NetChanges {
  private var net: [ShapePair: Bool] = [:]

  mutating func note(_ changes: OverlapChanges) {
    for pair in changes.began { net[pair] = net[pair] == nil ? true : nil }
    for pair in changes.ended { net[pair] = net[pair] == nil ? false : nil }
  }

  var changes: OverlapChanges {
    var changes = OverlapChanges()
    for (pair, began) in net {
      if began { changes.began.append(pair) } else { changes.ended.append(pair) }
    }
    changes.began.sort()
    changes.ended.sort()
    return changes
  }
}

extension OverlapIndex {
  /// An index of all visible shapes.
  init(of canvas: borrowing Canvas, pairsMax: Int) {
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    outlines.reserveCapacity(canvas.liveCount)
    for shape in canvas.shapes where shape.properties.visible { outlines.append((shape.id, shape.outline)) }
    self.init(outlines, pairsMax: pairsMax)
  }
}
