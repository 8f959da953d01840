internal import CWebSockets

/// libwebsockets calls this for every event of every connection, always on the loop's thread. The event is passed on to
/// the `Connection` that libwebsockets refers to. If the result is not 0, libwebsockets closes the connection.
func websocketCallback(
  wsi: OpaquePointer?,
  reason: lws_callback_reasons,
  user: UnsafeMutableRawPointer?,
  bytes: UnsafeMutableRawPointer?,
  count: Int
) -> Int32 {
  guard let wsi else { return 0 }
  if reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED {
    guard let connection = WebSocketHost.of(wsi)?.adopting else { return -1 }
    connection.attach(to: wsi)
    lws_set_opaque_user_data(wsi, Unmanaged.passRetained(connection).toOpaque())
    return 0
  }
  // libwebsockets also reports events that belong to no connection.
  guard let opaque = lws_get_opaque_user_data(wsi) else { return 0 }
  let connection = Unmanaged<Connection>.fromOpaque(opaque).takeUnretainedValue()
  switch reason {
  case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
    return connection.receive(UnsafeRawBufferPointer(start: bytes, count: count))
  case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
    return connection.becameWritable()
  case LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_CLIENT_RECEIVE_PONG:
    connection.heardEcho(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  case LWS_CALLBACK_ESTABLISHED:
    connection.opened()
    return 0
  case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
    connection.noteChosenSubprotocol()
    return 0
  case LWS_CALLBACK_CLIENT_ESTABLISHED:
    connection.attach(to: wsi)
    connection.opened()
    return 0
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    return connection.appendHandshakeHeaders(at: bytes, room: count)
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    return connection.peerCloses(UnsafeRawBufferPointer(start: bytes, count: count))
  case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL, LWS_CALLBACK_WS_CLIENT_DROP_PROTOCOL:
    connection.libraryCloses()
    return 0
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    let why = bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
    if let tls = lws_get_ssl(wsi), let objection = TLSTrust.objection(of: tls) {
      connection.failedToConnect(objection, .untrusted)
    } else {
      connection.failedToConnect(why ?? "no connection", .refused(status: Int(lws_http_client_http_response(wsi))))
    }
    return 0
  case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED:
    connection.ended()
    return 0
  case LWS_CALLBACK_WSI_DESTROY:
    connection.ended()
    connection.detach()
    lws_set_opaque_user_data(wsi, nil)
    Unmanaged<Connection>.fromOpaque(opaque).release()
    return 0
  default:
    return 0
  }
}
