import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("How far shapes reach")
struct ReachesTests {
  @Test("a shape is found where its stroke or caption reaches, near or far, and finds no others")
  func found() {
    let ids = (1...4).map { Identifier(packed: $0)! }
    let (plain, wide, far, hidden) = (ids[0], ids[1], ids[2], ids[3])
    let boxes = [(plain, 0.0), (wide, 1_000), (far, 2_000)]
    let overlaps = OverlapIndex.shown(boxes.map { (identifier: $0.0, outline: Outline(.rectangle, $0.1, 0, 100, 100)) })
    var reaches = Reaches()
    func found(_ x: Double) -> [Identifier] { reaches.shapes(in: Rect(x, 0, 1, 1), of: overlaps) }
    for (shape, reach) in [(plain, 1.0), (wide, 60), (far, 50_000), (hidden, 50_000)] { reaches.note(shape, reach) }
    #expect(found(50) == [plain, far] && found(155) == [plain, far] && found(941) == [wide, far])
    #expect(found(500) == [far] && found(52_100) == [far] && found(52_101) == [])
    for y in [-50_002.0, 50_101] { #expect(reaches.shapes(in: Rect(2_050, y, 1, 1), of: overlaps) == []) }
    reaches.note(far, 2)
    #expect(found(500) == [] && found(2_050) == [far])
    reaches.note(far, 50_000)
    reaches.note(far, nil)
    #expect(found(500) == [] && found(941) == [wide])
    reaches.note(plain, 1_000)
    #expect(found(1_099).contains(plain))
  }
}
