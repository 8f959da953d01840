import Glibc

/// A path without symbolic links and dots. `nil` if nothing is there.
public func resolvedPath(_ path: String) -> String? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
    realpath(path, room.baseAddress).map { String(cString: $0) }
  }
}
