/// Where rooms are kept: for each room a list of records, in order, that only grows at its end.
///
/// A room is a fold over its log. What was appended changes a room only when the log hands it back, durable and in the
/// log's order, so nothing that anyone has seen is lost by a crash, and every node that folds the same log has the same
/// room.
///
/// **Asking and being told.** `submit` takes a request and returns at once; what came of it is an event. A request
/// carries a number of the caller's choosing, and exactly one event answers it, with that number. An append may also
/// arrive that nobody here asked for: other nodes write to the same rooms.
///
/// **Order.** The appends of a room are stored in the order in which they were submitted, and handed back in the order
/// of their positions. A read that is submitted after an append was reported finds it. Between rooms, and between an
/// append and a read under way, no order is promised: fold what has a position greater than one's own.
///
/// **Positions** start above nought and grow within a room; they may have gaps. Nought is the place before the first
/// record. They mean nothing in another room, or in a later room of the same name: that is what the epoch tells apart.
///
/// **Threads.** `submit` may be called from any thread, and never blocks on a disk. The sink that a log was made with is
/// called on the log's own threads, by one at a time, with all that one commit or one answer has brought; its owner
/// posts the events to its own loop. A sink must not wait for anything.
public protocol RoomLog: Sendable {
  func submit(_ requests: [LogRequest])

  /// Figures for an operator. May be called from any thread; cheap, but not free.
  func statistics() -> LogStatistics

  /// Finishes what was submitted before, then lets go of everything; the last event is `.closed`. What is submitted
  /// afterwards is neither done nor answered.
  func close()
}

extension RoomLog {
  public func submit(_ request: LogRequest) { submit([request]) }
}

/// Takes what a log has to tell, in order.
public typealias LogSink = @Sendable (_ events: [LogEvent]) -> Void
