/// The few facts about a member that are needed to send a beat to hundreds. They lie apart from the rest of the
/// member's state so that the processor finds them quickly.
struct Lane: Sendable {
  let id: MemberID
  let channel: Channel
  /// The beat that this connection gets next. For a connection that isn't live yet: the beat that it will get first.
  var place: UInt64 = 0
  /// The connection needs only beats: see `Reader.isPlain`.
  var isPlain = false
  /// The socket took less than it was offered.
  var isBlocked = false
  /// The connection is on the list of those that may have something to be sent.
  var isReady = false
  /// The seat is listed among those who wait for a stream of state.
  var isListedAsWaiting = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}
