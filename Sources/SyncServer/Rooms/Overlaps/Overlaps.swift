import CanvasCRDT

/// The overlaps of a room: an index that is kept only while a client asks for it. All work on the index is done beside
/// the loop (`OverlapWork`).
///
/// What always holds:
/// - At most one order is under way, and it has the index meanwhile. It is waited for even if nobody asks any more.
///   If somebody asks again, its index is used.
/// - Every shape whose outline may have changed since the newest order is among the unsettled shapes. While there is no
///   index and no order, there are no unsettled shapes.
/// - Members who want notices are told once of all pairs, and then of each change, in order.
/// - Each question over HTTP is answered once, by an index that has all that the room had when the question came.
struct Overlaps: Sendable {
  private let limits: Limits

  private enum Place: Sendable {
    /// No client asks for overlaps.
    case none
    /// A client asks, and there is no index yet.
    case wanted
    case here(OverlapIndex)
    /// The order under way has the index. Perhaps nobody asks any more.
    case away
  }

  private var place = Place.none
  private var orders: UInt64 = 0
  /// The place in the log that the index is at.
  private var position: UInt64 = 0
  private var unsettled: Set<Identifier> = []
  /// The index is kept until this time for requests over HTTP. On the monotonic clock, like all times here.
  private var neededUntil: UInt64 = 0
  private var budget: OverlapBudget

  /// How far the members who want notices have been told.
  private enum Telling: Sendable {
    case nobodyAsks
    /// All pairs are to be told. The order for that is under way or not yet given; it has this number, or a later one.
    case due(from: UInt64)
    /// All pairs are in hand, or have been told.
    case begun
  }

  private var telling = Telling.nobodyAsks
  /// The notices for the next beat.
  private var news: Notices?

  /// Requests over HTTP that no order covers yet, and those that the order under way will answer.
  private var questions: [UInt64] = []
  private var questionsUnderWay: [UInt64] = []

  init(limits: Limits) {
    self.limits = limits
    budget = OverlapBudget(stepsPerShape: limits.overlapSteps)
  }

  /// The overlaps in a beat.
  struct Notices: Sendable {
    /// Whether these are all pairs, each as one that begins. They go to members who have been told of none, even if
    /// there are none.
    let isFirst: Bool
    var changes: OverlapChanges
  }

  var isKept: Bool { if case .none = place { false } else { true } }

  // MARK: Who asks

  /// Members want notices from now on.
  mutating func beginTelling() {
    // An order that is under way doesn't have the newest changes, so the next one tells all pairs.
    telling = .due(from: orders + 1)
    news = nil
    want()
  }

  /// To be called when nobody in the room wants notices.
  mutating func endTelling() {
    telling = .nobodyAsks
    news = nil
  }

  /// Takes a request over HTTP. `took` answers it.
  mutating func ask(_ question: UInt64, now: Moment) {
    neededUntil = now.monotonicMilliseconds &+ limits.indexIdleMilliseconds
    questions.append(question)
    want()
  }

  private mutating func want() { if case .none = place { place = .wanted } }

  /// Drops the index, unless it is still kept for questions over HTTP, or an order has it. To be called when nobody in the
  /// room wants notices.
  /// - Returns: what frees the index.
  mutating func dropIfIdle(now: Moment) -> OverlapWork? {
    guard now.monotonicMilliseconds >= neededUntil, questions.isEmpty else { return nil }
    switch place {
    case .none, .away: return nil
    case .wanted:
      place = .none
      return nil
    case .here(let index):
      place = .none
      unsettled = []
      return work(index, .nothing)
    }
  }

  // MARK: Following the canvas

  /// Notes a change that may affect an outline. The next order reads each changed outline once.
  mutating func follow(_ change: Change) {
    switch place {
    case .none, .wanted: return
    case .here, .away: break
    }
    switch change.lifecycle {
    case .absent: return
    case .present where change.changed.union(change.erased).intersection(.outline).isEmpty: return
    case .present, .appeared, .vanished: unsettled.insert(change.shape)
    }
  }

