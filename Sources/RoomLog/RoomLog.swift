/// The storage of rooms: for each room an ordered list of records, which only grows at its end.
///
/// A room is a fold over its log. A record changes a room only when the log returns it, durable and in the log's order.
/// So a crash loses nothing that anyone has seen, and all nodes that fold the same log have the same room.
///
/// **Requests and events.** `submit` takes a request and returns at once; the result is an event. A request carries a
/// number that the caller chooses, and exactly one event answers it, with that number.
///
/// **Opening.** Making a log throws faults that are known at once. `.opened` reports that the log is open; a log that
/// has to wait for something else first reports only `.waiting`. Requests that are submitted meanwhile are carried out
/// when it is open. A log that can't be used reports `.unusable`, and ends.
///
/// **Nodes.** Several nodes may use one log. A node that follows a room gets everything that any node stores in it
/// after a position, in the order of positions and without gaps, and its deletion. An open room is read up to its end,
/// and followed from there.
///
/// **Order.** The appends of a room are stored in the order in which they were submitted, and reported in the order of
/// their positions. A read that is submitted after an append was reported finds it. No order is promised between rooms,
/// or between an append and a read under way: fold only records whose position is greater than your own.
///
/// **Positions** start above 0 and grow within a room. Except in memory, they have no gaps, so a missing record is
/// noticed, and the hub closes the room rather than fold on without it. Position 0 is the place before the first
/// record. A position means nothing in another room, or in a later room of the same name: the epoch tells those apart.
///
/// **Threads.** `submit` may be called from any thread, and never blocks on a disk. The sink is called while the log is
/// made, and then on the log's own threads, by one at a time, with all events of one commit or one answer. The owner
/// posts the events to its own loop. A sink must not wait for anything.
public protocol RoomLog: Sendable {
  func submit(_ requests: [LogRequest])

  /// Statistics for an operator. May be called from any thread. The cost is small, but not zero.
  func statistics() -> LogStatistics

  /// Carries out all earlier requests, and then releases everything. The last event is `.closed`. Requests that come
  /// later are neither carried out nor answered.
  func close()
}

extension RoomLog {
  public func submit(_ request: LogRequest) { submit([request]) }
}

/// Receives a log's events, in order.
public typealias LogSink = @Sendable (_ events: [LogEvent]) -> Void
