/// Whether the free space on the disk is less than the reserve.
///
/// What always holds: after space was low, it counts as low until a tenth more than the reserve is free. Without this
/// margin, the result would keep changing while the free space is close to the reserve.
struct StorageReserve {
  /// The rooms' directory. `nil` if they aren't in one.
  let directory: String?
  private let reserveBytes: UInt64
  private(set) var freeBytes: UInt64?
  private(set) var isLow = false

  init(_ configuration: Configuration) {
    reserveBytes = configuration.limits.storageReserveBytes
    if case .directory(let directory) = configuration.storage { self.directory = directory } else { directory = nil }
  }

  /// Whether a thread is asking the system.
  var isBeingLookedAt = false

  /// Notes how much space is free.
  /// - Returns: true if space has become low, false if it is low no longer, `nil` if nothing has changed.
  mutating func note(freeBytes free: UInt64) -> Bool? {
    freeBytes = free
    let wasLow = isLow
    isLow = wasLow ? free < reserveBytes + reserveBytes / 10 : free < reserveBytes
    return isLow == wasLow ? nil : isLow
  }
}
