import Testing

@testable import CanvasCRDT

@Suite("JSON checked and read")
struct JSONTests {
  private func failure(_ text: String, quotes: JSONQuotes = .double) -> JSONFailure? {
    failure(Array(text.utf8), quotes: quotes)
  }

  private func failure(_ bytes: [UInt8], quotes: JSONQuotes = .double) -> JSONFailure? {
    bytes.withUnsafeBytes { bytes in
      do throws(JSONFailure) {
        try JSONScanner.validate(bytes, quotes: quotes)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test(
    "J1: everything that RFC 8259 allows is accepted",
    arguments: [
      "{}", "[]", " \t\r\n{ } ", "0", "-0", "-0.5e+10", "\"\"", "true", "false", "null", "[1,2,[3,{}],{\"a\":[]}]",
      "{\"a\":1,\"a\":2,\"\":null}", " [ 1 , \"a b\" ] ", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"",
      "\"\u{7F}\u{E9}\u{2028}\u{1F600}'\"", "1e999", "\"long enough for eight at a time, \\n twice\"",
    ]
  )
  func allowed(text: String) {
    #expect(failure(text) == nil)
  }

  @Test(
    "J1: anything else is refused, with the reason and the place",
    arguments: [
      ("", .endOfText, 0), ("  ", .endOfText, 2), ("{", .endOfText, 1), ("[1", .endOfText, 2), ("[1,", .endOfText, 3),
      ("{\"a\"", .endOfText, 4), ("{\"a\":", .endOfText, 5), ("\"abc", .endOfText, 4), ("\"\\", .endOfText, 2),
      ("tru", .endOfText, 3), ("truE", .unexpectedByte, 3), ("nul1", .unexpectedByte, 3), ("[1,]", .unexpectedByte, 3),
      ("{\"a\":1,}", .unexpectedByte, 7), ("{a:1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5),
      ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2), ("{\"a\":1]", .unexpectedByte, 6),
      ("{1:2}", .unexpectedByte, 1), ("[,1]", .unexpectedByte, 1), ("'a'", .unexpectedByte, 0),
      ("]", .unexpectedByte, 0),
      ("\u{FEFF}{}", .unexpectedByte, 0), ("[1]//", .trailingBytes, 3), ("{} {}", .trailingBytes, 3),
      ("truetrue", .trailingBytes, 4), ("1 2", .trailingBytes, 2), ("01", .malformedNumber, 1),
      ("-", .malformedNumber, 1),
      ("[1.]", .malformedNumber, 3), ("[1e]", .malformedNumber, 3), ("+1", .unexpectedByte, 0),
      (".5", .unexpectedByte, 0),
      ("\"a\nb\"", .controlCharacter, 2), ("\"12345678\u{0}\"", .controlCharacter, 9), ("\"\\x\"", .malformedEscape, 1),
      ("\"\\u12G4\"", .malformedEscape, 1), ("\"\\u123", .malformedEscape, 1), ("\"\\'\"", .malformedEscape, 1),
      ("\"\\uD800\"", .loneSurrogate, 1), ("\"\\uDC00\"", .loneSurrogate, 1), ("\"\\uD800\\n\"", .loneSurrogate, 1),
      ("\"\\uD800\\uD800\"", .loneSurrogate, 1), ("\u{A0}1", .unexpectedByte, 0), ("[1\u{0C}]", .unexpectedByte, 2),
    ] as [(String, JSONFailure.Reason, Int)]
  )
  func refused(text: String, reason: JSONFailure.Reason, offset: Int) {
    #expect(failure(text) == JSONFailure(reason, at: offset))
  }

  @Test(
    "A caller that asks for the next element or member without having read this one is told so, and doesn't ask for ever",
    arguments: ["[\"a\",1]", "[[1],2]", "[{}]", "[null,null]", "{\"a\":\"b\"}", "{\"a\":[1],\"b\":2}", "{\"a\":1}"]
  )
  func unread(text: String) throws {
    Array(text.utf8).withUnsafeBytes { bytes in
      _ = #expect(throws: JSONFailure.self) {
        var reader = try JSONReader(validating: bytes)
        let isArray = reader.kind == .array
        if isArray { try reader.beginArray() } else { try reader.beginObject() }
        // No text in this test has ten elements. A reader that returns ten would be stuck at one element.
        for _ in 0..<10 {
          if isArray { _ = try reader.nextElement() } else { _ = try reader.nextKey() }
        }
      }
    }
  }

  @Test("control characters are refused and escapes are read anywhere in a string")
  func everyPlace() throws {
    for place in 0..<20 {
      for control in 0..<UInt8(0x20) {
        var bytes = [UInt8](repeating: 0x61, count: 20)
        bytes[place] = control
        #expect(failure([0x22] + bytes + [0x22]) == JSONFailure(.controlCharacter, at: place + 1))
      }
      let before = String(repeating: "a", count: place)
      let after = String(repeating: "b", count: 20 - place)
      for (written, read) in [
        ("\\n", "\n"), ("\\\"", "\""), ("\\\\", "\\"), ("\\u0041", "A"), ("\u{E9}", "\u{E9}"), ("\u{7F}", "\u{7F}"),
      ] {
        try Array("\"\(before)\(written)\(after)\"".utf8).withUnsafeBytes { bytes throws in
          var reader = try JSONReader(validating: bytes)
          #expect(try reader.readString().text == Text(before + read + after))
          #expect(reader.kind == nil)
        }
      }
    }
  }

  @Test("J1: malformed UTF-8 in a string is refused, with or without a quote nearby")
  func malformedUTF8() {
    let quote = UInt8(ascii: "\"")
    for sequence in [[0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      #expect(failure([quote] + sequence + [quote]) == JSONFailure(.malformedUTF8, at: 1))
      #expect(failure([quote] + sequence) == JSONFailure(.malformedUTF8, at: 1))
    }
  }

  @Test("J1: nesting is bounded, objects and arrays mixed, and each bracket must match its own")
  func nesting() {
    func nested(_ depth: Int, broken: Bool = false) -> String {
      let isObject = { (level: Int) in (level * level) % 3 == 1 }
      let opening = (0..<depth).map { isObject($0) ? "{\"k\":" : "[" }.joined()
      var closing = (0..<depth).reversed().map { isObject($0) ? "}" : "]" }
      if broken { closing[depth - 1] = closing[depth - 1] == "]" ? "}" : "]" }
      return opening + "1" + closing.joined()
    }
    #expect(failure(nested(128)) == nil)
    #expect(failure(nested(129))?.reason == .tooDeep)
    #expect(failure(nested(128, broken: true))?.reason == .unexpectedByte)
    #expect(failure(String(repeating: "[", count: 1_000_000))?.reason == .tooDeep)
  }

  @Test("single quotes are accepted if allowed, and the other kind stands for itself")
  func singleQuotes() throws {
    let layout = "{'squares': [{ 'x': 120, \"colour\": '#FF0000', 'note': 'say \"it\\'s\"', \"d\": \"it's\"}]}"
    #expect(failure(layout, quotes: .doubleOrSingle) == nil)
    #expect(failure(layout)?.reason == .unexpectedByte)
    #expect(failure("'a\"", quotes: .doubleOrSingle)?.reason == .endOfText)
    try Array(layout.utf8).withUnsafeBytes { bytes throws in
      var reader = try JSONReader(validating: bytes, quotes: .doubleOrSingle)
      try reader.beginObject()
      #expect(try reader.nextKey()?.text == "squares")
      try reader.beginArray()
      #expect(try reader.nextElement())
      try reader.beginObject()
      var members: [Text] = []
      while let key = try reader.nextKey() {
        members.append(key.text)
        if reader.kind == .string { members.append(try reader.readString().text) } else { try reader.skipValue() }
      }
      #expect(members == ["x", "colour", "#FF0000", "note", "say \"it's\"", "d", "it's"])
    }
  }

  @Test("asking for a kind of value that isn't there fails, and the reader stays where it was")
  func otherKinds() throws {
    try Array("[1,\"a\",true,null,{},[]]".utf8).withUnsafeBytes { bytes throws in
      var reader = try JSONReader(validating: bytes)
      try reader.beginArray()
      while try reader.nextElement() {
        let offset = reader.offset
        let kind = reader.kind
        let wrong = JSONFailure(.unexpectedKind, at: offset)
        if kind != .number { #expect(throws: wrong) { try reader.readNumber() } }
        if kind != .string { #expect(throws: wrong) { try reader.readString() } }
        if kind != .boolean { #expect(throws: wrong) { try reader.readBoolean() } }
        if kind != .null { #expect(throws: wrong) { try reader.readNull() } }
        if kind != .object { #expect(throws: wrong) { try reader.beginObject() } }
        if kind != .array { #expect(throws: wrong) { try reader.beginArray() } }
        #expect(reader.offset == offset)
        try reader.skipValue()
        // The value is already skipped. The reader must move to the next element before it can skip another.
        #expect(throws: JSONFailure(.unexpectedKind, at: reader.offset)) { try reader.skipValue() }
      }
      #expect(throws: JSONFailure.self) { try reader.skipValue() }
      #expect(throws: JSONFailure.self) { try reader.readNumber() }
      #expect(throws: JSONFailure.self) { try reader.nextKey() }
      #expect(throws: JSONFailure.self) { try reader.nextElement() }
    }
  }
}

@Suite("JSON written")
struct JSONWriterTests {
  @Test("commas stand between values and nowhere else")
  func commas() throws {
    var before = ByteWriter()
    before.append(0x21)
    var writer = JSONWriter(behind: before)
    writer.beginArray()
    writer.beginArray()
    writer.endArray()
    writer.beginObject()
    writer.key(text: "a")
    writer.value("x")
    writer.key("b")
    writer.null()
    writer.endObject()
    writer.value(false)
    writer.value(-7)
    writer.value(Int.min)
    writer.value(UInt64.max)
    writer.value(JSONText(" { \"k\" : [ 1 ] } "))
    writer.value(44.5)
    writer.endArray()
    let text = "![[],{\"a\":\"x\",\"b\":null},false,-7,\(Int.min),18446744073709551615,{\"k\":[1]},44.5]"
    #expect(writer.count == text.utf8.count)
    #expect(String(decoding: writer.finish(), as: UTF8.self) == text)
  }

  @Test("J5: texts are escaped where they must be, and read back as they were")
  func strings() throws {
    var generator = SeededGenerator(seed: 9)
    var texts: [Text] = [
      "", "plain", "\"\\/\u{8}\u{9}\u{A}\u{C}\u{D}", "\u{0}\u{1F}\u{7F}", "\u{2028}\u{E9}\u{1F600}'",
    ]
    texts += (0..<2_000).map { _ in
      var string = ""
      for _ in 0..<Int.random(in: 0...24, using: &generator) {
        string.unicodeScalars.append(Unicode.Scalar(UInt8(generator.next() % 140)))
      }
      return Text(string)
    }
    for text in texts {
      var writer = JSONWriter()
      writer.beginObject()
      writer.key(text: text)
      writer.value(text: text)
      writer.endObject()
      let bytes = writer.finish()
      try bytes.withUnsafeBytes { bytes throws in
        var reader = try JSONReader(validating: bytes)
        try reader.beginObject()
        #expect(try reader.nextKey()?.text == text)
        #expect(try reader.readString().text == text)
      }
    }
    var writer = JSONWriter()
    writer.value(text: texts[2])
    writer.value(text: texts[3])
    #expect(String(decoding: writer.finish(), as: UTF8.self) == "\"\\\"\\\\/\\b\\t\\n\\f\\r\",\"\\u0000\\u001f\u{7F}\"")
  }
}

@Suite("JSON passed on unread")
struct JSONTextTests {
  private func made(_ text: String, maximumBytes: Int = 4_096, quotes: JSONQuotes = .double) throws -> JSONText {
    try Array(text.utf8).withUnsafeBytes { bytes throws in
      var reader = try JSONReader(validating: bytes, quotes: quotes)
      return try JSONText(reading: &reader, maximumBytes: maximumBytes)
    }
  }

  @Test("whitespace between parts is removed, within strings it stays")
  func compact() throws {
    let json = try made(" { \"a b\" :\t[ 1 , \"x \\\" y\" ]\r\n} ")
    #expect(json.bytes == Array("{\"a b\":[1,\"x \\\" y\"]}".utf8))
    #expect(json.kind == .object)
    #expect(try made("{}") == JSONText.emptyObject)
    #expect(try made("[]").kind == .array)
    #expect(try made("\"\"").kind == .string)
    #expect(try made("-1").kind == .number)
    #expect(try made("false").kind == .boolean)
    #expect(try made("null").kind == .null)
  }

  @Test("a value that is too long, too deep or not JSON is refused")
  func bounds() throws {
    #expect(try made("[1, 2]", maximumBytes: 5).bytes.count == 5)
    #expect(throws: JSONFailure(.tooLong, at: 5)) { try made("[1, 2]", maximumBytes: 4) }
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(try made(nested(64)).bytes.count == 128)
    #expect(throws: JSONFailure(.tooDeep, at: 64)) { try made(nested(65)) }
    #expect(throws: JSONFailure(.unexpectedByte, at: 1)) { try made("['a']", quotes: .doubleOrSingle) }
    #expect(throws: JSONFailure(.trailingBytes, at: 3)) {
      try Array("{} 1".utf8).withUnsafeBytes { bytes throws in try JSONText(validating: bytes, maximumBytes: 9) }
    }
  }
}
