import RoomLog

extension LogEvent {
  /// The number of the request that the event answers.
  public var id: UInt64? {
    switch self {
    case .appended(let appended): appended.id
    case .trimmed(let id, _, _), .deleted(let id, _, _), .unfollowed(let id, _): id
    case .read(let id, _), .loaded(let id, _), .snapshotted(let id, _, _), .following(let id, _), .resumed(let id, _),
      .created(let id, _),
      .locked(let id, _, _),
      .retained(let id), .rooms(let id, _),
      .repaired(let id, _, _, _, _), .verified(let id, _, _), .verifiedPart(let id, _), .failed(let id, _, _):
      id
    case .opened, .waiting, .unusable, .availability, .readability, .otherTimeline, .committed, .paused, .locks,
      .closed, .concern:
      nil
    }
  }

  public var isAvailability: Bool { if case .availability = self { true } else { false } }
  public var isOtherTimeline: Bool { if case .otherTimeline = self { true } else { false } }
  public var concern: String? { if case .concern(let words) = self { words } else { nil } }
  public var part: VerifiedPart? { if case .verifiedPart(_, let part) = self { part } else { nil } }
  public var isOpened: Bool { if case .opened = self { true } else { false } }
  public var secret: [UInt8]? { if case .opened(let secret) = self { secret } else { nil } }
  public var appended: AppendedRecords? { if case .appended(let appended) = self { appended } else { nil } }
  public var page: RecordPage? { if case .read(_, let page) = self { page } else { nil } }
  public var loaded: LoadedRoom? { if case .loaded(_, let loaded) = self { loaded } else { nil } }
  public var summaries: [RoomSummary]? { if case .rooms(_, let rooms) = self { rooms } else { nil } }
  public var isUnavailable: Bool { if case .failed(_, _, .unavailable) = self { true } else { false } }
  public var error: LogError? { if case .failed(_, _, let error) = self { error } else { nil } }
}
