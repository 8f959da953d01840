internal import CWebSockets
import Glibc

// What comes in: bytes past the gate, pieces of messages, goodbyes.

extension Connection {
  /// What the socket gave, before libwebsockets has it.
  /// - Returns: how many bytes are left for libwebsockets, moved to the front. Nothing where it is to be told that the
  ///   socket broke.
  func admit(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
    isServers ? admitFromClient(bytes) : admitFromServer(bytes)
  }

  private func admitFromClient(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
    guard let fault = gate.fault(in: bytes) else {
      if let ping = gate.takePing() {
        owedPong = ping
        sendOwedPong()
      }
      return bytes.count
    }
    if state == .open {
      fail(code: CloseCode.protocolError, words: fault.rawValue)
    }
    return nil
  }

  /// Messages are received from where they lie, and libwebsockets has the control frames between them.
  private func admitFromServer(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
    heard()
    // By now libwebsockets has dealt with all that was left to it.
    if frames.isBetweenMessages { isLeftToLibrary = false }
    var place = 0
    var kept = 0
    while place < bytes.count {
      let start = place
      if frames.isPastGoodbye {
        place = bytes.count
      } else {
        do throws(ServerFrames.Fault) {
          let piece = try frames.read(UnsafeRawBufferPointer(bytes), from: &place)
          if !isLeftToLibrary {
            switch piece {
            case .header: continue
            case .control: break
            case .data(let count, let left):
              let payload = UnsafeRawBufferPointer(rebasing: bytes[(place - count)..<place])
              guard receive(framed: payload, left: left) else { return nil }
              continue
            }
          }
        } catch {
          if state == .open { fail(code: CloseCode.protocolError, words: error.rawValue) }
          return nil
        }
      }
      if kept < start {
        UnsafeMutableRawBufferPointer(rebasing: bytes[kept...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
      }
      kept += place - start
    }
    return kept
  }

  /// - Returns: false where the connection is to be dropped.
  private func receive(framed bytes: UnsafeRawBufferPointer, left: UInt64) -> Bool {
    let isLast = frames.isLastFrame && left == 0
    guard receive(bytes, left: left, isText: frames.isText, isLast: isLast) == 0 else { return false }
    // Whoever has stopped reading is told of no more; libwebsockets keeps the rest until they go on.
    if isLast, isReadingPaused { isLeftToLibrary = true }
    return true
  }

  /// A piece of a message, from libwebsockets: a whole one when it is short and not fragmented.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard let wsi else { return isAborted ? -1 : 0 }
    return receive(
      bytes,
      left: UInt64(lws_remaining_packet_payload(wsi)),
      isText: lws_frame_is_binary(wsi) == 0,
      isLast: lws_is_final_fragment(wsi) != 0
    )
  }

  /// - Parameter left: how much of the frame is still to come.
  /// - Returns: not 0 where the connection is to be dropped.
  private func receive(_ bytes: UnsafeRawBufferPointer, left: UInt64, isText: Bool, isLast: Bool) -> Int32 {
    guard state == .open else { return isAborted ? -1 : 0 }
    loop.counts.bytesReceived &+= UInt64(bytes.count)
    let gathered = assembly.count + bytes.count
    // What the frame's header announces counts too, so that a message too long is refused before it has come.
    guard gathered <= options.messageBytesMax, left <= UInt64(options.messageBytesMax - gathered) else {
      assembly = []
      closeByItself(code: CloseCode.tooLarge, reason: "longer than \(options.messageBytesMax) bytes")
      return 0
    }
    guard isLast else {
      // Room for the whole frame at once, where it is one of many for as many as there have been.
      let needed = gathered + Int(left)
      if needed > assembly.capacity { assembly.reserveCapacity(max(needed, assembly.count * 2)) }
      assembly.append(contentsOf: bytes)
      guard !isText || assemblyIsTextSoFar() else {
        refuseText()
        return 0
      }
      // What is still to be inflated is looked at once after a socket's event, and then forgotten until the next.
      if options.compresses { loop.websockets.wake() }
      return 0
    }
    if assembly.isEmpty {
      deliver(bytes, isText: isText)
    } else {
      assembly.append(contentsOf: bytes)
      let whole = assembly
      assembly = []
      assemblyChecked = 0
      whole.withUnsafeBytes { deliver($0, isText: isText) }
    }
    return isAborted ? -1 : 0
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer, isText: Bool) {
    guard !isText || bytes.isValidUTF8 else { return refuseText() }
    lastMessage = loop.now
    handler?.received(Message(bytes: bytes, isText: isText), on: self)
  }

  /// A text that can't become UTF-8 any more need not be waited for. A character that is cut in two may.
  private func assemblyIsTextSoFar() -> Bool {
    let (isText, checked) = assembly.withUnsafeBytes { $0.couldBecomeUTF8(from: assemblyChecked) }
    assemblyChecked = checked
    return isText
  }

  private func refuseText() {
    assembly = []
    closeByItself(code: CloseCode.notUTF8, reason: "not UTF-8")
  }

  /// The peer says goodbye; 0 has libwebsockets answer it, anything else drops the socket.
  func peerCloses(_ payload: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard state == .open else { return -1 }
    if let fault = ClosePayload.fault(in: payload) { return answer(fault) }
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

  /// A goodbye that is none: libwebsockets would send it back as it came.
  private func answer(_ fault: ClosePayload.Fault) -> Int32 {
    fail(code: fault.code, words: fault.words)
    return -1
  }

  /// The peer has broken the protocol: it is told, if that can be done at once, before libwebsockets drops the socket.
  private func fail(code: UInt16, words: String) {
    closure = Closure(cause: .ours, code: code, reason: words)
    state = .closing
    guard let wsi, waiting.isEmpty, lws_partial_buffered(wsi) == 0 else { return }
    var frame = Self.closeFrame(code: code, reason: words)
    if !isServers { frame = Self.masked(closeFrame: frame[2...]) }
    _ = Glibc.send(descriptor, frame, frame.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
  }
}
