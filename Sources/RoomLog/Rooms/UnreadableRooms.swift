/// A search for the first room behind rooms whose rows can't be read, because they are on a damaged page. Rooms are read
/// in the order of their numbers, and each attempt asks for the first room above a number.
///
/// The attempts go on in steps that double until one succeeds, and then halve the distance between the last that failed
/// and the first that succeeded. So there are at most 127 of them. If none succeeds, there is no further room.
struct UnreadableRooms {
  private let first: Int64
  /// Above this number, reading fails. `nil` until an attempt has failed.
  private var failed: Int64?
  /// Above this number, reading succeeds. `nil` until an attempt has succeeded.
  private var succeeded: Int64?
  private var step: Int64 = 1
  /// The number above which to read next.
  private(set) var next: Int64

  init(after number: Int64) {
    first = number
    next = number
  }

  /// The attempt has failed.
  /// - Returns: whether another one is to be made.
  mutating func isUnreadable() -> Bool {
    failed = next
    guard next < .max else { return false }
    goOn()
    return true
  }

  /// The attempt has succeeded.
  /// - Returns: whether it has found the first room that can be read.
  mutating func isReadable() -> Bool {
    guard let failed, next > failed + 1 else { return true }
    succeeded = next
    goOn()
    return false
  }

  private mutating func goOn() {
    guard let failed else { return }
    if let succeeded {
      next = failed + (succeeded - failed) / 2
      // The attempt at `succeeded` is made once more, for its result.
      if next == failed { next = succeeded }
    } else {
      let (sum, overflows) = failed.addingReportingOverflow(step)
      next = overflows ? .max : sum
      step = overflows ? step : step &* 2
    }
  }

  /// What an operator is told of the rooms that were passed over. `nil` if there are none.
  func concern(in place: String) -> LogEvent? {
    guard let failed else { return nil }
    let numbers = failed == .max ? "\(first + 1) and above" : "\(first + 1) to \(next)"
    return .concern("\(place): rows about the rooms numbered \(numbers) can't be read, so these are not verified")
  }
}
