import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("What people show of themselves")
struct PresenceStateTests {
  private let shapes = (1...200).map { Identifier(packed: $0)! }

  private func read(_ json: String) -> PresenceState { PresenceState(JSONText(json)) }

  private func ink(width: String = "4", at: String = "0", points: String = "1,2") -> PresenceState.InkPiece? {
    let shape = shapes[0]
    return read(
      ##"{"ink":{"shape":"\##(shape)","color":"#FF0000","width":\##(width),"at":\##(at),"points":[\##(points)]}}"##
    ).ink
  }

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

  @Test("a malformed value counts as none, and takes none of the others with it")
  func malformed() {
    for json in [
      #"{"cursor":[1]}"#, #"{"cursor":[1,2,3]}"#, #"{"cursor":[1,"2"]}"#, #"{"cursor":[1,1e9]}"#,
      #"{"cursor":[1,1e999]}"#, #"{"cursor":"1,2"}"#, #"{"view":[1,2,3]}"#, #"{"view":[1,2,0,4]}"#,
      #"{"selection":{}}"#, #"{"lifted":[null,[],"x"]}"#,
      #"{"writing":7}"#, #"{"writing":"x"}"#, #"{"ink":[1,2]}"#, #"{"ink":{"shape":"000-000-001"}}"#, "[]", "null",
    ] { #expect(read(json) == PresenceState(), "\(json)") }
    let state = read(#"{"cursor":7,"selection":["x",7,"000-000-001"],"writing":"000-000-002","other":{"view":[1]}}"#)
    #expect(state.selection == [shapes[0]] && state.writing == shapes[1] && state.cursor == nil)
  }

  @Test("ink is read whole or not at all")
  func inkPieces() {
    #expect(ink()?.points == [Point(x: 1, y: 2)])
    let many = Array(repeating: "1,2", count: 121).joined(separator: ",")
    for wrong in [
      ink(width: "0"), ink(width: "1001"), ink(width: #""4""#), ink(at: "-1"), ink(at: "0.5"), ink(at: "200001"),
      ink(points: "1,2,3"), ink(points: "1,1e9"), ink(points: many),
    ] { #expect(wrong == nil) }
  }
}
