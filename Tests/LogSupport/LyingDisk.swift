import CSQLite
import Glibc
import TestSupport

@testable import RoomLog

/// A simulated disk in memory, which SQLite uses as its file system (sqlite.org/vfs.html). It tracks which bytes were
/// synced, fails on request, and can lose power between any two calls. All its random choices come from its seed.
///
/// It behaves as badly as real disks and kernels do:
/// - After a power cut, each unsynced sector of 512 bytes may be on the disk or not.
/// - After a failed sync, the next sync succeeds although the bytes are lost, because the kernel has marked the pages
///   as clean (Linux does so). The bytes can still be read until the power is cut.
/// - A new or removed file is durable only once its folder is synced. SQLite syncs the folder when it first syncs a new
///   write-ahead log or journal.
///
/// `@unchecked Sendable`: only the thread of its test uses it.
final class LyingDisk: @unchecked Sendable {
  static let sectorBytes = 512

  /// The calls that SQLite makes to a disk.
  enum Call: Hashable, CaseIterable {
    case open, read, write, sync, truncate, delete, lock, shareMemory

    var isChange: Bool {
      switch self {
      case .open, .write, .sync, .truncate, .delete: true
      case .read, .lock, .shareMemory: false
      }
    }

    /// The error codes that the call can return. They are numbers here, because SQLite's header defines most of them by
    /// macros that Swift can't import.
    var codes: [Int32] {
      let code: (Int32) -> Int32 = { SQLITE_IOERR | ($0 << 8) }
      return switch self {
      case .open: [SQLITE_CANTOPEN]
      case .read: [code(1)]
      case .write: [code(3), SQLITE_FULL]
      case .sync: [code(4)]
      case .truncate: [code(6)]
      case .delete: [code(10)]
      case .lock: [code(15), SQLITE_BUSY]
      case .shareMemory: [code(21)]
      }
    }
  }

  struct Fault: Hashable {
    /// Which call fails, counted among all calls of its kind.
    var number: Int
    var kind: Call?
    /// Which of the kind's error codes the call returns, as an index into `codes`.
    var code = 0
    /// Whether all later calls of this kind fail too.
    var lasts = false
  }

  /// A kind of call that has failed, and the error code.
  struct Failure: Hashable {
    var call: Call
    var code: Int32

    static let all = Set(Call.allCases.flatMap { call in call.codes.map { Failure(call: call, code: $0) } })
  }

  /// The durable bytes of each file, by its path.
  typealias Image = [String: [UInt8]]

  let name: String
  var random: SeededGenerator
  var faults: [Fault] = []
  /// Called before each call that changes the disk.
  var beforeChange: () -> Void = {}
  /// Called before each call to the disk, to simulate another process. It isn't called for the disk calls that `beside`
  /// makes itself.
  var beside: (() -> Void)?
  /// Whether the simulated process has ended. All further calls from SQLite fail.
  var isDead = false
  private(set) var callCount = 0
  private(set) var countByKind: [Call: Int] = [:]
  private(set) var failures: [Failure: Int] = [:]

