/// Where rooms are kept: for each room a list of records, in order, that only grows at its end.
///
/// A room is a fold over its log. What was appended changes a room only when the log hands it back, durable and in the
/// log's order, so nothing that anyone has seen is lost by a crash, and every node that folds the same log has the same
/// room.
///
/// **Requests and events.** `submit` takes a request and returns at once; the result is an event. A request carries a
/// number that the caller chooses, and exactly one event answers it, with that number.
///
/// **Opening.** Making a log throws what can be known at once. `.opened` tells that rooms can be had; until then a log that has to
/// wait for something else reports nothing but `.waiting`. What is submitted meanwhile is carried out when it is open. A log
/// that finds that it can't be used reports `.unusable`, and ends.
///
/// **Nodes.** Several nodes may use one log. Whoever follows a room is told of all that is stored in it after a position,
/// by this node or another, in the order of positions with nothing left out, and of its deletion. An open room is
/// read up to its end, and followed from there.
///
/// **Order.** The appends of a room are stored in the order in which they were submitted, and reported in the order of
/// their positions. A read that is submitted after an append was reported finds it. No order is promised between rooms,
/// or between an append and a read under way: fold only records whose position is greater than your own.
///
/// **Positions** start above 0 and grow within a room. What is stored anywhere but in memory has no gaps, so a record that is
/// missing shows, and the hub leaves the room rather than fold on without it. Position 0 is the place before the first record. A position means nothing in another room, or in a later room of the same name: the epoch tells those apart.
///
/// **Threads.** `submit` may be called from any thread, and never blocks on a disk. The sink is called while the log is made,
/// and then on the log's own threads, by one at a time, with everything that one commit or one answer brought. Its owner posts the events to its
/// own loop. A sink must not wait for anything.
public protocol RoomLog: Sendable {
  func submit(_ requests: [LogRequest])

  /// Figures for an operator. May be called from any thread. It costs little, but not nothing.
  func statistics() -> LogStatistics

  /// Carries out all earlier requests, then releases everything. The last event is `.closed`. Later requests are
  /// neither carried out nor answered.
  func close()
}

extension RoomLog {
  public func submit(_ request: LogRequest) { submit([request]) }
}

/// Receives a log's events, in order.
public typealias LogSink = @Sendable (_ events: [LogEvent]) -> Void
