import CanvasCRDT

/// The overlaps of a room: an index that is kept only while a client asks for overlaps. Orders for work on the index
/// (`OverlapWork`) are carried out on another thread.
///
/// What always holds:
/// - At most one order is being carried out, and it has the index. Its outcome is awaited even if nobody asks for
///   overlaps any more, because somebody might ask again.
/// - Every shape whose outline might have changed since the newest order is among the unsettled shapes. While there is
///   no index and no order, there are no unsettled shapes.
/// - Members who want notices are sent all pairs once, and then each change, in order.
/// - Each HTTP request for overlaps is answered once, from an index that has everything that the room had when the
///   request came.
struct Overlaps: Sendable {
  private let limits: Limits

  enum Place: Sendable {
    /// No client asks for overlaps.
    case none
    /// A client asks for overlaps, and there is no index yet.
    case wanted
    case here(OverlapIndex)
    /// Another thread has the index and works on it.
    case away
    /// Nobody asks for overlaps any more, and another thread frees the index. If somebody asks meanwhile, a new index is
    /// made only afterwards. Otherwise clients that come and go could pile up indexes.
    case leaving
  }

  private(set) var place = Place.none
  private var orders: UInt64 = 0
  /// The log position that the index has reached.
  private var position: UInt64 = 0
  private var unsettled: Set<Identifier> = []
  /// Until when the index is kept for HTTP requests. All times here are on the monotonic clock.
  private var neededUntil: UInt64 = 0
  private var budget: OverlapBudget

  private enum Telling: Sendable {
    case nobodyAsks
    /// The members still have to be sent all pairs. The order with this number, or a later order, computes all pairs.
    case due(from: UInt64)
    /// The members have been sent all pairs, or will be sent all pairs with `news`.
    case begun
  }

  private var telling = Telling.nobodyAsks
  /// The notices for the next broadcast (`Beat`).
  private var news: Notices?

  /// HTTP requests for overlaps. The next order answers those in `questions`, and the current order those in
  /// `questionsUnderWay`.
  private var questions: [UInt64] = []
  private var questionsUnderWay: [UInt64] = []

  init(limits: Limits) {
    self.limits = limits
    budget = OverlapBudget(stepsPerShape: limits.overlapSteps)
  }

  /// The overlaps in one broadcast (`Beat`).
  struct Notices: Sendable {
    /// Whether the notices list all pairs, because the members have not been sent any pair yet. Each pair is then
    /// reported as if its overlap had just begun. Such notices are sent even if there are no pairs.
    let isFirst: Bool
    var changes: OverlapChanges
  }

  // MARK: Requests for overlaps

  /// To be called when a member wants overlap notices and no member wanted them before.
  mutating func beginTelling() {
    // The order in progress lacks the newest changes, so only the next order can bring all pairs.
    telling = .due(from: orders + 1)
    news = nil
    want()
  }

  /// To be called when no member wants notices any more.
  mutating func endTelling() {
    telling = .nobodyAsks
    news = nil
  }

  /// Takes the number of an HTTP request. `took` returns the number when the request can be answered.
  mutating func ask(_ question: UInt64, now: Moment) {
    neededUntil = now.monotonicMilliseconds &+ limits.indexIdleMilliseconds
    questions.append(question)
    want()
  }

  private mutating func want() { if case .none = place { place = .wanted } }

  /// Drops the index, unless it is still kept for HTTP requests, or another thread has it. To be called when nobody in
  /// the room wants notices.
  /// - Returns: the work that frees the index.
  mutating func dropIfIdle(now: Moment) -> OverlapWork? {
    guard now.monotonicMilliseconds >= neededUntil, questions.isEmpty else { return nil }
    switch place {
    case .none, .away, .leaving: return nil
    case .wanted:
      place = .none
      return nil
    case .here(let index):
      place = .leaving
      unsettled = []
      return work(index, .nothing)
    }
  }

  /// To be called when the index that `dropIfIdle` dropped is freed.
  mutating func freed() { place = isAsked ? .wanted : .none }

  // MARK: Following the canvas

  /// Notes a change that can affect an outline. The next `OverlapWork` reads each changed outline once, however often
  /// the outline changed.
  mutating func follow(_ change: Change) {
    switch place {
    case .none, .wanted, .leaving: return
    case .here, .away: break
    }
    switch change.lifecycle {
    case .absent: return
    case .present where change.changed.union(change.erased).intersection(.outline).isEmpty: return
    case .present, .appeared, .vanished: unsettled.insert(change.shape)
    }
  }

  /// The next order (a piece of work for another thread), if there is any work and no other order is being carried out.
  mutating func order(_ canvas: borrowing Canvas, at position: UInt64, now: Moment) -> OverlapWork? {
    switch place {
    case .none, .away, .leaving: return nil
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
    for shape in unsettled.sorted() { outlines.append((shape, canvas[shape]?.visibleOutline)) }
    return .shapes(outlines)
  }

  /// The most outlines that are read on the loop, which takes about a tenth of a millisecond. If more have changed, the
  /// other thread reads them from the canvas itself.
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

  /// Takes back the index from another thread that has worked on it.
  /// - Returns: the HTTP requests that the index answers.
  mutating func took(_ outcome: consuming OverlapOutcome, now: Moment) -> [UInt64] {
    budget.spent(left: outcome.index.stepsLeft ?? 0, isCrowded: outcome.index.isCrowded, now: now)
    switch telling {
    case .nobodyAsks: break
    case .due(let first):
      // If a member began to want notices after this work was ordered, the outcome can lack some pairs. The next
      // outcome then brings all pairs.
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
    // A broadcast has sent the earlier news, because one is made before each new `OverlapWork`.
    assert(news == nil, "an order was given before the beat")
    news = Notices(isFirst: false, changes: changes)
  }

  /// The index, from which HTTP requests are answered. `nil` if there is none, or while another thread works on it.
  var settled: (index: OverlapIndex, position: UInt64)? {
    guard case .here(let index) = place else { return nil }
    return (index, position)
  }

  // MARK: Notices

  /// Removes and returns the notices for the next broadcast.
  mutating func takeNews() -> Notices? {
    defer { news = nil }
    return news
  }

  var hasNews: Bool { news != nil }
  /// Whether shapes have changed that no piece of work has taken into account.
  var isBehind: Bool { !unsettled.isEmpty }
  /// Whether a member or an HTTP request waits for pairs that no order (a piece of work for another thread) will bring
  /// yet.
  var isAsked: Bool { areAllPairsDue || !questions.isEmpty }
  private var areAllPairsDue: Bool { if case .due = telling { true } else { false } }

  /// Whether it is time to check if there are still too many pairs. While shapes change, that is checked now and then.
  func isLookDue(_ now: Moment) -> Bool {
    guard case .here(let index) = place else { return false }
    return index.isWorthALook && budget.mayLook(now)
  }
}
