import Testing

@testable import CanvasCRDT

@Suite("Binary messages")
struct BinaryEncodingTests {
  @Test("every client message reads back as it was written, and is written as in its golden file")
  func clientMessages() throws {
    for (name, message) in WireSamples.clientMessages {
      let bytes = BinaryEncoding.encode(message)
      #expect(try BinaryEncoding.decodeClientMessage(bytes) == message, "\(name)")
      try GoldenFiles.expect(bytes, in: "binary/\(name).bin")
    }
  }

  @Test("every server message reads back as it was written, and is written as in its golden file")
  func serverMessages() throws {
    for (name, message) in WireSamples.serverMessages + WireSamples.stateMessages {
      let bytes = BinaryEncoding.encode(message)
      #expect(try BinaryEncoding.decodeServerMessage(bytes) == message, "\(name)")
      try GoldenFiles.expect(bytes, in: "binary/\(name).bin")
    }
  }

  @Test("random histories read back as they were written", arguments: 0..<40 as Range<UInt64>)
  func histories(seed: UInt64) throws {
    // The number of actors is stored in four bits of the first byte. In half of the histories, the number is too large
    // for four bits.
    var history = RandomHistory(seed: seed, shapes: 9, actors: seed % 2 == 0 ? 3 : 40)
    let operations = history.operations(80)
    let delivery = ServerMessage.operations(Delivery(cursor: Cursor("c"), operations: operations))
    #expect(try BinaryEncoding.decodeServerMessage(BinaryEncoding.encode(delivery)) == delivery)
    let submission = ClientMessage.operations(
      Submission(
        id: MessageIdentifier(seed),
        operations: operations.enumerated().map { index, operation in
          ProposedOperation(shape: operation.shape, at: index % 5 == 4 ? nil : operation.at, set: operation.set)
        }
      )
    )
    #expect(try BinaryEncoding.decodeClientMessage(BinaryEncoding.encode(submission)) == submission)
  }

  @Test("B2: an id has its shortest form", arguments: ["0", "7", "999999999999999"])
  func wholeIdentifiers(text: String) throws {
    let message = ClientMessage.ping(WireSamples.id(text))
    let bytes = BinaryEncoding.encode(message)
    #expect(bytes[1] == 1)
    #expect(try BinaryEncoding.decodeClientMessage(bytes) == message)
    // The id is refused as JSON text, because the binary form of this number is shorter.
    let longer = [bytes[0], 2, UInt8(text.utf8.count)] + Array(text.utf8)
    #expect(throws: MessageError.self) { try BinaryEncoding.decodeClientMessage(longer) }
  }

  @Test(
    "an id that is not a whole number of at most fifteen digits is passed on as it came",
    arguments: ["1000000000000000", "-1", "1.0", "1e3", "-0", "\"\"", "\"12\"", "\"\\u0041\""]
  )
  func otherIdentifiers(text: String) throws {
    let message = ClientMessage.ping(WireSamples.id(text))
    #expect(BinaryEncoding.encode(message)[1] == 2)
    #expect(try BinaryEncoding.decodeClientMessage(BinaryEncoding.encode(message)) == message)
  }

  @Test("an answer names the first operation or any other", arguments: WireEncoding.allCases)
  func places(encoding: WireEncoding) throws {
    for place in [nil, 0, 1, 300] {
      let superseded = place.map { Superseded(operation: $0, property: .z, by: WireSamples.stamp(1)) }
      for message: ServerMessage in [
        .rejection(Rejection(id: nil, operation: place, code: .tooOld, message: "")),
        .acknowledgement(Acknowledgement(id: nil, cursor: Cursor("c"), superseded: superseded.map { [$0] } ?? [])),
      ] {
        #expect(try decoded(message, encoding) == message)
      }
    }
  }

  private func decoded(_ message: ServerMessage, _ encoding: WireEncoding) throws -> ServerMessage {
    switch encoding {
    case .json: try JSONEncoding.decodeServerMessage(JSONEncoding.encode(message))
    case .binary: try BinaryEncoding.decodeServerMessage(BinaryEncoding.encode(message))
    }
  }

