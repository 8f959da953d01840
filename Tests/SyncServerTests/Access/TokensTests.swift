import CanvasCRDT
import Glibc
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Tokens") struct TokensTests {
  private let text = """
    # Ann's, and those of her team
    ann-ann-ann-ann-1\teditor demo team-*

      guest-guest-guest viewer  *\r
    keeper-keeper-keeper operator *
    """

  @Test("A line is a token, what it allows and for which rooms; comments and empty lines are passed over")
  func lines() throws {
    let tokens = try Tokens(text)
    #expect(tokens.count == 3)
    let ann = try #require(tokens.grant(of: "ann-ann-ann-ann-1"))
    #expect(ann.level == .editor && ann.role == .editor)
    for (room, isCovered) in [("demo", true), ("demo2", false), ("team-", true), ("team-a", true), ("team", false)] {
      #expect(ann.covers(room) == isCovered, "\(room)")
    }
    let guest = try #require(tokens.grant(of: "guest-guest-guest"))
    #expect(guest.level == .viewer && guest.role == .viewer && guest.covers("anything"))
    let keeper = try #require(tokens.grant(of: "keeper-keeper-keeper"))
    #expect(keeper.level == .operator && keeper.role == .editor)
  }

  @Test("A comment behind the rooms is the token's label; without one it is the line's number, and never the token")
  func labels() throws {
    let long = String(repeating: "x", count: 100)
    let tokens = try Tokens(
      """
      ann-ann-ann-ann-1 editor demo team-*  # Ann's laptop
      guest-guest-guest viewer * #
      keeper-keeper-keeper operator *
      other-other-other viewer * #\(long)
      """
    )
    func label(_ token: String) -> String? { tokens.grant(of: token)?.label }
    #expect(label("ann-ann-ann-ann-1") == "Ann's laptop")
    #expect(tokens.grant(of: "ann-ann-ann-ann-1")?.rooms == [.name("demo"), .prefix("team-")])
    #expect(label("guest-guest-guest") == "line 2" && label("keeper-keeper-keeper") == "line 3")
    #expect(label("other-other-other") == String(long.prefix(64)))
    #expect(Grant.everything.label == nil)
  }

  @Test(
    "C3: an operator who becomes an editor has other rights, and so has one whose token is for other rooms or for none"
  )
  func changes() {
    func grant(_ level: Grant.Level, _ room: String = "demo") -> Grant { Grant(level: level, rooms: [.name(room)]) }
    let levels: [Grant.Level] = [.viewer, .editor, .operator]
    for before in levels {
      for now in levels {
        #expect(grant(before).change(to: grant(now), in: "demo") == (before == now ? .none : .otherLevel))
      }
      #expect(grant(before).change(to: nil, in: "demo") == .ended)
      #expect(grant(before).change(to: grant(before, "other"), in: "demo") == .elsewhere)
    }
  }

  @Test(
    "Only the whole token is one",
    arguments: ["", "ann", "ann-ann-ann-ann-", "ann-ann-ann-ann-2", "ann-ann-ann-ann-11", "#"]
  )
  func others(presented: String) throws {
    #expect(try Tokens(text).grant(of: presented) == nil)
  }

  @Test(
    "A line that can't be used is named by its number, without the token",
    arguments: [
      ("short editor *", "16 to 256"), ("sixteen-letters-\u{FC} editor *", "a token may contain only"),
      ("sixteen-letters-", "viewer, editor or operator"), ("sixteen-letters- owner *", "viewer, editor or operator"),
      ("sixteen-letters- editor", "list the rooms"), ("sixteen-letters- editor # all", "list the rooms"),
      ("sixteen-letters- editor a*b", "a*b is not a room name"),
      ("sixteen-letters- editor a/b", "a/b is not a room name"),
      ("sixteen-letters- editor **", "** is not a room name"),
      ("ann-ann-ann-ann-1 viewer *", "earlier line"),
    ]
  )
  func faults(line: String, words: String) throws {
    let fault = try #require(throws: TokenFault.self) { try Tokens("ann-ann-ann-ann-1 editor *\n\n\(line)\n") }
    #expect(fault.words.hasPrefix("line 3: ") && fault.words.contains(words), "\(fault.words)")
    #expect(!fault.words.contains("sixteen"))
  }

  @Test("A token has 256 characters at most") func longest() throws {
    let longest = String(repeating: "a", count: 256)
    #expect(try Tokens("\(longest) editor *").grant(of: longest)?.level == .editor)
    #expect(throws: TokenFault.self) { try Tokens("\(longest)a editor *") }
  }

  @Test("A file that everybody may read is told, and what can't be a list of tokens is refused in words")
  func files() throws {
    let folder = try TemporaryFolder()
    func read(_ content: String, mode: mode_t = 0o600) throws -> (tokens: Tokens, isOpenToAll: Bool) {
      try Tokens.read(folder.file("tokens", Array(content.utf8), mode: mode))
    }
    #expect(try read(text, mode: 0o640).isOpenToAll == false)
    #expect(try read(text, mode: 0o644).isOpenToAll)
    #expect(try read(text).tokens.count == 3)
    #expect(try read("").tokens.areFromNothing)
    #expect(try read("#").tokens.areFromNothing == false)
    #expect(throws: TokenFault("the file is not UTF-8 text")) { try Tokens.read(folder.file("tokens", [0x23, 0xFF])) }
    #expect(throws: TokenFault("this is not a file")) { try Tokens.read(folder.path) }
    #expect(throws: TokenFault("No such file or directory")) { try Tokens.read(folder.path + "/none") }
    let large = [UInt8](repeating: UInt8(ascii: "#"), count: 8 << 20)
    #expect(try Tokens.read(folder.file("tokens", large)).tokens.count == 0)
    #expect(throws: TokenFault("the file is too large for a list of tokens")) {
      try Tokens.read(folder.file("tokens", large + large[..<1]))
    }
  }

  @Test("A file without tokens lets nobody in") func none() throws {
    #expect(try Tokens("# nobody yet\n").grant(of: "ann-ann-ann-ann-1") == nil)
  }

  @Test("The header goes before the parameter, and another scheme is no token") func requests() {
    func token(_ authorization: String?, query: String = "") -> String? {
      Request(path: "/", query: query, headers: authorization.map { [("authorization", $0)] } ?? []).token
    }
    #expect(token("Bearer abc") == "abc")
    #expect(token("bearer  abc ") == "abc")
    #expect(token("Bearer abc", query: "token=def") == "abc")
    #expect(token("Basic abc", query: "token=d%2Bf") == "d+f")
    #expect(token(nil, query: "token=def&x") == "def")
    #expect(token("Bearer") == nil)
    #expect(token(nil) == nil)
  }

  @Test("C3: the refusal names what the token doesn't allow") func refusals() {
    let viewer = Grant(level: .viewer, rooms: [.name("demo")])
    #expect(Response.refusal(viewer, room: "demo", needs: .viewer) == nil)
    #expect(Response.refusal(viewer, room: "other", needs: .viewer)?.status == 403)
    for level in [Grant.Level.editor, .operator] {
      #expect(Response.refusal(viewer, room: "demo", needs: level)?.status == 403)
      #expect(Response.refusal(.everything, room: "demo", needs: level) == nil)
    }
  }
}
