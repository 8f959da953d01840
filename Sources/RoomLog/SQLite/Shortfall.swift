/// Whether a database's file has lost its end.
///
/// SQLite checks that itself, but not while there is a write-ahead log. The log says how many pages there are, and when
/// it is carried over, missing pages would be filled with zeros. So this checks that each page that the file's header
/// counts is in the file or in the log.
enum Shortfall {
  private static let headerBytes = 100
  private static let logHeaderBytes = 32
  private static let frameHeaderBytes = 24

  static func fault(at path: String, _ files: FileLook = FileLook()) -> StorageFault? {
    guard let file = files.identity(path), file.bytes > 0 else { return nil }
    guard file.bytes >= headerBytes else { return .truncated(path: path, bytes: file.bytes, bytesExpected: 4_096) }
    guard let header = files.read(path, headerBytes, 0),
      header.starts(with: "SQLite format 3\0".utf8)
    else { return nil }
    let stored = Int(header[16]) << 8 | Int(header[17])
    let pageBytes = stored == 1 ? 65_536 : stored
    guard pageBytes >= 512 else { return nil }
    let pages = number(header, 28)
    let pagesHere = file.bytes / pageBytes
    guard pagesHere < pages else { return nil }
    var missing = Set(pagesHere + 1...pages)
    subtractLogged(path + "-wal", pageBytes: pageBytes, from: &missing, files)
    return missing.isEmpty ? nil : .truncated(path: path, bytes: file.bytes, bytesExpected: pages * pageBytes)
  }

  private static func subtractLogged(
    _ path: String,
    pageBytes: Int,
    from missing: inout Set<Int>,
    _ files: FileLook
  ) {
    var place = logHeaderBytes
    while !missing.isEmpty, let frame = files.read(path, frameHeaderBytes, place) {
      missing.remove(number(frame, 0))
      place += frameHeaderBytes + pageBytes
    }
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
