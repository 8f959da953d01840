import CanvasCRDT
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Answers over HTTP") struct RepliesTests {
  private func header(_ name: String, of response: Response) -> String? {
    response.headers.first { $0.name == name }?.value
  }

  @Test("H6: each refused write has its status, and says when to try again if that may help") func rejected() {
    let known: [RejectCode: (status: Int, seconds: String?)] = [
      .badMessage: (400, nil), .badShape: (400, nil), .badStamp: (400, nil), .badProperty: (400, nil),
      .badValue: (400, nil), .clockAhead: (400, nil), .tooOld: (400, nil), .readOnly: (403, nil),
      .roomFull: (409, nil), .tooManyOperations: (413, nil), .rateLimited: (429, "1"), .quotaExceeded: (429, "60"),
      .unavailable: (503, "1"), .storageLow: (507, nil),
    ]
    for code in RejectCode.allCases {
      let response = Response.rejected(Rejection(code: code, message: "no"))
      #expect(response.status == known[code]?.status, "\(code)")
      #expect(header("Retry-After", of: response) == known[code]?.seconds, "\(code)")
      #expect(String(decoding: response.body, as: UTF8.self).contains("\"\(code.wireName)\""), "\(code)")
    }
    let placed = Response.rejected(Rejection(operation: 3, code: .badValue, message: "no"))
    #expect(String(decoding: placed.body, as: UTF8.self).contains("operation 3: no"))
  }

  @Test("H6: every other refusal has its status, and says when to try again if that may help") func refusals() {
    for (response, status, seconds) in [
      (.unavailable("no"), 503, "1"), (.unreadable("no"), 503, nil), (.tooManyConnections, 503, "1"),
      (.tooManyFromAddress, 429, "1"), (.tooFast, 429, "1"), (.awaitingLog, 503, "1"), (.notFound, 404, nil),
      (.noSuchName, 404, nil), (.noSuchRoom, 404, nil), (.roomIsGone, 503, "1"), (.notJSON, 415, nil),
      (.tooManyRooms, 503, "1"), (.refusing(.unknownHost("a")), 421, nil), (.refusing(.foreignOrigin("a")), 403, nil),
    ] as [(Response, Int, String?)] {
      let body = String(decoding: response.body, as: UTF8.self)
      #expect(response.status == status && header("Retry-After", of: response) == seconds, "\(body)")
    }
    #expect(header("Allow", of: .notAllowed(["GET", "PUT"])) == "GET, PUT")
    #expect(header("WWW-Authenticate", of: .refusing(TokenRefusal.missing)) == "Bearer")
  }

  @Test("short bodies are sent as they are; the page's may be shorter, because each is compressed once") func lengths()
  {
    for (coding, least) in [(ContentCoding.gzip, 1_024), (.brotli, 256)] {
      #expect(coding.compress([UInt8](repeating: 7, count: least - 1)) == nil)
      #expect(coding.compress([UInt8](repeating: 7, count: least)) != nil)
    }
  }

  @Test("what compressing would make longer is sent as it is") func incompressible() {
    let noise = (0..<1_000).map { _ in UInt8.random(in: .min ... .max) }
    for level: Int32 in [1, 9] { #expect(Gzip.compress(noise, level: level) == nil) }
  }

  @Test(
    "the coding with the highest quality is chosen, and one that is as good as none is worth it",
    arguments: [
      (["identity;q=0.5", "br;q=0.5"], ContentCoding.brotli), (["identity;q=0.5", "br;q=0.499"], nil),
      (["br;q=0.25", "gzip;q=0.3"], .gzip), (["br;q=0.3", "gzip;q=0.25"], .brotli), (["x-gzip"], .gzip),
      (["gzip ; Q=1.000"], .gzip), (["gzip;q=0.001"], .gzip), (["gzip;q=0.0"], nil), (["gzip;q=0.0001"], nil),
      (["gzip;q=2"], nil), (["gzip;q=0.x"], nil), (["gzip;q="], nil), (["*"], .brotli), (["identity", "*;q=0.5"], nil),
      ([""], nil), ([], nil), (["identity"], nil), (["gzip;q=0", "br;q=0"], nil), (["*;q=0"], nil), (["deflate"], nil),
      (["gzip", "br"], .brotli), (["br;q=0.5", "gzip"], .gzip), (["*;q=0.1", "br;q=0"], .gzip),
    ]
  )
  func qualities(list: [String], coding: ContentCoding?) {
    #expect(ContentCoding.chosen(by: list) == coding)
  }

  @Test("a file's type follows from its name")
  func types() {
    for (name, type) in [
      ("a.html", "text/html; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
      ("a.b.js", "text/javascript; charset=utf-8"), ("a.mjs", "text/javascript; charset=utf-8"),
      ("a.json", "application/json"), ("a.js.map", "application/json"),
      ("a.webmanifest", "application/manifest+json"), ("a.wasm", "application/wasm"), ("a.svg", "image/svg+xml"),
      ("a.png", "image/png"), ("a.jpg", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.webp", "image/webp"),
      ("a.ico", "image/x-icon"), ("a.woff2", "font/woff2"), ("a.txt", "text/plain; charset=utf-8"),
      ("a.md", "text/plain; charset=utf-8"), ("a.bin", "application/octet-stream"), ("a", "application/octet-stream"),
    ] {
      #expect(StaticFiles.type(of: name) == type, "\(name)")
    }
  }

  @Test("files that are compressed already are sent as they are", arguments: ["png", "jpg", "woff2", "js", "svg"])
  func alreadyCompressed(kind: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("a.\(kind)", [UInt8](repeating: 7, count: 2_000))
    let asked = Request(path: "/", headers: [("accept-encoding", "gzip")])
    let response = try #require(StaticFiles(directory: folder.path).response(to: asked, path: ["a.\(kind)"]))
    #expect(header("Content-Encoding", of: response) == (["js", "svg"].contains(kind) ? "gzip" : nil))
  }

  @Test("pages keep other sites out, and icons too until the browser has them") func pageHeaders() throws {
    let folder = try TemporaryFolder()
    for name in ["a.html", "a.svg", "a.js"] { _ = try folder.file(name, [7]) }
    let files = StaticFiles(directory: folder.path)
    for (name, isGuarded, isGuardedWhenKnown) in [
      ("a.html", true, true), ("a.svg", true, false), ("a.js", false, false),
    ] {
      let first = try #require(files.response(to: Request(path: "/"), path: [name]))
      #expect(first.status == 200 && (header("Content-Security-Policy", of: first) != nil) == isGuarded, "\(name)")
      #expect(header("X-Frame-Options", of: first) == (isGuarded ? "DENY" : nil))
      let tag = try #require(header("ETag", of: first))
      let asked = Request(path: "/", headers: [("if-none-match", tag)])
      let known = try #require(files.response(to: asked, path: [name]))
      #expect(known.status == 304 && known.body.isEmpty)
      #expect((header("Content-Security-Policy", of: known) != nil) == isGuardedWhenKnown, "\(name)")
      #expect(files.response(to: asked, path: [name], status: 404)?.status == 404, "that page says why")
    }
  }

  @Test("the page's files are listed with one version, which is made anew once a second") func listing() throws {
    let folder = try TemporaryFolder()
    for name in ["b.js", "a.html", "b.js.br", "b.js.map", ".hidden"] { _ = try folder.file(name, [7]) }
    let files = StaticFiles(directory: folder.path)
    func list(_ milliseconds: UInt64) -> String {
      String(decoding: files.listing(for: Request(path: "/"), at: milliseconds).body, as: UTF8.self)
    }
    let first = list(5_000)
    #expect(first.hasSuffix(#","files":["/a.html","/b.js"]}"#), "\(first)")
    _ = try folder.file("a.html", [8, 8])
    #expect(list(5_999) == first)
    let second = list(6_000)
    #expect(second != first && second.hasSuffix(#","files":["/a.html","/b.js"]}"#))
    for number in 0..<100 { _ = try folder.file("file\(number).js", [7]) }
    #expect(list(6_999) == second && list(7_000).count > 1_024)
    let asked = Request(path: "/", headers: [("accept-encoding", "gzip")])
    let compressed = files.listing(for: asked, at: 7_001)
    #expect(header("Content-Encoding", of: compressed) == "gzip" && compressed.body.starts(with: [0x1F, 0x8B]))
    #expect(header("Content-Encoding", of: files.listing(for: Request(path: "/"), at: 7_001)) == nil)
    #expect(header("Cache-Control", of: compressed) == "no-store")
  }
}
