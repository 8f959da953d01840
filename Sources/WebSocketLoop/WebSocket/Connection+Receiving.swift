internal import CWebSockets

// Receiving: pieces of messages, and close frames.

extension Connection {
  /// Takes a piece of a message from libwebsockets. A short message that is not fragmented comes in one piece.
  /// - Returns: 0, or any other value to drop the connection.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard let wsi else { return isAborted ? -1 : 0 }
    let isText = lws_frame_is_binary(wsi) == 0
    let isLast = lws_is_final_fragment(wsi) != 0
    // How many bytes of the frame are still to come.
    let left = UInt64(lws_remaining_packet_payload(wsi))
    guard state == .open else { return isAborted ? -1 : 0 }
    loop.counts.bytesReceived &+= UInt64(bytes.count)
    overhead.handOn(bytes: bytes.count)
    if isLast { overhead.endMessage() }
    let gathered = assembly.count + bytes.count
    // The rest of the frame counts towards the limit before it arrives, because the frame's header announces its
    // length. So a message that is too long is refused early.
    guard gathered <= options.messageBytesMax, left <= UInt64(options.messageBytesMax - gathered) else {
      dropAssembly()
      closeByItself(code: CloseCode.tooLarge, reason: "longer than \(options.messageBytesMax) bytes")
      return 0
    }
    guard isLast else {
      // The array doubles its capacity when it is full, so that it isn't copied for each piece. The announced length is
      // not reserved, because a peer may never send the announced bytes.
      assembly.append(contentsOf: bytes)
      guard !isText || assemblyIsTextSoFar() else {
        refuseText()
        return 0
      }
      messageGrew()
      return 0
    }
    let waits = !held.isEmpty || loop.isTurnSpent || isReadingPaused
    if assembly.isEmpty {
      guard !isText || bytes.isValidUTF8 else {
        refuseText()
        return 0
      }
      if waits {
        hold(Array(bytes), isText: isText)
      } else {
        // The parts before this one were empty.
        if messageBegan != nil { dropAssembly() }
        deliver(bytes, isText: isText)
      }
    } else {
      assembly.append(contentsOf: bytes)
      let whole = assembly
      guard !isText || whole.withUnsafeBytes(\.isValidUTF8) else {
        refuseText()
        return 0
      }
      if waits {
        hold(whole, isText: isText)
      } else {
        dropAssembly()
        whole.withUnsafeBytes { deliver($0, isText: isText) }
      }
    }
    return isAborted ? -1 : 0
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer, isText: Bool) {
    lastMessage = loop.now
    handler?.received(Message(bytes: bytes, isText: isText), on: self)
  }

  // MARK: Pausing

  /// Resumes reading, unless the owner has paused it, messages wait in the loop's queue, or the peer has sent too many
  /// bytes that belong to no message.
  func setFlow() {
    guard let wsi else { return }
    if isReading { wasResumed = true }
    lws_rx_flow_control(wsi, isReading ? 1 : 0)
  }

  // MARK: Bytes that belong to no message

  /// Pauses reading if the peer sends a flood of frames that no handler sees, such as pings.
  func lookAtOverhead() {
    guard state == .open, !overhead.isResting else { return }
    var received: UInt64 = 0
    let wasHeldBack = isHeldBack
    guard cws_read_received(descriptor, &received) == 0,
      let milliseconds = overhead.look(received: received, at: loop.now)
    else { return }
    if !wasHeldBack { heldBackAt = loop.now }
    setFlow()
    loop.schedule(afterMilliseconds: milliseconds) { [weak self] in self?.rested() }
  }

  private func rested() {
    overhead.rested()
    if !isHeldBack { moveMessageOn() }
    heard()
    setFlow()
  }

  // MARK: Messages that wait for the loop

  /// Holds a message until the loop's queue serves the connection again. Until then nothing more is read.
  private func hold(_ bytes: [UInt8], isText: Bool) {
    held.append(HeldMessages.Entry(bytes: bytes, isText: isText, number: unfinishedMessage))
    unfinishedMessage = nil
    dropAssembly()
    setFlow()
    queueUp()
  }

  func queueUp() {
    guard !isReadingPaused, held.needsPlace() else { return }
    loop.queueUp(self)
  }

  func takeTurn() {
    held.hasTurn()
    guard state == .open, !isReadingPaused, let message = held.popFirst() else { return }
    if let number = message.number { counter?.messageEnded(number) }
    message.bytes.withUnsafeBytes { deliver($0, isText: message.isText) }
    queueUp()
    if held.isEmpty { setFlow() }
  }

  /// Drops the messages that have arrived but were not handled.
  func dropUnread() {
    dropAssembly()
    while let message = held.popFirst() {
      if let number = message.number { counter?.messageEnded(number) }
    }
  }

  /// Whether the text so far is valid UTF-8, except that the last character may be incomplete.
  private func assemblyIsTextSoFar() -> Bool {
    let (isText, checked) = assembly.withUnsafeBytes { $0.couldBecomeUTF8(from: assemblyChecked) }
    assemblyChecked = checked
    return isText
  }

  private func refuseText() {
    dropAssembly()
    closeByItself(code: CloseCode.notUTF8, reason: "not UTF-8")
  }

  // MARK: Unfinished messages

  /// Called when a part of a message has arrived, but not its end.
  func messageGrew() {
    if messageBegan == nil {
      messageBegan = loop.now
      if !isStalled { timer?.start(afterMilliseconds: nextCheck()) }
    }
    counter?.messageGrew(self)
  }

  /// How much of the present pause doesn't count as time of a message that began at `began`. An eighth counts, so that a
  /// client that is held back all the time can't keep a message unfinished for ever.
  private func uncountedMilliseconds(since began: UInt64) -> UInt64 { (loop.now - max(began, heldBackAt)) / 8 * 7 }

  func messageDue(_ began: UInt64) -> UInt64 {
    began + (isHeldBack ? uncountedMilliseconds(since: began) : 0) + options.messageWithinMilliseconds
  }

  /// To be called when reading goes on.
  func moveMessageOn() { messageBegan = messageBegan.map { $0 + uncountedMilliseconds(since: $0) } }

  func dropAssembly() {
    assembly = []
    assemblyChecked = 0
    messageBegan = nil
    if let number = unfinishedMessage { counter?.messageEnded(number) }
    unfinishedMessage = nil
  }

  func giveMessageUp(_ reason: String) {
    dropUnread()
    closeByItself(code: options.silentCloseCode, reason: reason)
  }

  /// The peer has sent a close frame.
  /// - Returns: 0 to let libwebsockets answer the close frame, or any other value to drop the socket.
  func peerCloses(_ payload: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard state == .open else { return -1 }
    let hasCode = payload.count >= 2
    closure = Closure(
      cause: .peer,
      code: hasCode ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : CloseCode.noStatus,
      reason: hasCode ? String(decoding: payload.dropFirst(2), as: UTF8.self) : ""
    )
    state = .peerClosing
    timer?.start(afterMilliseconds: options.closeWithinMilliseconds)
    return 0
  }
}
