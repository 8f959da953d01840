/// The forms of records in the log, by the byte that a record begins with. A server reads all forms up to the newest that it knows.
enum RecordForm: UInt8, CaseIterable, Comparable, Sendable {
  /// Operations in the binary encoding.
  case plain = 1
  /// The number of the run that wrote the record, in eight bytes, lowest byte first, and then the operations.
  case withRun = 2
  /// After the number of the run, in the same way, the time before which deletions are forgotten, and then the
  /// operations.
  case forgetting = 3

  static let newest = allCases[allCases.count - 1]
  /// The newest form that every server can read that may share rooms with others.
  static let oldestShared = withRun

  static func < (left: RecordForm, right: RecordForm) -> Bool { left.rawValue < right.rawValue }
}
