import WebSocketLoop

extension Request {
  /// The token in `Authorization: Bearer T`, or in `?token=T` because a browser's WebSocket can't send that header.
  var token: String? {
    if let authorization = header("authorization") {
      let words = authorization.split(separator: " ", maxSplits: 1)
      if words.count == 2, words[0].lowercased() == "bearer" {
        return words[1].filter { $0 != " " }
      }
    }
    // A `+` that was not escaped is decoded as a space. No token has a space, so each space is turned back into `+`.
    return parameter("token").map { String($0.map { $0 == " " ? "+" : $0 }) }
  }
}
