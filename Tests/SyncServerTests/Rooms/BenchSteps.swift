import CanvasCRDT

@testable import ServerModel

// Actions and checks that several suites share.

extension RoomBench {
  /// Makes or moves a square, ten units wide.
  mutating func put(_ writer: Int, _ number: UInt64, x: Double) {
    write(writer, shape(number)) {
      $0.kind = .rectangle
      $0.position = Point(x: x, y: 0)
      $0.size = Size(width: 10, height: 10)
    }
  }

  /// Makes or moves several shapes again and again. After each time, the room's work that follows is carried out.
  mutating func drag(_ writer: Int, _ numbers: ClosedRange<UInt64>, times: Int) {
    for time in 0..<times {
      for number in numbers {
        write(writer, shape(number)) {
          $0.kind = .rectangle
          $0.position = Point(x: Double(time), y: Double(number) * 1_000)
        }
      }
      settle()
    }
  }

  /// The overlap notices that a client was sent.
  func notices(_ client: Int) -> [OverlapNotice] {
    clients[client].messages.compactMap { if case .overlaps(let notice) = $0 { notice } else { nil } }
  }
}
