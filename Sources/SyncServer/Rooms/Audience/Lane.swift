/// What sending a beat to hundreds has to know of each member, apart from all the rest so that it is found quickly.
struct Lane: Sendable {
  let id: MemberID
  let channel: Channel
  /// The beat that comes next; in the stages before, once the connection is live.
  var place: UInt64 = 0
  /// A beat is all that it is to be sent: see `Member.isPlain`.
  var isPlain = false
  /// The socket took less than it was offered.
  var isBlocked = false
  /// It is listed as having something to be sent.
  var isReady = false

  init(id: MemberID, channel: Channel) {
    self.id = id
    self.channel = channel
  }
}
