import CanvasCRDT

// Overlaps are computed beside the loop. The room gives the orders and announces their outcome.

extension Room {
  /// Members with notices need the index from now on.
  mutating func keepOverlaps(_ now: Moment) {
    guard !audience.wantsOverlaps else { return }
    flush(now: now)
    overlaps.beginTelling()
    fanOut.beginPairs()
  }

  mutating func orderOverlaps(_ now: Moment) {
    guard let work = overlaps.order(fold.canvas, at: fold.position, now: now) else { return }
    effects.append(.overlaps(OverlapOrder(work)))
  }

  mutating func dropIdleOverlaps(_ now: Moment) {
    if let work = overlaps.dropIfIdle(now: now) { effects.append(.overlaps(OverlapOrder(work))) }
  }

  /// The work of the effect `overlaps` is done.
  mutating func overlapsDone(_ outcome: consuming OverlapOutcome, now: Moment) {
    let answered = overlaps.took(outcome, now: now)
    if let (index, position) = overlaps.settled {
      let cursor = fold.places.cursor(at: position)
      for request in answered { effects.append(.overlapsAnswered(request: request, index, cursor)) }
    }
    // The member who wanted overlaps may have left meanwhile.
    if !audience.wantsOverlaps { dropIdleOverlaps(now) }
    // The beat tells the news, and gives the next order.
    if overlaps.hasNews { fanOut.gather(now) } else if overlaps.isAsked { orderOverlaps(now) }
  }

  /// Asks which shapes overlap now, for a request over HTTP. An `overlapsAnswered` effect answers.
  mutating func askOverlaps(request: UInt64, now: Moment) {
    overlaps.ask(request, now: now)
    // News that waits for its beat has to be sent before that of another order.
    if overlaps.hasNews { flush(now: now) } else { orderOverlaps(now) }
  }

  /// Whether the index is kept up to date.
  var keepsOverlaps: Bool { overlaps.isKept }
}
