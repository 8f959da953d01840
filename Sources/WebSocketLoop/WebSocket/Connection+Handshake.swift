internal import CWebSockets

// Callbacks of a client's connection during the handshake.

extension Connection {
  func noteChosenSubprotocol() {
    guard let wsi else { return }
    var name = [CChar](repeating: 0, count: 128)
    let count = lws_hdr_copy(wsi, &name, Int32(name.count), WSI_TOKEN_PROTOCOL)
    guard count > 0 else { return }
    subprotocol = String(decoding: name.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Adds headers to the client's request. `place` is a `char **`, which points to the pointer to the next free byte.
  func appendHandshakeHeaders(at place: UnsafeMutableRawPointer?, room: Int) -> Int32 {
    guard let place = place?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self), let request else { return 0 }
    var lines: [UInt8] = []
    for (name, value) in request.headers { appendHeaderLine(name, value, to: &lines) }
    guard lines.count <= room else { return -1 }
    place.pointee.update(from: lines, count: lines.count)
    place.pointee += lines.count
    return 0
  }
}
