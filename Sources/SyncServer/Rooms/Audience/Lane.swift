/// The part of a reader's state that is read when a beat is sent to hundreds of connections. It is stored apart from
/// the rest, so that the processor's caches can hold it.
struct Lane: Sendable {
  let id: MemberID
  let channel: Channel
  /// The ordinal of the beat that this connection gets next. For a connection that isn't live yet, it is the ordinal of
  /// the first beat that the connection gets.
  var place: UInt64 = 0
  /// Whether the connection needs only beats: see `Reader.isPlain`.
  var isPlain = false
  /// Whether the socket took less than it was last offered.
  var isBlocked = false
  /// Whether the connection is on the list of those that may have something to be sent.
  var isReady = false
  /// Whether the connection is on the list of those that wait for a stream of state.
  var isListedAsWaiting = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}
