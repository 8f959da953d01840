import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("What people show of themselves")
struct PresenceStateTests {
  private let shapes = (1...200).map { Identifier(packed: $0)! }

  private func read(_ json: String) -> PresenceState { PresenceState(JSONText(json)) }

  @Test("what is told is read again, in steps and as far as the bounds allow")
  func told() throws {
    var state = PresenceState()
    state.cursor = Point(x: 1.04, y: -2.06)
    state.selection = shapes
    state.lifted = shapes
    state.view = Rect(origin: Point(x: 0, y: 0), size: Size(width: 100, height: 50))
    let json = try #require(state.json)
    // The standard limit of a room.
    #expect(json.bytes.count <= 4_096)
    state.cursor = Point(x: 1, y: -2.1)
    state.selection = Array(shapes.prefix(100))
    state.lifted = state.selection
    #expect(PresenceState(json) == state)
  }

  /// Each line of the file has what is told and, after a tab, what is taken of it. The page's test reads it too.
  @Test("a malformed part counts as none, and takes no other part with it")
  func malformed() throws {
    for line in try GoldenFiles.project("Tests/CanvasCRDTTests/Golden/presence.tsv").split(separator: "\n") {
      let states = line.split(separator: "\t").map { read(String($0)) }
      #expect(states[0] == states[1], "\(line)")
    }
    let ink = read(##"{"ink":{"shape":"000-000-001","color":"#FF0000","width":4,"at":3,"points":[1,2]}}"##).ink
    #expect(ink?.points == [Point(x: 1, y: 2)] && ink?.at == 3)
  }
}
