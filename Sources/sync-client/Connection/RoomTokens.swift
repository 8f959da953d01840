/// Which token a client uses in a room. Its source, such as a file, can have a newer one at any time.
struct RoomTokens {
  /// The token that counts on the newest connection, or the one that was sent to replace it and isn't answered yet.
  private var current: String?
  /// The token that `current` was sent to replace.
  private var former: String?
  /// Whether `current` was sent on the newest connection, which was entered with `former`.
  private var isReplacement = false
  /// The newest token that the server hasn't taken in place of another (C11). It may take it on a connection of its
  /// own, for example if the token is for another role.
  private var refused: String?
  /// Tokens with which the server lets nobody in, or no longer.
  private var ended: Set<String> = []

  /// Chooses the token for a new connection. `newest` is what the source has now.
  mutating func enter(newest: String?) -> String? {
    let chosen = useful(newest: newest).first ?? newest
    if chosen != current { former = chosen == former ? nil : current }
    current = chosen
    isReplacement = false
    return chosen
  }

  /// The token to send in place of the present one. `nil` if the source has no other, or one that was refused.
  mutating func replacement(newest: String?) -> String? {
    guard let newest, newest != current, newest != refused else { return nil }
    former = current
    current = newest
    isReplacement = true
    return newest
  }

  /// The server hasn't taken the token that was sent last. So the one before it stays in force.
  mutating func refuse() {
    refused = current
    current = former
    former = nil
    isReplacement = false
  }

  /// The server has closed the connection because its token isn't valid, or no longer. Returns whether there is another
  /// token to enter with.
  mutating func end(newest: String?) -> Bool {
    // If another token was on its way, the one that the client entered with has ended.
    if let token = isReplacement ? former : current { ended.insert(token) }
    isReplacement = false
    return hasAnother(newest: newest)
  }

  /// Whether there is a token that has not ended.
  func hasAnother(newest: String?) -> Bool { !useful(newest: newest).isEmpty }

  /// The tokens that might let the client in, the best first.
  private func useful(newest: String?) -> [String] {
    let tokens = newest == refused ? [current, newest, former] : [newest, current, former]
    return tokens.compactMap(\.self).filter { !ended.contains($0) }
  }
}
