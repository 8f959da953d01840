internal import CWebSockets
import Glibc

// What comes in: bytes past the gate, pieces of messages from libwebsockets, goodbyes.

extension Connection {
  /// Whether libwebsockets may have what the socket gave. Where not, it is told that the socket broke.
  func admits(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard let fault = gate.fault(in: bytes) else {
      if let ping = gate.takePing() {
        owedPong = ping
        sendOwedPong()
      }
      return true
    }
    if state == .open {
      fail(code: CloseCode.protocolError, words: fault.rawValue)
    }
    return false
  }

  /// A piece of a message: a whole one when it is short and not fragmented.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    heard()
    guard state == .open, let wsi else { return isAborted ? -1 : 0 }
    loop.counts.bytesReceived &+= UInt64(bytes.count)
    let gathered = assembly.count + bytes.count
    // What the frame's header announces counts too, so that a message too long is refused before it has come.
    guard gathered <= options.messageBytesMax,
      lws_remaining_packet_payload(wsi) <= options.messageBytesMax - gathered
    else {
      assembly = []
      close(code: CloseCode.tooLarge, reason: "longer than \(options.messageBytesMax) bytes")
      return 0
    }
    let isText = lws_frame_is_binary(wsi) == 0
    guard lws_is_final_fragment(wsi) != 0 else {
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
    close(code: CloseCode.notUTF8, reason: "not UTF-8")
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
    guard isServers, let wsi, waiting.isEmpty, lws_partial_buffered(wsi) == 0 else { return }
    let frame = Self.closeFrame(code: code, reason: words)
    _ = Glibc.send(descriptor, frame, frame.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
  }
}