  private var files: [String: StoredFile] = [:]
  private var durableNames: [String: StoredFile] = [:]
  private var changedNames: [(path: String, file: StoredFile?)] = []
  private var lastNumber: UInt64 = 0
  private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)

  /// - Parameter name: a name that is unique in this process.
  init(name: String, seed: UInt64, image: Image = [:]) {
    self.name = name
    random = SeededGenerator(seed: seed)
    for (path, bytes) in image {
      let file = newFile()
      file.now = bytes
      file.durable = bytes
      files[path] = file
      durableNames[path] = file
    }
    register()
  }

  /// Frees the disk. Call this when no connection uses it any more.
  func remove() {
    sqlite3_vfs_unregister(vfs)
    free(UnsafeMutableRawPointer(mutating: vfs.pointee.zName))
    vfs.deallocate()
  }

  private func newFile() -> StoredFile {
    lastNumber += 1
    return StoredFile(number: lastNumber)
  }

  // MARK: What a test does

  /// The files that would remain if the power were cut now.
  func cut() -> Image {
    var names = durableNames
    for change in changedNames.prefix(Int.random(in: 0...changedNames.count, using: &random)) {
      names[change.path] = change.file
    }
    return names.mapValues { $0.cut(using: &random) }
  }

  /// The files that would remain if everything were synced.
  var settled: Image { files.mapValues(\.now) }

  /// Removes a file that is in use.
  /// - Returns: a function that restores the file.
  func removeFile(_ path: String) -> (() -> Void)? {
    guard let file = files.removeValue(forKey: path) else { return nil }
    return { self.files[path] = file }
  }

  /// Removes a file. The removal is durable once its folder is synced.
  func discard(_ path: String) {
    if files.removeValue(forKey: path) != nil { changedNames.append((path, nil)) }
  }

  /// The file operations that the log does on this disk by itself, without SQLite.
  var look: FileLook {
    FileLook(
      identity: { [unowned self] path in
        files[path].map { FileIdentity(device: 1, number: $0.number, bytes: $0.now.count) }
      },
      read: { [unowned self] path, count, place in
        guard let bytes = files[path]?.now, place + count <= bytes.count else { return nil }
        return Array(bytes[place..<place + count])
      },
      right: { [unowned self] path, _ in files[path] == nil ? ENOENT : 0 },
      sync: { [unowned self] path in
        if let file = files[path] { return sync(file) == SQLITE_OK ? 0 : EIO }
        guard enter(.sync) == nil else { return EIO }
        syncNames()
        return 0
      }
    )
  }

  // MARK: What SQLite calls

  /// Counts a call.
  /// - Returns: the error code if the call fails, otherwise `nil`.
  func enter(_ kind: Call) -> Int32? {
    if isDead { return kind.codes[0] }
    if let beside {
      self.beside = nil
      beside()
      self.beside = beside
    }
    if kind.isChange { beforeChange() }
    callCount += 1
    countByKind[kind, default: 0] += 1
    let ofKind = countByKind[kind] ?? 0
    for (index, fault) in faults.enumerated() {
      let number = fault.kind == nil ? callCount : fault.kind == kind ? ofKind : 0
      guard number == fault.number || fault.lasts && number > fault.number && fault.kind == kind else { continue }
      // A lasting fault applies to all later calls of the same kind.
      if fault.lasts, fault.kind == nil {
        faults[index] = Fault(number: ofKind, kind: kind, code: fault.code, lasts: true)
      }
      let code = kind.codes[fault.code % kind.codes.count]
      failures[Failure(call: kind, code: code), default: 0] += 1
      return code
    }
    return nil
  }

  func open(_ path: String?, _ flags: Int32) -> (file: StoredFile?, code: Int32) {
    if let code = enter(.open) { return (nil, code) }
    guard let path else { return (newFile(), SQLITE_OK) }
    if let file = files[path] { return (file, SQLITE_OK) }
    guard flags & SQLITE_OPEN_CREATE != 0 else { return (nil, SQLITE_CANTOPEN) }
    let file = newFile()
    files[path] = file
    changedNames.append((path, file))
    return (file, SQLITE_OK)
  }

  func delete(_ path: String, isSynced: Bool) -> Int32 {
    if let code = enter(.delete) { return code }
    // SQLITE_IOERR_DELETE_NOENT
    guard files.removeValue(forKey: path) != nil else { return SQLITE_IOERR | (23 << 8) }
    changedNames.append((path, nil))
    if isSynced { syncNames() }
    return SQLITE_OK
  }

  func exists(_ path: String) -> Bool { !isDead && (files[path]?.now.isEmpty == false) }

  private func syncNames() {
    for change in changedNames { durableNames[change.path] = change.file }
    changedNames = []
  }

  func write(_ file: StoredFile, _ bytes: UnsafeRawBufferPointer, at place: Int) -> Int32 {
    if let code = enter(.write) {
      // A write that fails might still have written some of its bytes.
      if !isDead, !bytes.isEmpty {
        file.write(
          UnsafeRawBufferPointer(rebasing: bytes[..<Int.random(in: 0..<bytes.count, using: &random)]),
          at: place
        )
      }
      return code
    }
    file.write(bytes, at: place)
    // The kernel can write unsynced bytes to the disk at any time.
    if Int.random(in: 0..<16, using: &random) == 0 { file.writeSome(using: &random) }
    return SQLITE_OK
  }

  func sync(_ file: StoredFile) -> Int32 {
    if let code = enter(.sync) {
      guard !isDead else { return code }
      file.writeSome(using: &random)
      file.forgetWhatIsUnwritten()
      return code
    }
    file.sync()
    // When SQLite syncs a new write-ahead log or journal, it also syncs the folder. It does not do so for a new
    // database.
    if changedNames.contains(where: { $0.file === file && ($0.path.hasSuffix("-wal") || $0.path.hasSuffix("-journal")) }
    ) {
      syncNames()
    }
    return SQLITE_OK
  }

  func truncate(_ file: StoredFile, to count: Int) -> Int32 {
    if let code = enter(.truncate) { return code }
    file.truncate(to: count)
    return SQLITE_OK
  }

  func read(_ file: StoredFile, _ bytes: UnsafeMutableRawBufferPointer, at place: Int) -> Int32 {
    if let code = enter(.read) { return code }
    let count = max(0, min(bytes.count, file.now.count - place))
    if count > 0 {
      file.now.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + count])) }
    }
    guard count < bytes.count else { return SQLITE_OK }
    memset(bytes.baseAddress! + count, 0, bytes.count - count)
    // SQLITE_IOERR_SHORT_READ
    return SQLITE_IOERR | (2 << 8)
  }

  private func register() {
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 2
    vfs.pointee.szOsFile = Int32(MemoryLayout<DiskFile>.size)
    vfs.pointee.mxPathname = 512
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    DiskMethods.fill(vfs)
    sqlite3_vfs_register(vfs, 0)
  }
}

