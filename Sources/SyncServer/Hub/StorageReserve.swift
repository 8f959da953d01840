import RoomLog

/// Whether the free space on the disk is less than the reserve.
///
/// What always holds: after space was low, it counts as low until a tenth more than the reserve is free. Without this
/// margin, the result would keep changing while the free space is close to the reserve.
struct StorageReserve {
  private let directory: String?
  private let reserveBytes: UInt64
  private(set) var freeBytes: UInt64?
  private(set) var isLow = false

  init(_ configuration: Configuration) {
    reserveBytes = configuration.limits.storageReserveBytes
    if case .directory(let directory) = configuration.storage { self.directory = directory } else { directory = nil }
  }

  /// Checks the free space.
  /// - Returns: true if space has become low, false if it is low no longer, `nil` if nothing has changed.
  mutating func look() -> Bool? {
    guard let directory, let free = StorageSpace.freeBytes(at: directory) else { return nil }
    freeBytes = free
    let wasLow = isLow
    isLow = wasLow ? free < reserveBytes + reserveBytes / 10 : free < reserveBytes
    return isLow == wasLow ? nil : isLow
  }
}
