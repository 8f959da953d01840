import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("Refusals of a full room")
struct FullRoomTests {
  @Test("a shape refused for the length of its text takes no others with it that fit")
  func textOfFullRoom() {
    var (room, ann) = TestRoom.withAnn { $0.textBytes = 1_000 }
    let long = Text(String(repeating: "a", count: 1_200))
    room.run(ann) { replica, now in
      var edits: [ShapeEdit] = []
      for number in 1...22 as ClosedRange<UInt64> {
        var set = Properties()
        set.kind = number == 2 ? .text : .rectangle
        if number == 2 || number == 22 { set.text = long }
        if number == 21 { set.text = "short" }
        edits.append(ShapeEdit(shape: Identifier(packed: number)!, set: set))
      }
      return replica.edit(edits, at: now)
    }
    room.settle()
    #expect(Set(room.hosts[ann].rejected.map(\.operation.shape.packed)) == [2, 22])
    #expect(room.canvas.liveCount == 20)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }
}