/// The contents of a file, as programs read them now and as they are on the disk.
final class StoredFile {
  let number: UInt64
  fileprivate(set) var now: [UInt8] = []
  fileprivate(set) var durable: [UInt8] = []
  /// Which sectors were written since the last sync.
  private var unsynced: [Bool] = []
  private var isSizeUnsynced = false
  /// The lock that each open connection holds on the file.
  var locks: [ObjectIdentifier: Int32] = [:]
  var shared: SharedIndex?

  fileprivate init(number: UInt64) { self.number = number }

  func write(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    let end = place + bytes.count
    if end > now.count {
      now.append(contentsOf: repeatElement(0, count: end - now.count))
      isSizeUnsynced = true
    }
    now.withUnsafeMutableBytes { $0[place..<end].copyBytes(from: bytes) }
    let last = (end - 1) / LyingDisk.sectorBytes
    if unsynced.count <= last { unsynced += repeatElement(false, count: last + 1 - unsynced.count) }
    for sector in place / LyingDisk.sectorBytes...last { unsynced[sector] = true }
  }

  func truncate(to count: Int) {
    if count < now.count { now.removeLast(now.count - count) }
    let sectors = (count + LyingDisk.sectorBytes - 1) / LyingDisk.sectorBytes
    if unsynced.count > sectors { unsynced.removeLast(unsynced.count - sectors) }
    isSizeUnsynced = true
  }

  func sync() {
    if durable.count > now.count { durable.removeLast(durable.count - now.count) }
    durable += repeatElement(0, count: now.count - durable.count)
    for sector in unsynced.indices where unsynced[sector] { durable.replaceSector(sector, of: now) }
    forgetWhatIsUnwritten()
  }

  func forgetWhatIsUnwritten() {
    for sector in unsynced.indices { unsynced[sector] = false }
    isSizeUnsynced = false
  }

  /// Writes some unsynced sectors to the disk, as a kernel can do at any time. They stay marked as unsynced.
  func writeSome(using random: inout SeededGenerator) {
    durable = cut(using: &random)
  }

  func cut(using random: inout SeededGenerator) -> [UInt8] {
    guard isSizeUnsynced || unsynced.contains(true) else { return durable }
    // Decides which unsynced sectors survive the power cut: all, none, or a random choice.
    let way = Int.random(in: 0..<4, using: &random)
    var left = durable
    if isSizeUnsynced, way == 0 || way > 1 && Bool.random(using: &random) {
      if left.count > now.count { left.removeLast(left.count - now.count) }
      left += repeatElement(0, count: now.count - left.count)
    }
    for sector in unsynced.indices where unsynced[sector] {
      guard way == 0 || way > 1 && Bool.random(using: &random) else { continue }
      if isSizeUnsynced || left.count == now.count { left.replaceSector(sector, of: now) }
    }
    return left
  }
}

extension [UInt8] {
  fileprivate mutating func replaceSector(_ sector: Int, of other: [UInt8]) {
    let start = sector * LyingDisk.sectorBytes
    let end = Swift.min(start + LyingDisk.sectorBytes, other.count)
    if count < end { self += repeatElement(0, count: end - count) }
    withUnsafeMutableBytes { own in
      other.withUnsafeBytes { own[start..<end].copyBytes(from: $0[start..<end]) }
    }
  }
}

/// What all connections to a file share: the index of the write-ahead log, and its locks.
final class SharedIndex {
  var regions: [UnsafeMutableRawPointer] = []
  var users: Set<ObjectIdentifier> = []
  var readers = [Set<ObjectIdentifier>](repeating: [], count: 8)
  var writers = [ObjectIdentifier?](repeating: nil, count: 8)

  deinit { for region in regions { region.deallocate() } }
}
