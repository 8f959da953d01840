/// What a connection warns of. Notices of lower rank, as of a table that is there already, are no warnings.
final class PostgresNotices {
  private let library: PostgresLibrary
  private var warnings = 0

  init(_ library: PostgresLibrary) { self.library = library }

  /// - Returns: how many there were since the last call.
  func takeWarnings() -> Int {
    defer { warnings = 0 }
    return warnings
  }

  private func add(_ notice: PostgresLibrary.Result) {
    if library.text(PostgresLibrary.severityField, of: notice) == "WARNING" { warnings += 1 }
  }

  /// To be given to a connection together with a `PostgresNotices`.
  static let receiver: PostgresLibrary.NoticeReceiver = { context, notice in
    guard let context, let notice else { return }
    Unmanaged<PostgresNotices>.fromOpaque(context).takeUnretainedValue().add(notice)
  }
}
