internal import CWebSockets

// How much may be written to the line (the network path to the peer) now. `LineGauge` decides that.

extension Connection {
  /// The upper bound on bytes that the kernel takes beyond those that TCP has in flight. With this many, even a fast
  /// line has something to send until the next iteration of the loop.
  private static let unsentBytesMax: Int32 = 32_768

  func limitUnsent() { _ = cws_limit_unsent(descriptor, Self.unsentBytesMax) }

  /// The part of `frames` that may be written to the line now. It ends at the end of a frame.
  func lineShare(of frames: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if isUnjudged || gauge.covers(frames.count, at: loop.now) { return frames }
    look()
    let allowed = gauge.allowance(frames.count)
    guard allowed < frames.count else { return frames }
    guard allowed > 0 else { return UnsafeRawBufferPointer(rebasing: frames[..<0]) }
    return UnsafeRawBufferPointer(rebasing: frames[..<FrameHeader.boundary(atOrBefore: allowed, in: frames)])
  }

  /// Sends nothing more until enough bytes have arrived at the peer. No event reports their arrival, so the socket is
  /// checked again after a while.
  func hold() {
    if !isHeld { loop.counts.stalls &+= 1 }
    isHeld = true
    let timer = lineTimer ?? LoopTimer(loop: loop, repeats: true) { [unowned self] in lineMayTakeMore() }
    lineTimer = timer
    timer.start(afterMilliseconds: gauge.rest())
  }

  /// The peer has answered a ping.
  func heardEcho(_ payload: UnsafeRawBufferPointer) {
    heard()
    if echoes?.hear(payload, at: loop.now) == true, isHeld { lineMayTakeMore() }
  }

  /// Sends a ping to learn how many bytes have arrived, if that is worth the ping's bytes.
  func askForEcho() {
    guard state == .open, echoes?.wantsPing(isBound: gauge.isBound) == true, let payload = echoes?.ask(at: loop.now)
    else { return }
    sendPing(payload)
  }

  private func lineMayTakeMore() {
    guard state == .open else { return }
    look()
    guard isUnjudged || gauge.allowance(1) > 0 else { return hold() }
    isHeld = false
    guard waiting.isEmpty, wantsWritable, !isStalled else { return }
    wantsWritable = false
    handler?.writable(self)
  }

  func readLine() -> cws_line? {
    var line = cws_line()
    return cws_read_line(descriptor, &line) == 0 ? line : nil
  }

  /// Whether it is unknown how much has arrived. Behind a proxy only the peer's answers to pings tell that, and they
  /// stay unread while reading is paused.
  private var isUnjudged: Bool { echoes != nil && !isReading }

  private func look() {
    if let echoes {
      gauge.take(echoes.look(isBound: gauge.isBound), at: loop.now)
      return askForEcho()
    }
    guard let line = readLine() else { return }
    gauge.take(
      LineGauge.Look(
        queued: Int(line.queued),
        acknowledged: line.acknowledged,
        leastRoundTrip: Double(line.least_round_trip) / 1_000,
        roundTrip: Double(line.round_trip) / 1_000
      ),
      at: loop.now
    )
  }
}