  @Test("W6, W7: the reasons to refuse have their numbers and names, and three of them pass")
  func reasons() {
    #expect(
      RejectCode.allCases.map { "\($0.wireName)" } == [
        "bad_message", "bad_shape", "bad_stamp", "bad_property", "bad_value", "clock_ahead", "too_old", "read_only",
        "room_full", "too_many_ops", "rate_limited", "unavailable", "quota_exceeded", "storage_low",
      ]
    )
    #expect(RejectCode.allCases.map(\.rawValue) == Array(0..<14))
    #expect(RejectCode.allCases.filter(\.isPassing) == [.rateLimited, .unavailable, .storageLow])
  }

  @Test("a frame is known as one for its receiver alone by its first byte; what isn't known may be one")
  func personal() {
    for (name, message) in WireSamples.serverMessages + WireSamples.stateMessages {
      let isForAll = ["ops", "presence", "join", "leave", "overlaps", "crowd"].contains("\(message.kind.wireName)")
      #expect(BinaryEncoding.encode(message).withUnsafeBytes { BinaryEncoding.isPersonal($0) } == !isForAll, "\(name)")
    }
    for bytes in [[], [0]] as [[UInt8]] {
      #expect(bytes.withUnsafeBytes { BinaryEncoding.isPersonal($0) })
    }
  }

  // MARK: - Each message has one encoding

  private var encodedClients: [[UInt8]] { WireSamples.clientMessages.map { BinaryEncoding.encode($0.message) } }
  private var encodedServers: [[UInt8]] {
    (WireSamples.serverMessages + WireSamples.stateMessages).map { BinaryEncoding.encode($0.message) }
  }

  /// Checks that the bytes are either refused or the only encoding of their message. Returns whether they were
  /// accepted.
  private func expectCanonical(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    var taken = false
    if let message = try? BinaryEncoding.decodeClientMessage(bytes) {
      if BinaryEncoding.encode(message) != bytes { Issue.record("\(bytes)", sourceLocation: sourceLocation) }
      taken = true
    }
    if let message = try? BinaryEncoding.decodeServerMessage(bytes) {
      if BinaryEncoding.encode(message) != bytes { Issue.record("\(bytes)", sourceLocation: sourceLocation) }
      taken = true
    }
    return taken
  }

  @Test("B1, B2: a message with any bit flipped, or cut to any length, is refused or canonical")
  func flipsAndCuts() {
    let hello = BinaryEncoding.encode(.hello(WireSamples.knowingHello))
    #expect(hello.withUnsafeBytes { try? BinaryEncoding.decodeHello($0) } == WireSamples.knowingHello)
    #expect((hello + [0]).withUnsafeBytes { try? BinaryEncoding.decodeHello($0) } == nil)
    for bytes in encodedClients + encodedServers {
      // The last byte of a hello, its vocabulary, may be left out.
      for length in bytes.indices.dropLast(bytes == hello ? 1 : 0) {
        let cut = Array(bytes[..<length])
        if expectCanonical(cut) { Issue.record("\(length) of \(bytes.count) bytes were let through") }
      }
      for bit in 0..<(bytes.count * 8) {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        _ = expectCanonical(changed)
      }
      #expect((try? BinaryEncoding.decodeClientMessage(bytes + [0])) == nil)
      #expect((try? BinaryEncoding.decodeServerMessage(bytes + [0])) == nil)
    }
  }

  // MARK: - Refusals

  private func failure(_ bytes: [UInt8], operationsMax: UInt64 = UInt64.max) -> MessageError? {
    do throws(MessageError) {
      _ = try BinaryEncoding.decodeClientMessage(bytes, operationsMax: operationsMax)
      return nil
    } catch { return error }
  }

  private static let shape: [UInt8] = [0x10, 0xAA, 0xE6, 0x36, 0xE7, 0xA4]

  @Test("B4: operations are refused with their code, their index and the message's id")
  func operations() {
    let good: [UInt8] = [0x03] + BinaryEncodingTests.shape + [0x10, 0x05]
    let cases: [([UInt8], RejectCode)] = [
      ([0x02, 0x00, 0x00], .badMessage), ([0x02, 0x80, 0x80, 0x80, 0x80, 0x02], .badProperty),
      ([0x02, 0x10, 0x0B], .badValue), ([0x02, 0x10, 0x00], .badValue), ([0x02, 0x20, 0x02], .badValue),
      ([0x02, 0x80, 0x01, 0x08], .badValue),
      ([0x02, 0x80, 0x04, 0x01, 0x30], .badValue), ([0x02, 0x80, 0x02, 0x01, 0x07], .badValue),
      ([0x03, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .badShape),
    ]
    for (second, code) in cases {
      let rejection = failure([0x02, 0x01, 0x0C, 0x00, 0x02] + good + second)?.rejection
      #expect(rejection?.code == code, "\(second)")
      #expect(rejection?.operation == 1, "\(second)")
      #expect(rejection?.id == MessageIdentifier(12))
    }
    #expect(failure([0x02, 0x01, 0x0C, 0x00, 0x02] + good + [0x02, 0x10, 0x0A]) == nil)
  }

  @Test("B4: a vocabulary that has no number here, or is never written, is a bad field of hello", arguments: [0, 1])
  func vocabulary(number: UInt8) {
    guard case .badHello = failure([0x01, 0x00, number]) else {
      Issue.record("\(String(describing: failure([0x01, 0x00, number])))")
      return
    }
  }

  @Test("B4, W6: operations with an id that can't be read are refused without one")
  func unreadableIdentifier() {
    let operations: [UInt8] = [0x00, 0x01, 0x03] + BinaryEncodingTests.shape + [0x10, 0x05]
    let fifteenDigits: [UInt8] = [0x01, 0x80, 0x80, 0x9A, 0xA6, 0xEA, 0xAF, 0xE3, 0x01]
    for id in [[0x02, 0x02, 0x7B, 0x7D], [0x02, 0x01, 0x37], fifteenDigits, [0x03]] as [[UInt8]] {
      let rejection = failure([0x02] + id + operations)?.rejection
      #expect(rejection?.code == .badMessage && rejection?.id == nil, "\(id)")
    }
  }

  @Test("no operations, and too many, are refused with the message's id")
  func counts() {
    let good: [UInt8] = [0x03] + BinaryEncodingTests.shape + [0x10, 0x05]
    let empty = failure([0x02, 0x01, 0x0C, 0x00, 0x00])?.rejection
    #expect(empty?.code == .badMessage && empty?.operation == nil && empty?.id == MessageIdentifier(12))
    let two = failure([0x02, 0x01, 0x0C, 0x00, 0x02] + good + [0x02, 0x10, 0x05], operationsMax: 1)?.rejection
    #expect(two?.code == .tooManyOperations && two?.operation == nil && two?.id == MessageIdentifier(12))
    #expect(failure([0x02, 0x01, 0x0C, 0x00, 0x01] + good, operationsMax: 1) == nil)
  }

  @Test("stamps out of range, unlisted actors and malformed numbers are refused")
  func stamps() {
    let actor: [UInt8] = [0x33, 0x75, 0x0E, 0xAC, 0xDA, 0x49]
    let list: [UInt8] = [0x02, 0x00, 0x01] + actor + [0x01]
    func operation(_ head: UInt8, _ stamp: [UInt8], _ rest: [UInt8] = [0x10, 0x05]) -> MessageError? {
      failure(list + [head] + BinaryEncodingTests.shape + stamp + rest)
    }
    #expect(operation(0x01, [0x02]) == nil)
    for (head, stamp) in [
      (0x01, [0x01]), (0x01, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), (0x09, [0, 0]),
      (0x09, [0, 0x80, 0x80, 0x04]),
    ] as [(UInt8, [UInt8])] {
      let rejection = operation(head, stamp)?.rejection
      #expect(rejection?.code == .badStamp && rejection?.operation == 0, "\(stamp)")
    }
    for (head, stamp) in [(0x11, [0x02]), (0x05, []), (0x07, []), (0x21, [0x02])] as [(UInt8, [UInt8])] {
      #expect(operation(head, stamp)?.kind == "malformed", "\(head)")
    }
    // The place of this tie is outside of the box: its first coordinate is 65536, and the greatest allowed one is
    // 65535. Bit 25 of the mask is the property `to`.
    let tie: [UInt8] = [0x80, 0x80, 0x80, 0x10] + BinaryEncodingTests.shape + [0x80, 0x80, 0x04, 0x00]
    let rejection = operation(0x01, [0x02], tie)?.rejection
    #expect(rejection?.code == .badValue && rejection?.operation == 0)
    let infinity: [UInt8] = [0x04, 0x03, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
    #expect(operation(0x01, [0x02], infinity) != nil)
    let minusZero: [UInt8] = [0x04, 0x03, 0, 0, 0, 0, 0, 0, 0, 0x80]
    #expect(operation(0x01, [0x02], minusZero) != nil)
  }

  @Test("B4: an actor that is not an identifier is a bad field of hello")
  func helloActor() {
    #expect(failure([0x01, 0x04, 0x5C, 0x5E, 0x45, 0x23, 0xFF, 0xFF]) == nil)
    for beyond in [[0x5C, 0x5E, 0x45, 0x24, 0, 0], [UInt8](repeating: 0xFF, count: 6)] as [[UInt8]] {
      #expect(failure([0x01, 0x04] + beyond)?.kind == "badHello", "\(beyond)")
    }
  }

  @Test("B4: a hello's name has to follow the rule for names")
  func helloName() {
    #expect(failure([0x01, 0x01, 0x01, 0x41]) == nil)
    for name in [[], [0x07], [UInt8](repeating: 0x41, count: 129)] as [[UInt8]] {
      let count: [UInt8] = name.count < 128 ? [UInt8(name.count)] : [UInt8(name.count & 0x7F) | 0x80, 1]
      #expect(failure([0x01, 0x01] + count + name)?.kind == "badHello", "\(name)")
    }
  }

  @Test("B4: a hello's key has at most 128 bytes, and isn't missing where it is said to come")
  func helloKey() {
    let longest = [UInt8](repeating: 0x41, count: 128)
    #expect(failure([0x01, 0x40, 0x80, 0x01] + longest) == nil && failure([0x01, 0x40, 0x00]) == nil)
    #expect(failure([0x01, 0x40, 0x81, 0x01] + longest + [0x41])?.kind == "badHello")
    #expect(failure([0x01, 0x40])?.kind == "badHello")
  }

  @Test("B4: of two shapes that overlap the smaller identifier comes first, and no shape overlaps itself")
  func pairs() {
    let (one, other) = ([0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2]) as ([UInt8], [UInt8])
    for (pair, isTaken) in [(one + other, true), (other + one, false), (one + one, false)] {
      let message = try? BinaryEncoding.decodeServerMessage([0x49, 0x00, 0x01] + pair + [0x00])
      #expect((message != nil) == isTaken, "\(pair)")
    }
  }

  @Test("B3: a count that the bytes after it can't hold is refused before anything is allocated")
  func claims() {
    let many: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
    let beginnings: [[UInt8]] = [
      [0x02, 0x00], [0x02, 0x00, 0x00], [0x42, 0x00, 0x00], [0x43, 0x00, 0x00, 0x01], [0x43, 0x00, 0x00, 0x01, 0x00],
      [0x43, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00], [0x44, 0x00, 0x00], [0x46], [0x49, 0x00], [0x49, 0x00, 0x00], [0x03],
    ]
    for beginning in beginnings {
      let bytes = beginning + many + [0, 0, 0, 0]
      #expect((try? BinaryEncoding.decodeClientMessage(bytes)) == nil)
      #expect((try? BinaryEncoding.decodeServerMessage(bytes)) == nil)
    }
  }

  @Test("B4, B5: an unknown kind of message is of unknown type, and so is a kind of the other side")
  func unknownKinds() {
    let known = Set(encodedClients.map { $0[0] } + [BinaryEncoding.earlierHello])
    for kind in UInt8.min...UInt8.max where !known.contains(kind) {
      #expect(failure([kind])?.kind == "unknownType", "\(kind)")
    }
  }

  @Test("B2: a number that a shorter form holds is refused", arguments: [(200, 1), (20_000, 2), (2_500, 2)])
  func longNumbers(integer: Int64, form: UInt64) {
    var writer = ByteWriter(capacity: 16)
    writer.appendVarint(BinaryNumber.zigzag(integer) << 2 | form)
    let number = writer.finish().withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try? BinaryNumber.read(from: &reader)
    }
    #expect(number == nil)
  }
}
