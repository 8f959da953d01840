import Basics
import Glibc
import WebSocketLoop

/// The page's files, as they are on the disk now. A file is read at its first request, and again after it has changed.
///
/// `@unchecked Sendable`: only the hub touches it, on the loop's thread.
final class StaticFiles: @unchecked Sendable {
  private struct Version: Equatable {
    var inode: UInt64
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private struct Entry {
    let version: Version
    let bytes: [UInt8]
    let tag: String
    let isCompressible: Bool
    /// The compressed forms of the file that have been made. For a coding that doesn't make the file shorter, the value
    /// is `nil`.
    var compressed: [ContentCoding: [UInt8]?] = [:]
  }

  /// The upper bound on the size of a file that is served. All files of the page are smaller.
  private static let bytesMax = 32 << 20

  /// The page's folder, with symbolic links resolved. `nil` if there is no such folder.
  let root: String?
  private var entries: [String: Entry] = [:]
  var madeListing: MadeListing?

  init(directory: String) { root = resolvedPath(directory) }

  var isThere: Bool { root != nil }

  /// The answer with a file of the page. `nil` if there is no such file.
  /// - Parameter status: the status of the answer. It is not 200 if the file explains why the request is refused.
  func response(to request: Request, path: [String], status: Int = 200) -> Response? {
    guard let path = StaticFiles.safe(path), let entry = entry(at: path) else { return nil }
    let type = StaticFiles.type(of: path)
    let coding = ContentCoding.chosen(by: request.list(.acceptEncoding))
    let compressed = coding.flatMap { self.compressed(entry, at: path, by: $0) }
    // A compressed form has a tag of its own, because two bodies with different bytes must have different strong tags.
    let tag = coding.flatMap { compressed == nil ? nil : "\(entry.tag.dropLast())-\($0.rawValue)\"" } ?? entry.tag
    var headers: [(name: String, value: String)] = [
      ("Content-Type", type), ("ETag", tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"),
    ]
    let isKnown = status == 200 && request.has(tag)
    // A browser keeps the headers of an icon that it has already, and asks for the icons often.
    if type.hasPrefix("text/html") || (type.hasPrefix("image/svg") && !isKnown) {
      headers.append(("Content-Security-Policy", StaticFiles.policy))
      headers.append(("Cross-Origin-Opener-Policy", "same-origin"))
      headers.append(("X-Frame-Options", "DENY"))
      headers.append(("Referrer-Policy", "no-referrer"))
    }
    if isKnown { return Response(status: 304, headers: headers) }
    guard let coding, let compressed else { return Response(status: status, headers: headers, body: entry.bytes) }
    return Response(status: status, headers: headers + [("Content-Encoding", coding.rawValue)], body: compressed)
  }

  /// The compressed form of a file, made at the first request and kept. If the build has left a compressed form beside
  /// the file, that one is used, because it is shorter. It has to decompress to the file's bytes.
  private func compressed(_ entry: Entry, at path: String, by coding: ContentCoding) -> [UInt8]? {
    guard entry.isCompressible else { return nil }
    if let made = entry.compressed[coding] { return made }
    let made = beforehand(entry, at: path, by: coding) ?? coding.compress(entry.bytes, level: StaticFiles.gzipLevel)
    entries[path]?.compressed[coding] = .some(made)
    return made
  }

  /// At higher levels the core takes the event loop twice as long, for one percent less.
  private static let gzipLevel: Int32 = 5

  /// The page's Content-Security-Policy: everything is loaded from this server and nowhere else. Two exceptions: the
  /// core may be compiled as WebAssembly, and the page may show images that it made itself.
  private static let policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; object-src 'none'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// A path below the root. `nil` if a part is hidden, or could lead out of the root.
  static func safe(_ parts: [String]) -> String? {
    guard !parts.isEmpty, parts.count <= 8 else { return nil }
    for part in parts {
      guard !part.isEmpty, part.utf8.count <= 255, !part.hasPrefix("."),
        part.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") })
      else { return nil }
    }
    return parts.joined(separator: "/")
  }

  func tag(of path: String) -> String? { entry(at: path)?.tag }

  private func entry(at path: String) -> Entry? {
    guard let root, let place = resolvedPath(root + "/" + path), place.hasPrefix(root + "/") else { return nil }
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= StaticFiles.bytesMax
    else { return nil }
    let version = Version(
      inode: UInt64(status.st_ino),
      size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec
    )
    if let entry = entries[path], entry.version == version { return entry }
    guard let bytes = StaticFiles.read(descriptor, count: version.size) else { return nil }
    let entry = Entry(
      version: version,
      bytes: bytes,
      tag: StaticFiles.tag(of: bytes),
      isCompressible: StaticFiles.isCompressible(path)
    )
    entries[path] = entry
    return entry
  }

  private func beforehand(_ entry: Entry, at path: String, by coding: ContentCoding) -> [UInt8]? {
    guard coding == .brotli, let bytes = self.entry(at: path + StaticFiles.beforehandSuffix)?.bytes,
      Brotli.isForm(bytes, of: entry.bytes)
    else { return nil }
    return bytes
  }

  static let beforehandSuffix = ".br"

  private static func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + done, count - done) }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  /// A file's tag: a hash of its content, so that two servers with the same page give the same tag.
  private static func tag(of bytes: [UInt8]) -> String {
    "\"\(String(Checksum(of: bytes).value, radix: 16))-\(bytes.count)\""
  }

  private static func isCompressible(_ path: String) -> Bool {
    switch path.split(separator: ".").last {
    case "png", "jpg", "jpeg", "webp", "woff2", "gz", "br", "ico": false
    // Only developer tools ask for these, and compressing a long one would hold up the event loop.
    case "map": false
    default: true
    }
  }

  static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "json", "map": "application/json"
    case "webmanifest": "application/manifest+json"
    case "wasm": "application/wasm"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "webp": "image/webp"
    case "ico": "image/x-icon"
    case "woff2": "font/woff2"
    case "txt", "md": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}
