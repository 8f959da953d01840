/// The storage of rooms: for each room an ordered list of records, which grows only at its end.
///
/// **Rooms are folds over the log.** A record changes a room only after the log has returned it, durable and in order.
/// So a crash loses nothing that anyone has seen, and all nodes that read the same log have the same rooms.
///
/// **Requests and events.** `submit` takes requests and returns at once. Each request carries a number that the caller
/// chooses, and exactly one event answers it, with that number.
///
/// **Opening.** A log's initializer throws faults that are known at once. `.opened` reports that the log is open. A log
/// that has to wait for something reports `.waiting` first, and carries out earlier requests once it is open. A log
/// that can't be used reports `.unusable`, and ends.
///
/// **Nodes.** Several nodes may share one log. A node that follows a room gets all records that any node stores in it
/// after a position, in order and without gaps. It also gets the room's deletion. To open a room, a node reads up to
/// the end and follows the room from there.
///
/// **Order.** A room's appends are stored in the order in which they were submitted, and reported in the order of
/// positions. A read that is submitted after an append was reported finds that append. There is no order between rooms,
/// or between an append and a read that are both under way. So apply only records whose position is greater than that
/// of the last applied record.
///
/// **Positions** begin above 0 and grow within a room, without gaps. So a missing record is noticed, and the server
/// closes the room. Position 0 is the place before the first record. A position has no meaning in another room, or in a
/// newer room of the same name. The epoch tells such rooms apart.
///
/// **Threads.** `submit` may be called from any thread, and never waits for a disk. The sink is called while the log is
/// made, and later on the log's threads, never by two at once. Each call has all events of one commit or one answer.
/// The sink must not wait for anything: the owner posts the events to its own event loop.
public protocol RoomLog: Sendable {
  func submit(_ requests: [LogRequest])

  /// Figures for an operator. May be called from any thread. Each call takes some time.
  func statistics() -> LogStatistics

  /// Carries out all earlier requests, and releases everything. The last event is `.closed`. Later requests are ignored
  /// and get no answer.
  func close()
}

extension RoomLog {
  public func submit(_ request: LogRequest) { submit([request]) }
}

/// Receives a log's events, in their order.
public typealias LogSink = @Sendable (_ events: [LogEvent]) -> Void
