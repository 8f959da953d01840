import Testing

@testable import sync_client

@Suite struct RoomTokensTests {
  @Test func `C11: a token that is refused in place of another is kept for when that one ends`() {
    var tokens = RoomTokens()
    let first = [
      tokens.enter(newest: "editor"), tokens.replacement(newest: "editor"), tokens.replacement(newest: "viewer"),
    ]
    #expect(first == ["editor", nil, "viewer"])
    tokens.refuse()
    // It isn't sent again, and a connection that is lost is opened again with the token that still counts.
    let then = [tokens.replacement(newest: "viewer"), tokens.enter(newest: "viewer")]
    #expect(then == [nil, "editor"])
    let (hasAnother, next) = (tokens.end(newest: "viewer"), tokens.enter(newest: "viewer"))
    #expect(hasAnother && next == "viewer")
    let hasMore = tokens.end(newest: "viewer")
    #expect(!hasMore)
  }

  @Test func `C11: a newer token is used at the next connection, and if it lets nobody in, the one before it`() {
    var tokens = RoomTokens()
    // The connection is lost before the answer.
    let first = [
      tokens.enter(newest: "one"), tokens.replacement(newest: "two"), tokens.enter(newest: "two"),
    ]
    #expect(first == ["one", "two", "two"])
    let (hasFormer, former) = (tokens.end(newest: "two"), tokens.enter(newest: "two"))
    #expect(hasFormer && former == "one")
    // The one before it ends while the newer one is on its way.
    let (third, hasThird) = (tokens.replacement(newest: "three"), tokens.end(newest: "three"))
    #expect(third == "three" && hasThird)
    let (again, hasMore) = (tokens.enter(newest: "three"), tokens.end(newest: "three"))
    #expect(again == "three" && !hasMore)
  }

  @Test func `A client without another token has ended with the one it has`() {
    for newest in [nil, "only"] {
      var tokens = RoomTokens()
      let (token, hasMore) = (tokens.enter(newest: newest), tokens.end(newest: newest))
      #expect(token == newest && !hasMore)
    }
  }
}
