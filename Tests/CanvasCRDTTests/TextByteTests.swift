import Testing

@testable import CanvasCRDT

@Suite("Bytes written and read")
struct TextByteTests {
  @Test("a written value is read back, and no byte remains")
  func roundTrip() throws {
    var writer = ByteWriter()
    writer.append(7)
    writer.append("canvas" as StaticString)
    writer.append("caf\u{E9}" as Text)
    writer.append([1, 2, 3] as [UInt8])
    writer.appendLittleEndian(0x0102_0304 as UInt32)
    writer.appendBigEndian(0x0102_0304_0506_0708 as UInt64)
    writer.appendVarint(300)
    writer.appendSignedVarint(-3)
    writer.append(upTo: 100) { room in
      room[0] = 9
      return 1
    }
    let expected: [UInt8] =
      [7] + Array("canvas".utf8) + [0x63, 0x61, 0x66, 0xC3, 0xA9] + [1, 2, 3, 4, 3, 2, 1]
      + [1, 2, 3, 4, 5, 6, 7, 8, 0xAC, 2, 5, 9]
    #expect(writer.bytes == expected)
    #expect(writer.count == expected.count)
    #expect(writer.withBytes { Array($0) } == expected)
    #expect(writer.finish() == expected)
    try expected.withUnsafeBytes { bytes throws in
      var reader = ByteReader(bytes)
      #expect(try reader.readByte() == 7)
      #expect(try reader.readBytes(14).count == 14)
      #expect(try reader.readLittleEndian(as: UInt32.self) == 0x0102_0304)
      #expect(try reader.readLittleEndian(as: UInt64.self) == 0x0807_0605_0403_0201)
      #expect(try reader.readVarint() == 300)
      #expect(BinaryNumber.unzigzag(try reader.readVarint()) == -3)
      #expect(reader.remaining == 1 && !reader.isAtEnd)
      #expect(try reader.readByte() == 9)
      #expect(reader.isAtEnd && reader.position == expected.count)
    }
  }

  @Test("a writer grows past its first capacity, and stays a value")
  func grows() {
    var writer = ByteWriter(capacity: 3)
    for byte in 0..<1_000 { writer.append(UInt8(truncatingIfNeeded: byte)) }
    let earlier = writer
    writer.append(9)
    #expect(writer.bytes == earlier.bytes + [9])
    #expect(earlier.bytes == (0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    #expect(ByteWriter().finish() == [])
  }

  @Test("a value is written whole, however little room is left for it")
  func room() {
    let values: [(String, (inout JSONWriter) -> Void)] = [
      ("[", { $0.beginArray() }), ("\"key\":", { $0.key("key") }), ("\"key\":", { $0.key(text: "key") }),
      ("\"word\"", { $0.value("word") }), ("\"text\"", { $0.value(text: "text") }),
      ("\"\\u0001\\u0002\\u0003\"", { $0.value(text: "\u{1}\u{2}\u{3}") }),
      ("-0.0000012345678901234567", { $0.value(-0.0000012345678901234567) }), ("\(Int.min)", { $0.value(Int.min) }),
      ("\(UInt64.max)", { $0.value(UInt64.max) }), ("false", { $0.value(false) }), ("{}", { $0.value(.emptyObject) }),
      ("\"#E4572E\"", { $0.value(Color(packed: 0xE4572E)) }), ("\"afy-kw5-t7o\"", { $0.value(WireSamples.shape) }),
      ("\"7.8.k3j-9x2-m1p\"", { $0.value(WireSamples.stamp(7, 8)) }),
    ]
    for (text, write) in values {
      for length in 0..<64 {
        var before = ByteWriter(capacity: 64)
        for _ in 0..<length { before.append(0x20) }
        var writer = JSONWriter(behind: before)
        write(&writer)
        #expect(String(decoding: writer.finish().dropFirst(length), as: UTF8.self) == text, "\(length) of 64 bytes")
        // And behind another value, with a comma.
        writer = JSONWriter(behind: before)
        writer.value(7)
        write(&writer)
        #expect(String(decoding: writer.finish().dropFirst(length), as: UTF8.self) == "7,\(text)", "\(length) of 64")
      }
    }
  }

