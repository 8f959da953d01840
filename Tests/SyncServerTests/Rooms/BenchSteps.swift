import CanvasCRDT

@testable import ServerModel

// Actions and checks that several suites share.

extension RoomBench {
  /// Makes a square of ten units, or moves it.
  mutating func put(_ writer: Int, _ number: UInt64, x: Double) {
    write(writer, shape(number)) {
      $0.kind = .rectangle
      $0.position = Point(x: x, y: 0)
      $0.size = Size(width: 10, height: 10)
    }
  }

  /// Moves several shapes `times` times, and lets the room finish its work each time. Shapes that don't exist are made
  /// first.
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

  /// The overlap notices that a client received.
  func notices(_ client: Int) -> [OverlapNotice] {
    clients[client].messages.compactMap { if case .overlaps(let notice) = $0 { notice } else { nil } }
  }
}
