import CSQLite
import Glibc

/// SQLite's file object for a file on a `LyingDisk`. SQLite allocates it, and uses only its first field.
struct DiskFile {
  var base: sqlite3_file
  var open: Unmanaged<OpenFile>
}

/// A file that one connection has open.
final class OpenFile {
  let disk: LyingDisk
  let file: StoredFile

  init(_ file: StoredFile, on disk: LyingDisk) {
    self.file = file
    self.disk = disk
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  func close() {
    _ = lock(SQLITE_LOCK_NONE)
    unmap()
  }

  // MARK: Locks (sqlite.org/c3ref/c_lock_exclusive.html)

  var level: Int32 { file.locks[id] ?? SQLITE_LOCK_NONE }

  func lock(_ wanted: Int32) -> Int32 {
    let others = file.locks.filter { $0.key != id }.values
    switch wanted {
    case SQLITE_LOCK_NONE:
      file.locks[id] = nil
      return SQLITE_OK
    case SQLITE_LOCK_SHARED:
      if level < wanted, others.contains(where: { $0 >= SQLITE_LOCK_PENDING }) { return SQLITE_BUSY }
    case SQLITE_LOCK_RESERVED:
      if others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) { return SQLITE_BUSY }
    default:
      if others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) { return SQLITE_BUSY }
      if others.contains(where: { $0 >= SQLITE_LOCK_SHARED }) {
        file.locks[id] = SQLITE_LOCK_PENDING
        return SQLITE_BUSY
      }
    }
    file.locks[id] = wanted
    return SQLITE_OK
  }

  // MARK: Shared memory

  func map(_ region: Int, bytes: Int, mayExtend: Bool) -> UnsafeMutableRawPointer? {
    let shared = file.shared ?? SharedIndex()
    file.shared = shared
    shared.users.insert(id)
    while shared.regions.count <= region {
      guard mayExtend else { return nil }
      let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
      memset(new, 0, bytes)
      shared.regions.append(new)
    }
    return shared.regions[region]
  }

  func lockShared(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
    guard let shared = file.shared else { return SQLITE_IOERR }
    if flags & SQLITE_SHM_UNLOCK != 0 {
      for slot in slots {
        shared.readers[slot].remove(id)
        if shared.writers[slot] == id { shared.writers[slot] = nil }
      }
      return SQLITE_OK
    }
    let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
    for slot in slots {
      if let writer = shared.writers[slot], writer != id { return SQLITE_BUSY }
      if isExclusive, !shared.readers[slot].subtracting([id]).isEmpty { return SQLITE_BUSY }
    }
    for slot in slots {
      if isExclusive { shared.writers[slot] = id } else { shared.readers[slot].insert(id) }
    }
    return SQLITE_OK
  }

  func unmap() {
    guard let shared = file.shared else { return }
    _ = lockShared(0..<8, SQLITE_SHM_UNLOCK)
    shared.users.remove(id)
    if shared.users.isEmpty { file.shared = nil }
  }
}

/// The functions that SQLite calls to use a `LyingDisk`.
enum DiskMethods {
  private static func open(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
    UnsafeMutableRawPointer(file!).assumingMemoryBound(to: DiskFile.self).pointee.open.takeUnretainedValue()
  }

  fileprivate static func disk(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> LyingDisk {
    Unmanaged<LyingDisk>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
  }

  // `nonisolated(unsafe)`: the memory is never freed or changed.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
      let raw = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: DiskFile.self)
      raw.pointee.open.takeUnretainedValue().close()
      raw.pointee.open.release()
      return SQLITE_OK
    }
    methods.pointee.xRead = { file, bytes, count, place in
      let open = DiskMethods.open(file)
      return open.disk.read(open.file, UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)), at: Int(place))
    }
    methods.pointee.xWrite = { file, bytes, count, place in
      let open = DiskMethods.open(file)
      return open.disk.write(open.file, UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(place))
    }
    methods.pointee.xTruncate = { file, count in
      let open = DiskMethods.open(file)
      return open.disk.truncate(open.file, to: Int(count))
    }
    methods.pointee.xSync = { file, _ in
      let open = DiskMethods.open(file)
      return open.disk.sync(open.file)
    }
    methods.pointee.xFileSize = { file, count in
      count!.pointee = Int64(DiskMethods.open(file).file.now.count)
      return SQLITE_OK
    }
    methods.pointee.xLock = { file, level in
      let open = DiskMethods.open(file)
      return open.disk.enter(.lock) ?? open.lock(max(level, open.level))
    }
    methods.pointee.xUnlock = { file, level in DiskMethods.open(file).lock(level) }
    methods.pointee.xCheckReservedLock = { file, answer in
      let open = DiskMethods.open(file)
      answer!.pointee = open.file.locks.values.contains { $0 >= SQLITE_LOCK_RESERVED } ? 1 : 0
      return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 4_096 }
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.pointee.xShmMap = { file, region, bytes, mayExtend, pointer in
      let open = DiskMethods.open(file)
      pointer!.pointee = nil
      if let code = open.disk.enter(.shareMemory) { return code }
      pointer!.pointee = open.map(Int(region), bytes: Int(bytes), mayExtend: mayExtend != 0)
      return SQLITE_OK
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      let open = DiskMethods.open(file)
      if flags & SQLITE_SHM_LOCK != 0, let code = open.disk.enter(.lock) { return code }
      return open.lockShared(Int(offset)..<Int(offset + count), flags)
    }
    methods.pointee.xShmBarrier = { _ in }
    methods.pointee.xShmUnmap = { file, _ in
      DiskMethods.open(file).unmap()
      return SQLITE_OK
    }
    return UnsafePointer(methods)
  }()

  static func fill(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    vfs.pointee.xOpen = { vfs, path, file, flags, granted in
      let disk = DiskMethods.disk(vfs)
      file!.pointee.pMethods = nil
      let (stored, code) = disk.open(path.map { String(cString: $0) }, flags)
      guard let stored else { return code }
      let raw = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: DiskFile.self)
      raw.initialize(
        to: DiskFile(
          base: sqlite3_file(pMethods: DiskMethods.methods),
          open: Unmanaged.passRetained(OpenFile(stored, on: disk))
        )
      )
      granted?.pointee = flags
      return SQLITE_OK
    }
    vfs.pointee.xDelete = { vfs, path, isSynced in
      DiskMethods.disk(vfs).delete(String(cString: path!), isSynced: isSynced != 0)
    }
    vfs.pointee.xAccess = { vfs, path, _, answer in
      answer!.pointee = DiskMethods.disk(vfs).exists(String(cString: path!)) ? 1 : 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, path, count, full in
      guard strlen(path!) < count else { return SQLITE_CANTOPEN }
      strcpy(full!, path!)
      return SQLITE_OK
    }
    vfs.pointee.xRandomness = { vfs, count, bytes in
      let disk = DiskMethods.disk(vfs)
      for index in 0..<Int(count) { bytes![index] = CChar(truncatingIfNeeded: disk.random.next()) }
      return count
    }
    vfs.pointee.xSleep = { _, microseconds in microseconds }
    vfs.pointee.xCurrentTime = { _, days in
      days!.pointee = 2_460_000
      return SQLITE_OK
    }
    vfs.pointee.xCurrentTimeInt64 = { _, milliseconds in
      milliseconds!.pointee = 2_460_000 * 86_400_000
      return SQLITE_OK
    }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
  }
}
