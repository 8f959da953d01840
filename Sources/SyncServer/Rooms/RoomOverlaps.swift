import CanvasCRDT

// Overlaps are computed on another thread. The room orders the work, and announces what has changed.

extension Room {
  /// To be called when a member wants notices of overlaps.
  mutating func keepOverlaps(_ now: Moment) {
    guard !audience.wantsOverlaps else { return }
    flush(now: now)
    overlaps.beginTelling()
    fanOut.beginPairs()
  }

  mutating func orderOverlaps(_ now: Moment) {
    guard let work = overlaps.order(fold.canvas, at: fold.position, now: now) else { return }
    effects.append(.overlaps(Handover(work)))
  }

  mutating func dropIdleOverlaps(_ now: Moment) {
    if let work = overlaps.dropIfIdle(now: now) { effects.append(.overlaps(Handover(work))) }
  }

  /// To be called when the work of an `overlaps` effect is done.
  /// - Parameter outcome: `nil` if the work was only to free the index.
  mutating func overlapsDone(_ outcome: consuming OverlapOutcome?, now: Moment) {
    guard let outcome else {
      overlaps.freed()
      return orderOverlaps(now)
    }
    let answered = overlaps.took(outcome, now: now)
    if let (index, position) = overlaps.settled {
      let cursor = fold.places.cursor(at: position)
      for request in answered { effects.append(.overlapsAnswered(request: request, index, cursor)) }
    }
    // The member who wanted overlaps might have left meanwhile.
    if !audience.wantsOverlaps { dropIdleOverlaps(now) }
    // If overlaps have changed, the next broadcast sends them, and then orders the next computation.
    guard !overlaps.hasNews else { return fanOut.gather(now) }
    // If somebody waits for pairs, the order is given now. Otherwise the next broadcast gives it. That broadcast is made
    // even if it has nothing to send.
    if overlaps.isAsked {
      orderOverlaps(now)
    } else if audience.wantsOverlaps, overlaps.isBehind {
      fanOut.gather(now)
    }
  }

  /// Takes an HTTP request for the shapes that overlap now. An `overlapsAnswered` effect has the answer.
  mutating func askOverlaps(request: UInt64, now: Moment) {
    overlaps.ask(request, now: now)
    // `flush` sends the changes that the last work has found, and then orders the next work.
    if overlaps.hasNews { flush(now: now) } else { orderOverlaps(now) }
  }
}
