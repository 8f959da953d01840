/// The part of a reader's state that is read when a broadcast is sent to hundreds of connections. It is kept small and
/// apart, so that it fits into the processor's caches.
struct Lane: Sendable {
  let id: MemberID
  let channel: Channel
  /// The ordinal of the broadcast that this connection gets next. While the connection is still being sent the room's
  /// state, that is the broadcast that follows the state.
  var place: UInt64 = 0
  /// Whether the connection needs only broadcasts. `Reader.isPlain` says when.
  var isPlain = false
  /// Whether the socket took only a part of what it was offered last.
  var isBlocked = false
  /// Whether the connection is on the list of connections to which something might have to be sent.
  var isReady = false
  /// Whether the connection is on the list of those that wait to be sent the room's state.
  var isListedAsWaiting = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}
