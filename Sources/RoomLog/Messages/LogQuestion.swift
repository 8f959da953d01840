/// A request to a log, and how its answer is read. So whoever asks gets an answer of the question's own type.
public struct LogQuestion<Answer: Sendable>: Sendable {
  /// Makes the request that has this number.
  public let request: @Sendable (_ id: UInt64) -> LogRequest
  private let read: @Sendable (LogEvent) -> Answer?

  init(
    _ request: @escaping @Sendable (_ id: UInt64) -> LogRequest,
    answer read: @escaping @Sendable (LogEvent) -> Answer?
  ) {
    self.request = request
    self.read = read
  }

  /// The answer in the event that carries the request's number.
  /// - Throws: the reason for which the log has refused the request.
  public func answer(in event: LogEvent) throws(LogError) -> Answer {
    if case .failed(_, _, let error) = event { throw error }
    guard let answer = read(event) else { preconditionFailure("the log has answered another question: \(event)") }
    return answer
  }
}

extension LogQuestion<LoadedRoom> {
  public static func load(_ room: String, through bound: LogBound = .end, wantsSnapshot: Bool = true) -> Self {
    Self {
      .load(LoadRequest(id: $0, room: room, through: bound, wantsSnapshot: wantsSnapshot))
    } answer: {
      if case .loaded(_, let loaded) = $0 { loaded } else { nil }
    }
  }
}

extension LogQuestion<RecordPage> {
  public static func read(_ room: String, epoch: UInt64, after: UInt64, through bound: LogBound = .end) -> Self {
    Self {
      .read(ReadRequest(id: $0, room: room, epoch: epoch, after: after, through: bound))
    } answer: {
      if case .read(_, let page) = $0 { page } else { nil }
    }
  }
}

extension LogQuestion<[RoomSummary]> {
  public static var rooms: Self {
    Self {
      .list(id: $0)
    } answer: {
      if case .rooms(_, let rooms) = $0 { rooms } else { nil }
    }
  }
}

extension LogQuestion<VerifiedPart> {
  public static func verifyPart(from start: VerifyPlace?, bytesMax: Int, microsecondsMax: UInt64) -> Self {
    Self {
      .verifyPart(VerifyRequest(id: $0, start: start, bytesMax: bytesMax, microsecondsMax: microsecondsMax))
    } answer: {
      if case .verifiedPart(_, let part) = $0 { part } else { nil }
    }
  }
}

extension LogQuestion<AppendedRecords> {
  public static func append(_ request: AppendRequest) -> Self {
    Self {
      var request = request
      request.id = $0
      return .append(request)
    } answer: {
      if case .appended(let appended) = $0 { appended } else { nil }
    }
  }
}

/// How many records of a room were verified.
extension LogQuestion<Int> {
  public static func verify(_ room: String) -> Self {
    Self {
      .verify(id: $0, room: room)
    } answer: {
      if case .verified(_, _, let records) = $0 { records } else { nil }
    }
  }
}

/// The position at which a repaired room ends.
extension LogQuestion<UInt64> {
  public static func repair(_ room: String, by means: RepairRequest.Means) -> Self {
    Self {
      .repair(RepairRequest(id: $0, room: room, means: means))
    } answer: {
      if case .repaired(_, _, _, _, let last) = $0 { last } else { nil }
    }
  }
}

/// Requests whose answer only says that they were carried out.
extension LogQuestion<Void> {
  public static func follow(_ room: String, epoch: UInt64?, after: UInt64, timeline: UInt64) -> Self {
    Self {
      .follow(FollowRequest(id: $0, room: room, epoch: epoch, after: after, timeline: timeline))
    } answer: {
      if case .following = $0 { () } else { nil }
    }
  }

  public static func snapshot(_ request: SnapshotRequest) -> Self {
    Self {
      var request = request
      request.id = $0
      return .snapshot(request)
    } answer: {
      if case .snapshotted = $0 { () } else { nil }
    }
  }

  public static func create(_ request: CreateRequest) -> Self {
    Self {
      var request = request
      request.id = $0
      return .create(request)
    } answer: {
      if case .created = $0 { () } else { nil }
    }
  }

  public static func delete(_ room: String) -> Self {
    Self {
      .delete(id: $0, room: room)
    } answer: {
      if case .deleted = $0 { () } else { nil }
    }
  }

  public static func lock(_ room: String, isLocked: Bool) -> Self {
    Self {
      .lock(id: $0, room: room, isLocked: isLocked)
    } answer: {
      if case .locked = $0 { () } else { nil }
    }
  }
}
