import Testing

@testable import CanvasCRDT

@Suite("JSON messages")
struct JSONEncodingTests {
  @Test("every client message reads back as it was written, and is written as in its golden file")
  func clientMessages() throws {
    for (name, message) in WireSamples.clientMessages {
      let bytes = JSONEncoding.encode(message)
      #expect(try JSONEncoding.decodeClientMessage(bytes) == message, "\(name)")
      try GoldenFiles.expect(bytes, in: "json/\(name).json")
    }
  }

  @Test("every server message reads back as it was written, and is written as in its golden file")
  func serverMessages() throws {
    for (name, message) in WireSamples.serverMessages {
      let bytes = JSONEncoding.encode(message)
      #expect(try JSONEncoding.decodeServerMessage(bytes) == message, "\(name)")
      try GoldenFiles.expect(bytes, in: "json/\(name).json")
    }
  }

  @Test("a state is written as its operations")
  func state() throws {
    for (name, message) in WireSamples.stateMessages {
      guard case .operations(var delivery) = message, case .state(let part) = delivery.content else {
        Issue.record("\(name) is no state")
        continue
      }
      delivery.content = .operations(part.operations)
      let bytes = JSONEncoding.encode(message)
      #expect(bytes == JSONEncoding.encode(.operations(delivery)))
      #expect(try JSONEncoding.decodeServerMessage(bytes) == .operations(delivery))
      try GoldenFiles.expect(bytes, in: "json/\(name).json")
    }
  }

  @Test("random histories read back as they were written", arguments: 0..<40 as Range<UInt64>)
  func histories(seed: UInt64) throws {
    var history = RandomHistory(seed: seed, shapes: 9, actors: 20)
    let operations = history.operations(60)
    let delivery = ServerMessage.operations(Delivery(cursor: Cursor("c"), operations: operations))
    #expect(try JSONEncoding.decodeServerMessage(JSONEncoding.encode(delivery)) == delivery)
    let submission = ClientMessage.operations(
      Submission(id: MessageIdentifier(seed), operations: operations.map { ProposedOperation($0) })
    )
    #expect(try JSONEncoding.decodeClientMessage(JSONEncoding.encode(submission)) == submission)
  }

  @Test("J2: members may come in any order, with whitespace, escapes and unknown members")
  func order() throws {
    let text = """
       { "ops" : [ {"set":{"\\u0070osition":[ 50 , 44.0e0 ]}, "new":[{"ops":1}], "at":"1763650000123.0.k3j-9x2-m1p",
         "shape":"afy\\u002dkw5-t7o"} ], "later": {"type":"ping","id":[]}, "id" : 12 , "t\\u0079pe":"o\\u0070s" }\n
      """
    #expect(try JSONEncoding.decodeClientMessage(Array(text.utf8)) == WireSamples.clientMessages[2].message)
    #expect(
      try JSONEncoding.decodeServerMessage(Array(#"{"time":5,"id":"x","type":"pong","more":1}"#.utf8))
        == .pong(id: WireSamples.id("\"x\""), milliseconds: 5)
    )
    #expect(
      try JSONEncoding.decodeServerMessage(Array(#"{"type":"pong","time":1.5e3}"#.utf8))
        == .pong(id: nil, milliseconds: 1_500)
    )
  }

  @Test("the body of a request is read without a type")
  func submission() throws {
    let body =
      #"{"ops":[{"shape":"afy-kw5-t7o","set":{"kind":"ellipse"}},{"shape":"afy-kw5-t7o","set":{"deleted":true}}]}"#
    #expect(.operations(try JSONEncoding.decodeSubmission(Array(body.utf8))) == WireSamples.clientMessages[3].message)
    #expect(throws: MessageError.self) { try JSONEncoding.decodeSubmission(Array(body.utf8), operationsMax: 1) }
  }
}
