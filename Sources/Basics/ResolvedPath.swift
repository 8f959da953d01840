import Glibc

/// A path without symbolic links and dots. `nil` if nothing is there.
public func resolvedPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
