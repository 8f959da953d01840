internal import CWebSockets
import Glibc

extension Connection {
  /// The most bytes that one `write` gives to the socket. Without this limit, all other connections would have to wait
  /// while a fast reader takes something large in one call.
  private static let writeBytesMax = 1 << 20
  /// The upper bound on the bytes that are given to one `send()`.
  private static let pieceBytesMax = 1 << 18

  /// Sends as much of `frames` as may be sent now. `frames` are whole frames, made by `MessageFrames`, in a buffer that
  /// may be shared.
  /// - Returns: how many bytes were taken, always up to the end of a frame. If this isn't all of them, no more are
  ///   taken before the handler has got `writable`. 0 if the connection isn't open.
  public func write(_ frames: UnsafeRawBufferPointer) -> Int {
    loop.assertCurrent()
    guard state == .open else { return 0 }
    guard waiting.isEmpty, !isStalled, !isHeld else {
      wantsWritable = true
      return 0
    }
    let share = isServers ? lineShare(of: frames) : frames
    let taken = share.isEmpty ? 0 : transmit(share)
    gauge.spend(taken)
    if taken > 0, echoes != nil {
      echoes?.spend(taken)
      askForEcho()
    }
    if taken < frames.count {
      wantsWritable = true
      if taken == share.count { hold() }
    }
    return taken
  }

  /// Sends a message to this connection only. Bytes that the socket doesn't take at once are kept here.
  /// - Returns: false if the connection isn't open, or if more than `waitingBytesMax` would be kept. In both cases
  ///   nothing was sent.
  @discardableResult
  public func send(_ frame: MessageFrames) -> Bool {
    loop.assertCurrent()
    guard state == .open, waitingBytes + frame.bytes.count <= options.waitingBytesMax else { return false }
    put(frame.bytes)
    return true
  }

  /// Makes the handler get `writable` when the socket takes more, in a later iteration of the loop.
  public func notifyWhenWritable() {
    loop.assertCurrent()
    guard state == .open else { return }
    wantsWritable = true
    if !isHeld { askForWritability() }
  }

  /// Sends a ping.
  /// - Parameter payload: must not be empty, because libwebsockets doesn't report a pong without a payload.
  func sendPing(_ payload: String) {
    var bytes: [UInt8] = []
    MessageFrames.append(payload.utf8, opcode: .ping, to: &bytes)
    put(bytes)
  }

  func sendClose(code: UInt16, reason: String) {
    put(Self.closeFrame(code: code, reason: reason))
  }

  static func closeFrame(code: UInt16, reason: String) -> [UInt8] {
    var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
    for character in reason.unicodeScalars {
      let bytes = Array(String(character).utf8)
      if payload.count + bytes.count > 125 { break }
      payload += bytes
    }
    var bytes: [UInt8] = []
    MessageFrames.append(payload, opcode: .close, to: &bytes)
    return bytes
  }

  private func put(_ bytes: [UInt8]) {
    var taken = 0
    if waiting.isEmpty, !isStalled { taken = bytes.withUnsafeBytes { transmit($0) } }
    guard taken < bytes.count else { return }
    waiting.append(Waiting(bytes: bytes, offset: taken))
    waitingBytes += bytes.count - taken
    askForWritability()
  }

  func flushWaiting() {
    var sent = 0
    while sent < waiting.count, !isStalled {
      let taken = waiting[sent].bytes.withUnsafeBytes { bytes in
        transmit(UnsafeRawBufferPointer(rebasing: bytes[waiting[sent].offset...]))
      }
      waitingBytes -= taken
      waiting[sent].offset += taken
      if waiting[sent].offset < waiting[sent].bytes.count { break }
      sent += 1
    }
    waiting.removeFirst(sent)
    if !waiting.isEmpty { askForWritability() }
  }

  private func askForWritability() {
    guard let wsi else { return }
    lws_callback_on_writable(wsi)
  }

  private func transmit(_ frames: UnsafeRawBufferPointer) -> Int {
    guard let wsi, !isAborted else { return 0 }
    let taken = isServers ? transmitDirectly(frames, wsi) : transmitThroughLibrary(frames, wsi)
    loop.counts.bytesSent &+= UInt64(taken)
    if taken < frames.count {
      stalled()
      lws_callback_on_writable(wsi)
    }
    return taken
  }

