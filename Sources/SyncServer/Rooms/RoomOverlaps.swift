import CanvasCRDT

// Overlaps are worked out on another thread. The room gives the orders, and announces what has changed.

extension Room {
  /// Members who want notices need the index from now on.
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

  /// The order of an `overlaps` effect has been carried out.
  mutating func overlapsDone(_ outcome: consuming OverlapOutcome, now: Moment) {
    let answered = overlaps.took(outcome, now: now)
    if let (index, position) = overlaps.settled {
      let cursor = fold.places.cursor(at: position)
      for request in answered { effects.append(.overlapsAnswered(request: request, index, cursor)) }
    }
    // The member who wanted overlaps may have left meanwhile.
    if !audience.wantsOverlaps { dropIdleOverlaps(now) }
    // If there is news, the next beat sends it, and gives the next order.
    guard !overlaps.hasNews else { return fanOut.gather(now) }
    // An order that somebody waits for is given now. An order for what has changed meanwhile is given by the next beat,
    // even if that beat has nothing to send.
    if overlaps.isAsked {
      orderOverlaps(now)
    } else if audience.wantsOverlaps, overlaps.isBehind {
      fanOut.gather(now)
    }
  }

  /// Takes an HTTP request for the shapes that overlap now. An `overlapsAnswered` effect has the answer.
  mutating func askOverlaps(request: UInt64, now: Moment) {
    overlaps.ask(request, now: now)
    // News from the last order has to be sent before another order is given, and the beat gives that order.
    if overlaps.hasNews { flush(now: now) } else { orderOverlaps(now) }
  }

  /// Whether the room has an index of overlaps and keeps it up to date.
  var keepsOverlaps: Bool { overlaps.isKept }
}
