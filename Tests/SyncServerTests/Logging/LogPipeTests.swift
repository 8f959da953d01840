import Testing

@testable import SyncServer

@Suite("The server's own log") struct LogPipeTests {
  @Test("A line after one that was cut begins on a new line", arguments: 0...10)
  func cut(space: Int) {
    var pipe = LogPipe()
    var written: [UInt8] = []
    var left = space
    func put(_ bytes: UnsafeRawBufferPointer) -> Int {
      // A disk writes the part of a line that fits, and then nothing.
      let count = min(bytes.count, left)
      written += bytes.prefix(count)
      left -= count
      return count
    }
    var areWhole = [pipe.write("one", put: put), pipe.write("three", put: put)]
    #expect(areWhole == [space >= 4, space == 10])
    left = .max
    areWhole = [pipe.write("four", put: put), pipe.write("five", put: put)]
    #expect(areWhole == [true, true])
    let lines = written.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.suffix(2) == ["four", "five"], "\(lines)")
  }
}
