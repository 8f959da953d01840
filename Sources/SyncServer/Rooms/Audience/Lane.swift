/// The few facts about a member that sending a beat to hundreds needs. They are kept apart from the rest so that they
/// are found quickly.
struct Lane: Sendable {
  let id: MemberID
  let channel: Channel
  /// The beat that this connection gets next. Before the connection is live: the beat that it will get first.
  var place: UInt64 = 0
  /// The connection is to be sent only beats: see `Reader.isPlain`.
  var isPlain = false
  /// The socket took less than it was offered.
  var isBlocked = false
  /// The connection is listed as having something to be sent.
  var isReady = false
  /// The seat is listed among those who wait for a stream of state.
  var isListedAsWaiting = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}
