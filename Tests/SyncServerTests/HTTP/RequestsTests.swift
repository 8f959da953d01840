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

  @Test("A box in a query is decimals. One to look in is cut to where shapes are, and one to fill is as shapes may be")
  func boxes() {
    for (text, count, numbers) in [
      ("1,2,3,4", 4, [1, 2, 3, 4]), ("-1.5,2e3,+3,4E-1", 4, [-1.5, 2_000, 3, 0.4]), ("1,2,3", 4, nil),
      ("1,2,3,", 4, nil), ("nan,1", 2, nil), ("0x1,1", 2, nil), ("1e400,1", 2, nil), ("1 ,2", 2, nil), ("", 2, nil),
    ] as [(String, Int, [Double]?)] {
      #expect(BoxParameter.numbers(text, count: count) == numbers, "\(text)")
    }
    for (numbers, cut) in [
      ([1, -2, 3, 4], [1, -2, 3, 4]), ([-3e7, 0, 2e7, 1], [-2e7, 0, 1e7, 1]),
      ([0, 1.9e7, 5, 1e9], [0, 1.9e7, 5, 1e6]),
      ([-1e9, -1e9, 1e10, 1e10], [-2e7, -2e7, 4e7, 4e7]), ([0, 0, 0, 1], nil), ([0, 0, 1, 0], nil),
      ([0, 0, -1, 1], nil), ([0, 0, 1, -1], nil),
    ] as [([Double], [Double]?)] {
      let box = BoxParameter.cut(numbers)
      #expect(box.map { [$0.origin.x, $0.origin.y, $0.size.width, $0.size.height] } == cut, "\(numbers)")
    }
    for (numbers, isTaken) in [
      ([-1e7, 1e7, 1, 1e6], true), ([1e7, -1e7, 1e6, 1], true), ([-1e7 - 1, 0, 1, 1], false),
      ([0, 1e7 + 1, 1, 1], false), ([0, 0, 0.9, 1], false), ([0, 0, 1, 1e6 + 1], false),
    ] as [([Double], Bool)] {
      #expect((BoxParameter.box(numbers) != nil) == isTaken, "\(numbers)")
    }
  }

  @Test("Files are compressed at a low level, and source maps not at all, so that the event loop isn't held up")
  func compressedFiles() throws {
    let folder = try TemporaryFolder()
    let text = (0..<1_000).map { "let number\($0) = \($0 * $0)\n" }.joined()
    for name in ["page.js", "page.js.map"] { _ = try folder.file(name, Array(text.utf8)) }
    let files = StaticFiles(directory: folder.path)
    let asked = request("accept-encoding", "gzip")
    // The ninth byte of gzip's header is 2 for the highest level (RFC 1952, section 2.3.1).
    let packed = try #require(files.response(to: asked, path: ["page.js"])?.body)
    #expect(packed.starts(with: [0x1F, 0x8B]) && packed[8] == 0)
    let map = try #require(files.response(to: asked, path: ["page.js.map"]))
    #expect(map.body == Array(text.utf8) && !map.headers.contains { $0.name == "Content-Encoding" })
  }

  @Test("A file that was replaced is sent as it is now, also where it is as long as before")
  func replacedFiles() throws {
    let folder = try TemporaryFolder()
    let files = StaticFiles(directory: folder.path)
    let asked = request("accept", nil)
    let path = try folder.file("page.js", Array("one".utf8))
    #expect(files.response(to: asked, path: ["page.js"])?.body == Array("one".utf8))
    rename(try folder.file("page.js.new", Array("two".utf8)), path)
    #expect(files.response(to: asked, path: ["page.js"])?.body == Array("two".utf8))
  }
}
