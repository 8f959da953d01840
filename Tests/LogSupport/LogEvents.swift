import RoomLog

extension LogEvent {
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
