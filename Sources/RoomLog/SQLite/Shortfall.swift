/// Checks whether the end of a database's file is missing.
///
/// SQLite doesn't notice the loss while there is a write-ahead log, and a checkpoint would fill the missing pages with
/// zeros. So this checks that the file or the write-ahead log has each page that the file's header counts.
enum Shortfall {
  /// How a database's file begins.
  static let magic = Array("SQLite format 3\0".utf8)
  private static let headerBytes = 100
  private static let logHeaderBytes = 32
  private static let frameHeaderBytes = 24

  static func fault(at path: String, _ files: FileLook = FileLook()) -> StorageFault? {
    guard let file = files.identity(path), file.bytes > 0 else { return nil }
    guard file.bytes >= headerBytes else { return .truncated(path: path, bytes: file.bytes, bytesExpected: 4_096) }
    guard let header = files.read(path, headerBytes, 0),
      header.starts(with: magic)
    else { return nil }
    let (pageBytes, pages) = size(header)
    guard pageBytes >= 512 else { return nil }
    let pagesHere = file.bytes / pageBytes
    guard pagesHere < pages else { return nil }
    let missing = pagesHere + 1...pages
    let logged = pagesLogged(path + "-wal", pageBytes: pageBytes, among: missing, files)
    guard logged < missing.count else { return nil }
    return .truncated(path: path, bytes: file.bytes, bytesExpected: pages * pageBytes)
  }

  /// How large the file should be, as its header says.
  static func size(_ header: [UInt8]) -> (pageBytes: Int, pages: Int) {
    let pageBytes = Int(header[16]) << 8 | Int(header[17])
    return (pageBytes == 1 ? 65_536 : pageBytes, number(header, 28))
  }

  /// How many of the missing pages are in the write-ahead log. The loop goes through the log's frames and not through
  /// the missing pages, because a damaged header can claim any number of pages. Behind the newest frames there can be
  /// frames from before the log was begun anew, which have other salts (sqlite.org/fileformat2.html#walformat). SQLite
  /// doesn't read those.
  private static func pagesLogged(
    _ path: String,
    pageBytes: Int,
    among missing: ClosedRange<Int>,
    _ files: FileLook
  ) -> Int {
    guard let salts = files.read(path, logHeaderBytes, 0)?[16..<24] else { return 0 }
    var found: Set<Int> = []
    var place = logHeaderBytes
    while found.count < missing.count, let frame = files.read(path, frameHeaderBytes, place),
      frame[8..<16].elementsEqual(salts)
    {
      let page = number(frame, 0)
      if missing.contains(page) { found.insert(page) }
      place += frameHeaderBytes + pageBytes
    }
    return found.count
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
