import Basics
import Testing

@Suite("Checksums and marks of bytes") struct ChecksumTests {
  @Test("the checksum is FNV-1a with 64 bits, with the values that its authors give; stored rows have them")
  func checksum() {
    for (text, value) in [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)] {
      #expect(Checksum(of: Array(text.utf8)).value == value, "\(text)")
    }
    // Parts give what the whole gives, as bytes, as text and as the eight bytes of a number, the lowest first.
    var parts = Checksum(of: [1, 2])
    parts.add("aé")
    parts = Checksum(after: parts.value)
    parts.add(0x0102_0304_0506_0708)
    #expect(parts.value == Checksum(of: [1, 2, 0x61, 0xC3, 0xA9, 8, 7, 6, 5, 4, 3, 2, 1]).value)
  }

  @Test("a byte order mark is left out at the beginning, once, and only if it is whole")
  func byteOrderMark() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (bytes, rest) in [
      (mark, []), (mark + [1], [1]), (mark + mark, mark), ([1] + mark, [1] + mark), ([0xEF, 0xBB], [0xEF, 0xBB]),
      ([], []),
    ] as [([UInt8], [UInt8])] {
      #expect(bytes.withoutByteOrderMark == rest)
    }
  }

  @Test("a count that comes to nothing isn't kept")
  func countDown() {
    var counts = ["a": 3, "b": 1]
    let steps: [[String: Int]] = ["a", "b", "c", "a", "a"].map { key in
      counts.countDown(key)
      return counts
    }
    #expect(steps == [["a": 2, "b": 1], ["a": 2], ["a": 2], ["a": 1], [:]])
  }
}
