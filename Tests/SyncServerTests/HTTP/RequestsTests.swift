import Glibc
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("What a request says of itself") struct RequestsTests {
  private func request(_ header: String, _ value: String?, origin: String? = nil) -> Request {
    let headers = [value.map { (header, $0) }, origin.map { ("origin", $0) }].compactMap(\.self)
    return Request(path: "/", headers: headers)
  }

  @Test("A tag is held whether it is weak or strong, on either side")
  func tags() {
    for tag in ["\"x\"", "W/\"x\""] {
      for held in ["\"x\"", "W/\"x\"", "\"y\", W/\"x\"", "*"] {
        #expect(request("if-none-match", held).has(tag), "\(held) \(tag)")
      }
      for held in [nil, "\"y\"", "x", "w/\"x\"", "\"W/x\""] {
        #expect(!request("if-none-match", held).has(tag), "\(held ?? "") \(tag)")
      }
    }
  }

  @Test(
    "A body is taken for JSON where it says so, or says nothing and comes from no page; a layout also as plain text"
  )
  func types() {
    let form = "application/x-www-form-urlencoded"
    for (type, origin, isJSON, isLayout) in [
      ("application/json", nil, true, true), ("Application/JSON ; charset=utf-8", "http://localhost", true, true),
      (nil, nil, true, true), (nil, "http://localhost", false, false),
      (form, nil, true, true), (form, "http://localhost", false, false),
      ("text/plain;charset=UTF-8", nil, false, true), ("text/plain;charset=UTF-8", "http://localhost", false, false),
      ("text/html", nil, false, false),
    ] as [(String?, String?, Bool, Bool)] {
      let request = request("content-type", type, origin: origin)
      #expect(request.isJSON == isJSON && request.isLayout == isLayout, "\(type ?? "") \(origin ?? "")")
    }
  }

  @Test("A plus in the query's token stands for itself, escaped or not")
  func tokens() {
    for query in ["token=a+b%2Bc/d=", "x=1&token=a%2Bb+c/d="] {
      #expect(Request(path: "/", query: query).token == "a+b+c/d=")
    }
    #expect(Request(path: "/").token == nil)
  }

  @Test("A browser that goes to an address wants a page; programs don't")
  func pages() {
    for accepted in ["text/html", "application/xhtml+xml, Text/HTML;q=0.9, */*;q=0.8"] {
      #expect(request("accept", accepted).wantsPage)
    }
    for accepted in [nil, "*/*", "application/json", "text/*"] { #expect(!request("accept", accepted).wantsPage) }
  }

  @Test("An answer is compressed as the client likes best, and not where it names no way or refuses all")
  func codings() {
    for list in [[], ["identity"], ["gzip;q=0", "br;q=0"], ["*;q=0"], ["deflate"]] {
      #expect(ContentCoding.chosen(by: list) == nil, "\(list)")
    }
    #expect(ContentCoding.chosen(by: ["gzip", "br"]) == .brotli)
    #expect(ContentCoding.chosen(by: ["br;q=0.5", "gzip"]) == .gzip)
    #expect(ContentCoding.chosen(by: ["*;q=0.1", "br;q=0"]) == .gzip)
  }

  private func temporaryFolder() throws -> String {
    var template = Array("/tmp/canvas-files-XXXXXX".utf8CString)
    return try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  private func write(_ text: String, to path: String) {
    let file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    _ = Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  @Test("Files are compressed at a low level, and source maps not at all, so that the event loop isn't held up")
  func compressedFiles() throws {
    let folder = try temporaryFolder()
    defer {
      for name in ["page.js", "page.js.map"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    let text = (0..<1_000).map { "let number\($0) = \($0 * $0)\n" }.joined()
    for name in ["page.js", "page.js.map"] { write(text, to: "\(folder)/\(name)") }
    let files = StaticFiles(directory: folder)
    let asked = request("accept-encoding", "gzip")
    // The ninth byte of gzip's header is 2 for the highest level (RFC 1952, section 2.3.1).
    let packed = try #require(files.response(to: asked, path: ["page.js"])?.body)
    #expect(packed.starts(with: [0x1F, 0x8B]) && packed[8] == 0)
    let map = try #require(files.response(to: asked, path: ["page.js.map"]))
    #expect(map.body == Array(text.utf8) && !map.headers.contains { $0.name == "Content-Encoding" })
  }

  @Test("A file that was replaced is sent as it is now, also where it is as long as before")
  func replacedFiles() throws {
    let folder = try temporaryFolder()
    let path = folder + "/page.js"
    defer {
      unlink(path)
      rmdir(folder)
    }
    let files = StaticFiles(directory: folder)
    let asked = request("accept", nil)
    write("one", to: path)
    #expect(files.response(to: asked, path: ["page.js"])?.body == Array("one".utf8))
    write("two", to: path + ".new")
    rename(path + ".new", path)
    #expect(files.response(to: asked, path: ["page.js"])?.body == Array("two".utf8))
  }
}
