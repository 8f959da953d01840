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
}
