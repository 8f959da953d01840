import CSQLite
import Glibc
import Synchronization

/// A disk that fails on request. It is a virtual file system for SQLite (sqlite.org/vfs.html), which passes calls on to
/// the real file system. Only calls for files in its own directory can fail.
///
/// `@unchecked Sendable`: a mutex protects everything.
final class FaultyDisk: @unchecked Sendable {
  static let name = "faulty"
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var writeCode: Int32?
  private var syncCode: Int32?
  private var holdsSyncs = false
  private var syncsHeld = 0
  private var faultCount = 0

  /// Puts all files under `directory` on this disk.
  init(directory: String) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(change, nil)
    FaultyDisk.install()
    FaultyDisk.disks.withLock { $0[directory] = self }
  }

  func failWrites(_ code: Int32?) { set { self.writeCode = code } }
  func failSyncs(_ code: Int32?) { set { self.syncCode = code } }

  /// How many writes and syncs have failed. Tests use it to assert that the fault has happened.
  var faults: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return faultCount
  }

  /// Makes each sync wait until `releaseSyncs`, as on a slow disk.
  func holdSyncs() { set { self.holdsSyncs = true } }
  func releaseSyncs() { set { self.holdsSyncs = false } }

  /// Waits until a sync is held.
  /// - Returns: false if there was none within the time limit.
  func waitForHeldSync() -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var deadline = timespec.inTenSeconds
    while syncsHeld == 0 {
      guard pthread_cond_timedwait(change, mutex, &deadline) == 0 else { return syncsHeld > 0 }
    }
    return true
  }

  private func set(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    body()
    pthread_cond_broadcast(change)
    pthread_mutex_unlock(mutex)
  }

  private func writeFault() -> Int32? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if writeCode != nil { faultCount += 1 }
    return writeCode
  }

  private func syncFault() -> Int32? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while holdsSyncs {
      syncsHeld += 1
      pthread_cond_broadcast(change)
      pthread_cond_wait(change, mutex)
      syncsHeld -= 1
    }
    if syncCode != nil { faultCount += 1 }
    return syncCode
  }

  // MARK: The file system

  private static let disks = Mutex<[String: FaultyDisk]>([:])
  private static let files = Mutex<[UInt: FaultyDisk]>([:])

  /// SQLite's function table for a file: the system's functions, and ours, which call the system's. There is one table
  /// for each kind of locking. The tables are never freed.
  private struct Methods: Hashable, @unchecked Sendable {
    let pointer: UnsafePointer<sqlite3_io_methods>
  }

  private struct System: @unchecked Sendable {
    // The system's file system, which is never freed.
    let vfs: UnsafeMutablePointer<sqlite3_vfs>
    var wrapped: [Methods: Methods] = [:]
  }

  private static let system = Mutex<System?>(nil)

  private static func disk(of file: UnsafeMutablePointer<sqlite3_file>?) -> FaultyDisk? {
    files.withLock { $0[UInt(bitPattern: file)] }
  }

  static func install() {
    system.withLock { system in
      guard system == nil, let vfs = sqlite3_vfs_find(nil) else { return }
      system = System(vfs: vfs)
      let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      faulty.initialize(to: vfs.pointee)
      faulty.pointee.zName = UnsafePointer(strdup(name))
      faulty.pointee.pNext = nil
      faulty.pointee.xOpen = { _, path, file, flags, granted in
        FaultyDisk.open(path: path, file: file, flags: flags, granted: granted)
      }
      sqlite3_vfs_register(faulty, 0)
    }
  }

  private static func open(
    path: UnsafePointer<CChar>?,
    file: UnsafeMutablePointer<sqlite3_file>?,
    flags: Int32,
    granted: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let vfs = system.withLock({ $0 })?.vfs, let file else { return SQLITE_CANTOPEN }
    let code = vfs.pointee.xOpen(vfs, path, file, flags, granted)
    guard code == SQLITE_OK, let path, let methods = file.pointee.pMethods else { return code }
    let text = String(cString: path)
    guard let disk = disks.withLock({ $0.first { text.hasPrefix($0.key + "/") }?.value }) else { return code }
    files.withLock { $0[UInt(bitPattern: file)] = disk }
    file.pointee.pMethods = wrapped(Methods(pointer: methods)).pointer
    return code
  }

  private static func wrapped(_ methods: Methods) -> Methods {
    system.withLock { system in
      if let known = system?.wrapped[methods] { return known }
      let wrapped = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      wrapped.initialize(to: methods.pointer.pointee)
      wrapped.pointee.xWrite = { file, bytes, count, offset in
        FaultyDisk.disk(of: file)?.writeFault()
          ?? FaultyDisk.original(of: file)?.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
      }
      wrapped.pointee.xSync = { file, flags in
        FaultyDisk.disk(of: file)?.syncFault() ?? FaultyDisk.original(of: file)?.xSync(file, flags) ?? SQLITE_IOERR
      }
      let made = Methods(pointer: UnsafePointer(wrapped))
      system?.wrapped[methods] = made
      return made
    }
  }

  private static func original(of file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods? {
    guard let pointer = file?.pointee.pMethods else { return nil }
    let wrapped = Methods(pointer: pointer)
    return system.withLock { system in system?.wrapped.first { $0.value == wrapped }?.key }?.pointer.pointee
  }
}
