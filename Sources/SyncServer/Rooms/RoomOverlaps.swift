import CanvasCRDT

// Overlaps are computed on another thread. The room orders the work, and announces what has changed.

extension Room {
  /// To be called when members want notices of overlaps, because notices need the index.
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

  /// To be called when the order of an `overlaps` effect has been carried out.
  mutating func overlapsDone(_ outcome: consuming OverlapOutcome, now: Moment) {
    let answered = overlaps.took(outcome, now: now)
    if let (index, position) = overlaps.settled {
      let cursor = fold.places.cursor(at: position)
      for request in answered { effects.append(.overlapsAnswered(request: request, index, cursor)) }
    }
    // The member who wanted overlaps may have left meanwhile.
    if !audience.wantsOverlaps { dropIdleOverlaps(now) }
    // If overlaps have changed, the next broadcast (`Beat`) sends them. That broadcast also gives the next
    // `OverlapOrder`, a request to compute overlaps.
    guard !overlaps.hasNews else { return fanOut.gather(now) }
    // If somebody waits for the next `OverlapOrder`, it is given now. Otherwise the next broadcast gives it, even if
    // that broadcast has nothing to send.
    if overlaps.isAsked {
      orderOverlaps(now)
    } else if audience.wantsOverlaps, overlaps.isBehind {
      fanOut.gather(now)
    }
  }

  /// Takes an HTTP request for the shapes that overlap now. An `overlapsAnswered` effect has the answer.
  mutating func askOverlaps(request: UInt64, now: Moment) {
    overlaps.ask(request, now: now)
    // Changes from the last order have to be sent before another order is given. `flush` does both.
    if overlaps.hasNews { flush(now: now) } else { orderOverlaps(now) }
  }

  /// Whether the room has an index of overlaps and keeps it up to date.
  var keepsOverlaps: Bool { overlaps.isKept }
}
