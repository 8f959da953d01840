import WebSocketLoop

extension Request {
  /// `Authorization: Bearer T`, or `?token=T` for browsers, whose sockets can't send the header.
  var token: String? {
    if let authorization = header("authorization") {
      let words = authorization.split(separator: " ", maxSplits: 1)
      if words.count == 2, words[0].lowercased() == "bearer" {
        return words[1].filter { $0 != " " }
      }
    }
    // No token has a space, so a space here was an unescaped `+`.
    return parameter("token").map { String($0.map { $0 == " " ? "+" : $0 }) }
  }
}
