/// The formats of records in the log. A record's first byte says which format it has. A server reads all formats up to
/// the newest that it knows.
enum RecordForm: UInt8, CaseIterable, Comparable, Sendable {
  /// Operations in the binary encoding.
  case plain = 1
  /// The number of the run (server process) that wrote the record, in eight bytes, lowest byte first, and then the
  /// operations.
  case withRun = 2
  /// The number of the run as in `withRun`, then the time before which deletions are forgotten, and then the
  /// operations.
  case forgetting = 3

  static let newest = allCases[allCases.count - 1]
  /// The newest format that all servers with access to these rooms can read. Some of these servers can have an older
  /// version than this one.
  static let oldestShared = withRun

  static func < (left: RecordForm, right: RecordForm) -> Bool { left.rawValue < right.rawValue }
}