  /// Writes a server's ready-made frames straight to the socket, from the buffer that all readers share. `lws_write`
  /// would copy them for each reader, to put each frame's header in front of the payload.
  ///
  /// If the socket takes only a part of a frame, libwebsockets gets the rest. So libwebsockets can't send a pong in the
  /// middle of the frame.
  private func transmitDirectly(_ frames: UnsafeRawBufferPointer, _ wsi: OpaquePointer) -> Int {
    guard lws_partial_buffered(wsi) == 0, let start = frames.baseAddress else { return 0 }
    let limit = min(frames.count, Self.writeBytesMax)
    var sent = 0
    while sent < limit {
      let piece = min(limit - sent, Self.pieceBytesMax)
      let count = Glibc.send(descriptor, start + sent, piece, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { abort() }
        break
      }
      sent += count
      if count < piece { break }
    }
    if sent == frames.count { return sent }
    let end = FrameHeader.boundary(atOrAfter: sent, in: frames)
    guard end > sent, !isAborted else { return end }
    // libwebsockets sends these raw bytes unchanged. The cast is safe, because libwebsockets only reads them.
    let rest = UnsafeMutableRawPointer(mutating: start + sent).assumingMemoryBound(to: UInt8.self)
    if cws_write(wsi, rest, end - sent, cws_write_raw, 0) < 0 { abort() }
    return end
  }

  /// Writes a client's frames one by one, so that libwebsockets masks each. libwebsockets keeps the bytes of the last
  /// frame that the socket doesn't take.
  private func transmitThroughLibrary(_ frames: UnsafeRawBufferPointer, _ wsi: OpaquePointer) -> Int {
    var done = 0
    while done < frames.count, lws_partial_buffered(wsi) == 0 {
      let header = FrameHeader(readingOurOwn: UnsafeRawBufferPointer(rebasing: frames[done...]))
      let payload = UnsafeRawBufferPointer(rebasing: frames[(done + header.byteCount)...].prefix(header.payloadCount))
      let result = header.opcode == .close ? writeClose(payload, wsi) : writePayload(payload, header, wsi)
      if result < 0 {
        abort()
        break
      }
      done += header.byteCount + header.payloadCount
    }
    return done
  }

  private func writePayload(_ payload: UnsafeRawBufferPointer, _ header: FrameHeader, _ wsi: OpaquePointer) -> Int32 {
    let kind: lws_write_protocol =
      switch header.opcode {
      case .continuation: LWS_WRITE_CONTINUATION
      case .text: LWS_WRITE_TEXT
      case .binary: LWS_WRITE_BINARY
      case .close, .ping: LWS_WRITE_PING
      case .pong: LWS_WRITE_PONG
      }
    // libwebsockets writes its header into the bytes in front of the payload, and masks the payload in place.
    let room = Int(cws_header_room)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room + payload.count) { bytes in
      let place = bytes.baseAddress! + room
      UnsafeMutableRawBufferPointer(start: place, count: payload.count).copyBytes(from: payload)
      return cws_write(wsi, place, payload.count, Int32(kind.rawValue), header.isLast ? 0 : 1)
    }
  }

  /// Writes a client's close frame, with a payload of at most 125 bytes. It is masked here and sent as raw bytes,
  /// because libwebsockets can't send a close frame without dropping the bytes that still wait here.
  private func writeClose(_ payload: UnsafeRawBufferPointer, _ wsi: OpaquePointer) -> Int32 {
    let key = UInt32.random(in: .min ... .max)
    let mask = (0..<4).map { UInt8(truncatingIfNeeded: key >> ($0 * 8)) }
    var bytes = [0x80 | FrameOpcode.close.rawValue, 0x80 | UInt8(payload.count)] + mask
    bytes += payload.enumerated().map { $1 ^ mask[$0 & 3] }
    return cws_write(wsi, &bytes, bytes.count, cws_write_raw, 0)
  }
}
