import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Lists the page's files with one version for all of them: `{"version","files":["/room/room.js",…]}`. The page's
/// worker asks for this list, to store the files for offline use. The version tells a page that was loaded long ago
/// that the server has a newer page.
extension StaticFiles {
  /// At most this many files are listed. If `--web` names the wrong folder, for example `/`, listing all of its files
  /// would take too long.
  private static let listedMax = 1_000
  private static let foldersDeepMax = 8

  /// Only debuggers ask for these files, so they are not part of the page.
  private static let sourceMapSuffix = ".map"

  /// The list of the page's files. It is made anew at most once a second, however many clients ask for it.
  func listing(for request: Request, at milliseconds: UInt64) -> Response {
    if let made = madeListing, milliseconds < made.at + StaticFiles.listingMilliseconds {
      return made.response(to: request)
    }
    let made = MadeListing(listing(), at: milliseconds)
    madeListing = made
    return made.response(to: request)
  }

  private static let listingMilliseconds: UInt64 = 1_000

  private func listing() -> [UInt8] {
    var paths: [String] = []
    collect("", depth: 0, into: &paths)
    paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var writer = JSONWriter(capacity: paths.count * 40 + 64)
    var version = Checksum()
    var listed: [String] = []
    for path in paths {
      guard let tag = tag(of: path) else { continue }
      version.add("\(path) \(tag)\n")
      listed.append(path)
    }
    writer.beginObject()
    writer.key("version")
    writer.value(text: Text(String(version.value, radix: 16)))
    writer.key("files")
    writer.beginArray()
    for path in listed { writer.value(text: Text("/" + path)) }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  /// Collects the paths, below the root, of the files that the server would serve.
  private func collect(_ folder: String, depth: Int, into paths: inout [String]) {
    guard let root, depth < StaticFiles.foldersDeepMax,
      let stream = opendir(folder.isEmpty ? root : root + "/" + folder)
    else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream), paths.count < StaticFiles.listedMax {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = folder.isEmpty ? name : folder + "/" + name
      guard StaticFiles.safe(path.split(separator: "/").map(String.init)) != nil,
        !path.hasSuffix(StaticFiles.beforehandSuffix), !path.hasSuffix(StaticFiles.sourceMapSuffix)
      else { continue }
      switch Int32(entry.pointee.d_type) {
      case Int32(DT_DIR): collect(path, depth: depth + 1, into: &paths)
      case Int32(DT_REG): paths.append(path)
      default: continue
      }
    }
  }
}

/// A list as of the time when it was made, plain and compressed.
struct MadeListing {
  let at: UInt64
  private let plain: Response
  private let compressed: Response

  init(_ bytes: [UInt8], at milliseconds: UInt64) {
    at = milliseconds
    let response = Response.json(bytes, headers: [("Cache-Control", "no-store")])
    plain = response.compressed(for: Request(path: "/"))
    compressed = response.compressed(for: Request(path: "/", headers: [("accept-encoding", "gzip")]))
  }

  func response(to request: Request) -> Response {
    ContentCoding.chosen(of: [.gzip], by: request.list(.acceptEncoding)) == nil ? plain : compressed
  }
}