  /// The next order, if there is anything to be done and none is under way.
  mutating func order(_ canvas: borrowing Canvas, at position: UInt64, now: Moment) -> OverlapWork? {
    switch place {
    case .none, .away: return nil
    case .wanted:
      budget.grow(shapes: canvas.liveCount, now: now)
      return give(nil, .all(copy canvas), looksAgain: false, at: position)
    case .here(let index):
      let looksAgain = isLookDue(now)
      guard !unsettled.isEmpty || looksAgain || isAsked else { return nil }
      budget.grow(shapes: canvas.liveCount, now: now)
      place = .away
      return give(index, outlines(canvas), looksAgain: looksAgain, at: position)
    }
  }

  private func outlines(_ canvas: borrowing Canvas) -> OverlapWork.Source {
    guard unsettled.count <= Overlaps.outlinesMax else { return .shapesOf(copy canvas, unsettled) }
    var outlines: [(shape: Identifier, outline: Outline?)] = []
    outlines.reserveCapacity(unsettled.count)
    for shape in unsettled.sorted() {
      let live = canvas[shape]
      outlines.append((shape, live?.properties.visible == true ? live?.outline : nil))
    }
    return .shapes(outlines)
  }

  /// Reading this many outlines takes about a tenth of a millisecond. For more, the canvas itself is given away; while
  /// such a copy exists, each page of the canvas has to be copied before it is written to.
  private static let outlinesMax = 512

  private mutating func give(
    _ index: consuming OverlapIndex?,
    _ source: OverlapWork.Source,
    looksAgain: Bool,
    at position: UInt64
  ) -> OverlapWork {
    place = .away
    orders += 1
    self.position = position
    unsettled = []
    questionsUnderWay = questions
    questions = []
    return work(index, source, looksAgain: looksAgain)
  }

  private func work(
    _ index: consuming OverlapIndex?,
    _ source: OverlapWork.Source,
    looksAgain: Bool = false
  ) -> OverlapWork {
    OverlapWork(
      number: orders,
      index: index,
      source: source,
      looksAgain: looksAgain,
      wantsPairs: areAllPairsDue,
      position: position,
      pairsMax: Int(clamping: limits.overlapPairs),
      stepsMax: budget.steps
    )
  }

  /// An order has been carried out.
  /// - Returns: the questions that the index answers.
  mutating func took(_ outcome: consuming OverlapOutcome, now: Moment) -> [UInt64] {
    budget.spent(left: outcome.index.stepsLeft ?? 0, isCrowded: outcome.index.isCrowded, now: now)
    switch telling {
    case .nobodyAsks: break
    case .due(let first):
      // If somebody only began to want notices meanwhile, the next order brings all pairs.
      if outcome.isAll, outcome.number >= first {
        telling = .begun
        news = Notices(isFirst: true, changes: outcome.changes)
      }
    case .begun:
      if !outcome.changes.isEmpty { tell(outcome.changes) }
    }
    place = .here(outcome.index)
    let answered = questionsUnderWay
    questionsUnderWay = []
    return answered
  }

  private mutating func tell(_ changes: OverlapChanges) {
    // A beat comes before the next order, so there is nothing yet to combine this with.
    assert(news == nil, "an order was given before the beat")
    news = Notices(isFirst: false, changes: changes)
  }

  /// The index after the last order, for an answer over HTTP.
  var settled: (index: OverlapIndex, position: UInt64)? {
    guard case .here(let index) = place else { return nil }
    return (index, position)
  }

  // MARK: Telling

  /// The notices for the next beat.
  mutating func takeNews() -> Notices? {
    defer { news = nil }
    return news
  }

  var hasNews: Bool { news != nil }
  /// Whether anybody waits for an order that hasn't been given.
  var isAsked: Bool { areAllPairsDue || !questions.isEmpty }
  private var areAllPairsDue: Bool { if case .due = telling { true } else { false } }

  /// Whether it is time to check if there are still too many pairs. This is done now and then, while shapes change.
  func isLookDue(_ now: Moment) -> Bool {
    guard case .here(let index) = place else { return false }
    return index.isWorthALook && budget.mayLook(now)
  }
}
