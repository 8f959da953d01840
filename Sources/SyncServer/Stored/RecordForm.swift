/// The forms of records in the log, by the byte that a record begins with. A server reads all forms up to the newest that it knows.
enum RecordForm: UInt8, CaseIterable, Comparable, Sendable {
  /// Operations in the binary encoding.
  case plain = 1
  /// The number of the run that wrote the record, in eight bytes, lowest byte first, and then the operations.
  case withRun = 2
  /// The number of the run as in `withRun`, then the time before which deletions are forgotten, and then the
  /// operations.
  case forgetting = 3

  static let newest = allCases[allCases.count - 1]
  /// The newest form that all servers can read with which this one may share rooms.
  static let oldestShared = withRun

  static func < (left: RecordForm, right: RecordForm) -> Bool { left.rawValue < right.rawValue }
}
