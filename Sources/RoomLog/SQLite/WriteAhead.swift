import CSQLite
import Glibc

/// Reads and writes the write-ahead log byte by byte (sqlite.org/walformat.html).
///
/// After a failed sync, the system may drop bytes that it counts as written. Then the next sync succeeds, although the
/// log has a hole on the disk. After a power cut SQLite reads the log only up to the hole, so all later commits are
/// lost. And if a checkpoint was under way, the database has pages that are newer than the rest of the log. So the
/// frames are written again before they are synced.
extension WriterDatabase {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24
  /// At most this many bytes are written at once. A call with 131,072 bytes or more would write nothing, because SQLite
  /// writes at most 131,071.
  private static let bytesAtOnce = 65_536

  /// Writes all valid frames of the log once more, unchanged, and syncs them. To be called before a checkpoint if an
  /// earlier sync might have failed. Other connections can read the frames meanwhile.
  func renewWriteAhead() throws(SQLiteFailure) {
    // The write lock keeps other connections from appending to the log or restarting it.
    try database.run("BEGIN IMMEDIATE")
    defer { database.rollBack() }
    let index = try database.writeAheadIndex()
    guard index.frames > 0 else { return }
    let log = try database.writeAheadFile()
    let header = try log.read(WriterDatabase.headerBytes, at: 0)
    let pageBytes = Int(header.bigEndian(2))
    guard (512...65_536).contains(pageBytes) else { throw WriterDatabase.hole(behind: 0) }
    var sum = LogSum(isBigEndian: header.bigEndian(0) & 1 == 1)
    sum.add(header[..<24])
    guard sum.matches(header, at: 6) else { throw WriterDatabase.hole(behind: 0) }
    try log.write(header, at: 0)
    let frameBytes = WriterDatabase.frameHeaderBytes + pageBytes
    var frame = 0
    while frame < index.frames {
      let count = min(max(1, WriterDatabase.bytesAtOnce / frameBytes), index.frames - frame)
      let place = WriterDatabase.headerBytes + frame * frameBytes
      let bytes = try log.read(count * frameBytes, at: place)
      for start in stride(from: 0, to: bytes.count, by: frameBytes) {
        sum.add(bytes[start..<start + 8])
        sum.add(bytes[start + WriterDatabase.frameHeaderBytes..<start + frameBytes])
        guard sum.matches(bytes, at: start / 4 + 4) else { throw WriterDatabase.hole(behind: frame) }
      }
      try log.write(bytes, at: place)
      frame += count
    }
    guard sum.first == index.sum.0, sum.second == index.sum.1 else { throw WriterDatabase.hole(behind: frame) }
    try log.sync()
  }

  private static func hole(behind frame: Int) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, systemError: 0, message: "the write-ahead log is damaged behind frame \(frame)")
  }
}

/// The running checksum of the write-ahead log. Each frame's checksum continues the previous one.
private struct LogSum {
  let isBigEndian: Bool
  private(set) var first: UInt32 = 0
  private(set) var second: UInt32 = 0

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    var (first, second) = (first, second)
    let isBigEndian = isBigEndian
    bytes.withUnsafeBytes { bytes in
      for place in stride(from: 0, to: bytes.count, by: 8) {
        let one = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let two = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
        second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
      }
    }
    (self.first, self.second) = (first, second)
  }

  /// Whether the checksum is stored in the bytes as the 32-bit numbers `index` and `index + 1`.
  func matches(_ bytes: [UInt8], at index: Int) -> Bool {
    bytes.bigEndian(index) == first && bytes.bigEndian(index + 1) == second
  }
}

extension [UInt8] {
  fileprivate func bigEndian(_ index: Int) -> UInt32 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self).bigEndian }
  }
}

/// A file that SQLite has open (sqlite.org/c3ref/io_methods.html). It must not be opened a second time, because closing
/// the second descriptor would release SQLite's locks.
struct DatabaseFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

  init(_ file: UnsafeMutablePointer<sqlite3_file>) { self.file = file }

  func read(_ count: Int, at place: Int) throws(SQLiteFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try DatabaseFile.check(methods.xRead(file, &bytes, Int32(count), Int64(place)))
    return bytes
  }

  func write(_ bytes: [UInt8], at place: Int) throws(SQLiteFailure) {
    try DatabaseFile.check(methods.xWrite(file, bytes, Int32(bytes.count), Int64(place)))
  }

  func sync() throws(SQLiteFailure) { try DatabaseFile.check(methods.xSync(file, SQLITE_SYNC_NORMAL)) }

  /// The first page of the shared index, which tells where each page is in the write-ahead log. The connection has
  /// mapped it into memory.
  func sharedIndex() throws(SQLiteFailure) -> UnsafeMutableRawPointer {
    var start: UnsafeMutableRawPointer?
    try DatabaseFile.check(methods.xShmMap(file, 0, 32_768, 0, &start))
    guard let start else { throw SQLiteFailure(code: SQLITE_IOERR, systemError: 0, message: "no index") }
    return start
  }

  private static func check(_ code: Int32) throws(SQLiteFailure) {
    guard code != SQLITE_OK else { return }
    throw SQLiteFailure(code: code, systemError: errno, message: String(cString: sqlite3_errstr(code)))
  }
}