  @Test("texts are equal and ordered by their bytes, and one comes before another that goes on")
  func order() {
    var random = SeededGenerator(seed: 8)
    let letters = ["a", "b", "é", "\u{FFFF}", "\u{10000}"]
    let texts = (0..<200).map { number in
      let word = (0..<number % 20).map { _ in letters.randomElement(using: &random)! }.joined()
      return String(repeating: "a", count: number % 11) + word
    }
    for one in texts {
      for other in texts {
        #expect((Text(one) < Text(other)) == one.utf8.lexicographicallyPrecedes(other.utf8))
        #expect((Text(one) == Text(other)) == one.utf8.elementsEqual(other.utf8))
      }
    }
  }

  @Test("a text contains each of its parts, and nothing else")
  func contains() {
    for part in ["", "M", "Moon", "on", "ö", "nö"] as [Text] { #expect(("Moonö" as Text).contains(part)) }
    for other in ["moon", "Moonöö", "Mon", "\u{B6}\u{B6}"] as [Text] { #expect(!("Moonö" as Text).contains(other)) }
  }

  @Test("varints of every length read back, and have their shortest form")
  func varints() throws {
    var generator = SeededGenerator(seed: 4)
    var values: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max, .max - 1, 1 << 63]
    values += (0..<5_000).map { _ in generator.next() >> (generator.next() % 64) }
    for value in values {
      var writer = ByteWriter()
      writer.appendVarint(value)
      writer.appendSignedVarint(Int64(bitPattern: value))
      let bits = UInt64.bitWidth - value.leadingZeroBitCount
      let length = max(1, (bits + 6) / 7)
      try writer.withBytes { bytes throws in
        var reader = ByteReader(bytes)
        #expect(try reader.readVarint() == value)
        #expect(reader.position == length)
        #expect(BinaryNumber.unzigzag(try reader.readVarint()) == Int64(bitPattern: value))
        #expect(reader.isAtEnd)
      }
    }
  }

  @Test(
    "a varint that is too long or has more than 64 bits is malformed, and one that is cut short is truncated",
    arguments: [
      ([0x80, 0x00], .malformedVarint), ([0xFF, 0x80, 0x00], .malformedVarint),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], .malformedVarint),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x00], .malformedVarint),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], .malformedVarint),
      ([], .truncated), ([0x80], .truncated), ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
    ] as [([UInt8], ByteReader.Failure)]
  )
  func malformedVarints(bytes: [UInt8], failure: ByteReader.Failure) {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      #expect(throws: failure) { try reader.readVarint() }
      #expect(reader.position == 0)
    }
  }

  @Test("counts from outside that pass the end, or are negative, fail as truncated")
  func countsFromOutside() throws {
    try ([0x02, 1, 2, 3] as [UInt8]).withUnsafeBytes { bytes throws in
      var reader = ByteReader(bytes)
      for count in [5, Int.max, -1, Int.min] {
        #expect(throws: ByteReader.Failure.truncated) { try reader.readBytes(count) }
      }
      #expect(throws: ByteReader.Failure.truncated) { try reader.readLittleEndian(as: UInt64.self) }
      #expect(Array(try reader.readCountedBytes()) == [1, 2])
      #expect(throws: ByteReader.Failure.truncated) { try reader.readCountedBytes() }
      #expect(throws: ByteReader.Failure.truncated) { try reader.readByte() }
    }
    var huge = ByteWriter()
    huge.appendVarint(.max)
    huge.withBytes { bytes in
      var reader = ByteReader(bytes)
      #expect(throws: ByteReader.Failure.truncated) { try reader.readCountedBytes() }
    }
  }
}
