import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Paths")
struct PathTests {
  private func read(_ bytes: [UInt8]) -> Path? { bytes.withUnsafeBytes { Path($0) } }

  @Test("a path reads as it was written", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let hasWidths = Bool.random(using: &random)
    let points = (0..<Int.random(in: Path.counts, using: &random)).map { _ in
      Path.Point(
        BoxPlace(x: .random(in: 0 ... .max, using: &random), y: .random(in: 0 ... .max, using: &random)),
        width: hasWidths ? .random(in: Path.widths, using: &random) : 100
      )
    }
    let path = Path(points)
    #expect(path?.points == points)
    #expect(path.flatMap { read($0.bytes) } == path)
    #expect((path?.bytes.count ?? 0) <= Path.bytesMax)
  }

  @Test("the longest path has as many bytes as a path may have")
  func longest() {
    let points = (0..<1_024).map { index in
      Path.Point(index % 2 == 0 ? BoxPlace(x: 0, y: .max) : BoxPlace(x: .max, y: 0), width: 1)
    }
    // The first horizontal step is 0, so it takes one byte. A long step takes three bytes, so the path is two bytes
    // shorter than the limit.
    #expect(Path(points)?.bytes.count == Path.bytesMax - 2)
  }

  @Test(
    "bytes that are no path, or not in the shortest form, are refused",
    arguments: [
      [0], [0, 0, 0], [2, 0, 0, 2, 2], [1, 0, 0, 100, 2, 2, 100], [1, 0, 0, 0, 2, 2, 50], [1, 0, 0, 201, 2, 2, 50],
      [0, 1, 0, 2, 2], [0, 0, 0, 2], [0, 0x80, 0, 0, 2, 2], [0, 0xFE, 0xFF, 0x07, 0, 2, 0],
      [0, 0xFF, 0xFF, 0xFF, 0, 2, 2],
      [1, 0, 0, 50, 2, 2],
    ] as [[UInt8]]
  )
  func refused(bytes: [UInt8]) { #expect(read(bytes) == nil) }

  @Test("too few points, too many, and widths out of range make no path")
  func bounds() {
    let point = Path.Point(BoxPlace(x: 0, y: 0))
    #expect(Path([point]) == nil)
    #expect(Path([Path.Point](repeating: point, count: 1_025)) == nil)
    #expect(Path([point, Path.Point(BoxPlace(x: 0, y: 0), width: 0)]) == nil)
    #expect(Path([point, Path.Point(BoxPlace(x: 0, y: 0), width: 201)]) == nil)
    #expect(read([]) == Path.none)
  }
}
