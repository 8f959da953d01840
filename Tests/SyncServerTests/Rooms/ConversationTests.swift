import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Which message is allowed when")
struct RoomsSessionTests {
  private func conversation(_ encoding: WireEncoding = .json, roleMax: Role = .editor, _ limits: Limits = Limits())
    -> Talk
  {
    Talk(encoding, roleMax: roleMax, limits: limits, now: time(0))
  }

  private func time(_ milliseconds: UInt64) -> Moment {
    Moment(wallMilliseconds: 1_763_650_000_000 + milliseconds, monotonicMilliseconds: milliseconds)
  }

  private func say(_ text: String, _ conversation: inout Talk, isText: Bool = true, at milliseconds: UInt64 = 1)
    -> Heard
  {
    Array(text.utf8).withUnsafeBytes { conversation.received($0, isText: isText, now: time(milliseconds)) }
  }

  private func code(_ action: Heard) -> CloseCode? {
    if case .close(let code, _) = action { code } else { nil }
  }

  /// A conversation after its hello.
  private func joined(roleMax: Role = .editor, _ change: (inout Limits) -> Void = { _ in }) -> Talk {
    var limits = Limits()
    change(&limits)
    var conversation = conversation(roleMax: roleMax, limits)
    _ = say(#"{"type":"hello"}"#, &conversation)
    return conversation
  }

  @Test(
    "closing: a message before hello, a second hello, a bad field",
    arguments: [
      #"{"type":"ping"}"#, #"{"type":"digest"}"#, #"{"type":"dance"}"#, #"{"type":"ops","ops":[]}"#,
      #"{"type":"hello","name":7}"#, #"{"type":"hello","actor":"me"}"#, #"{"type":"hello","since":7}"#,
      #"{"type":"hello","overlaps":1}"#, #"{"type":"hello","name":""}"#,
    ]
  )
  func beforeHello(text: String) {
    var conversation = conversation()
    #expect(code(say(text, &conversation)) == .badHello)
  }

  @Test("closing: a second hello", arguments: [#"{"type":"hello"}"#, #"{"type":"hello","name":7}"#])
  func secondHello(text: String) {
    var conversation = joined()
    #expect(code(say(text, &conversation)) == .badHello)
  }

  @Test("R8: a bad field after hello is answered, and the connection goes on")
  func badFields() {
    var conversation = joined()
    for text in [#"{"type":"presence"}"#, #"{"type":"ping","id":[]}"#] {
      #expect(say(text, &conversation).error == "bad_field")
    }
    #expect(say(#"{"type":"digest"}"#, &conversation) == .session(.digest))
  }

  @Test("closing: a frame of the wrong type, and what is no message at all")
  func malformed() {
    for (bytes, isText, encoding, wanted) in [
      ("{}", false, WireEncoding.json, CloseCode.wrongFrameType), ("x", true, .binary, .wrongFrameType),
      ("[]", true, .json, .malformed), ("{", true, .json, .malformed), ("", false, .binary, .malformed),
      (String(repeating: " ", count: 1_048_577), true, .json, .tooLarge),
    ] {
      var conversation = conversation(encoding)
      #expect(code(say(bytes, &conversation, isText: isText)) == wanted)
    }
  }

  @Test("R7: a message of a type that there is not is answered, and the connection goes on")
  func unknownType() {
    var conversation = joined()
    #expect(say(#"{"type":"dance"}"#, &conversation).error == "unknown_type")
    let pong = ServerMessage.pong(id: MessageIdentifier(json: JSONText("1.50")), milliseconds: 1_763_650_000_005)
    #expect(say(#"{"type":"ping","id":1.50}"#, &conversation, at: 5) == .session(.reply(pong)))
  }

  private let operation =
    #"{"type":"ops","id":3,"ops":[{"shape":"afy-kw5-t7o","set":{"position":[50,44]}}]}"#

  @Test("W6: a viewer is refused, by its own wish or by its token's")
  func readOnly() {
    var shy = conversation()
    _ = say(#"{"type":"hello","readonly":true}"#, &shy)
    for text in [operation, #"{"type":"ops","id":3,"ops":[]}"#] {
      for conversation in [shy, joined(roleMax: .viewer)] {
        var conversation = conversation
        let rejection = say(text, &conversation).rejection
        #expect(rejection?.code == .readOnly)
        #expect(rejection?.id == MessageIdentifier(3))
      }
    }
  }

  @Test("W6: too many operations in one message, and too many a second, of which each is refused")
  func rates() {
    var conversation = joined {
      $0.operationsPerSecond = 10
      $0.operationsPerMessage = 2
      $0.refusalsIgnored = 5
    }
    let three = [String](repeating: #"{"shape":"afy-kw5-t7o","set":{"alpha":1}}"#, count: 3).joined(separator: ",")
    #expect(say(#"{"type":"ops","ops":[\#(three)]}"#, &conversation).rejection?.code == .tooManyOperations)
    // The rate allows 20 operations in two seconds. One of them was used by the refused message. The client isn't
    // disconnected, because all its messages came before it could read a refusal.
    let refused = (0..<1_000).map { _ in say(operation, &conversation).rejection?.code }
    #expect(refused == [RejectCode?](repeating: nil, count: 19) + [RejectCode?](repeating: .rateLimited, count: 981))
  }

  @Test("W9: closed with 4429 is who goes on for two seconds after being refused, and for a hundred times")
  func rateLimitsIgnored() {
    func limit(_ limits: inout Limits) {
      limits.operationsPerSecond = 10
      limits.operationsPerMessage = 2
    }
    func closes(_ count: Int, at milliseconds: UInt64, _ conversation: inout Talk) -> Bool {
      (0..<count).contains { _ in code(say(operation, &conversation, at: milliseconds)) == .tooMany }
    }
    var bursting = joined(limit)
    #expect(!closes(1_000, at: 1, &bursting))
    #expect(!closes(1_000, at: 2_000, &bursting))
    #expect(closes(1_000, at: 2_001, &bursting))

    var conversation = joined(limit)
    var closedAt: UInt64?
    for step in 0..<5_000 where closedAt == nil {
      // The client sends thirty operations a second, and ten are allowed. So the count of refusals grows by twenty a
      // second and decays by ten.
      let time = UInt64(step) * 1_000 / 30 + 1
      if case .close(.tooMany, _) = say(operation, &conversation, at: time) { closedAt = time }
    }
    #expect((9_000...13_000).contains(closedAt ?? 0), "\(String(describing: closedAt))")
  }

  @Test("W1: an id that would make an answer too long is not taken")
  func longIdentifier() {
    func submission(_ count: Int, shape: String = "afy-kw5-t7o") -> String {
      let id = String(repeating: "i", count: count - 2)
      return #"{"type":"ops","id":"\#(id)","ops":[{"shape":"\#(shape)","set":{"alpha":1}}]}"#
    }
    var conversation = joined()
    guard case .session(.submit(let taken)) = say(submission(1_024), &conversation) else {
      Issue.record("as long as may be")
      return
    }
    #expect(taken.id?.json.bytes.count == 1_024)
    for (text, wanted) in [(submission(1_025), RejectCode.badMessage), (submission(1_025, shape: "no"), .badShape)] {
      let rejection = say(text, &conversation).rejection
      #expect(rejection?.code == wanted && rejection?.id == nil)
    }
    let ping = #"{"type":"ping","id":"\#(String(repeating: "i", count: 1_023))"}"#
    #expect(say(ping, &conversation).error == "bad_field")
  }

  @Test("a client that waits after a refusal is never closed")
  func patience() {
    var conversation = joined { $0.operationsPerSecond = 10 }
    for step in 0..<2_000 { #expect(code(say(operation, &conversation, at: UInt64(step) * 100)) == nil) }
  }

  @Test("R1: presence that is too large is refused, and the connection goes on")
  func presence() {
    var conversation = joined { $0.presenceBytes = 10 }
    #expect(say(#"{"type":"presence","state":{"x":12345}}"#, &conversation).error == "presence_too_large")
    // White space in the JSON doesn't count.
    let presence = say(#"{"type":"presence","state":{ "x" : 1234 }}"#, &conversation)
    #expect(presence == .session(.presence(JSONText(#"{"x":1234}"#))))
  }

  @Test("R1: a viewer's presence tells of no edits", arguments: [Role.editor, .viewer])
  func presence(of role: Role) {
    var conversation = joined(roleMax: role)
    let edits = #""typed":"x","lifted":[],"\u0074yped":"y","ink":{"a":[1]},"writing":"a","restored":[],"putBack":[1]"#
    let told = say(#"{"type":"presence","state":{\#(edits),"cursor":[1, 2],"typing":{"typed":1}}}"#, &conversation)
    let rest = #""cursor":[1,2],"typing":{"typed":1}"#
    let wanted = JSONText(role == .viewer ? "{\(rest)}" : "{\(edits),\(rest)}")
    #expect(told == .session(.presence(wanted)))
    let nothing = say(#"{"type":"presence","state":{"typed":""}}"#, &conversation)
    #expect((nothing == .session(.presence(.emptyObject))) == (role == .viewer))
  }

  @Test(
    "messages beside operations have a rate too: each is answered, and then the connection is not read from for a while",
    arguments: [
      #"{"type":"ping"}"#, #"{"type":"digest"}"#, #"{"type":"presence","state":{}}"#, #"{"type":"dance"}"#,
      #"{"type":"ping","id":[]}"#, #"{"type":"ping"}"# + String(repeating: " ", count: 2_000),
    ]
  )
  func flood(text: String) {
    var conversation = joined { $0.messagesPerSecond = 10 }
    var now: UInt64 = 1
    var rests = 0
    for number in 0..<200 {
      if code(say(text, &conversation, at: now)) != nil { Issue.record("number \(number) closes") }
      guard let rest = conversation.takeRest() else { continue }
      #expect(rest == 100)
      #expect(conversation.takeRest() == nil)
      rests += 1
      now += rest
    }
    // The first 19 messages need no pause, because about two seconds of messages are accepted at once. Each of the
    // other 181 messages needs a pause.
    #expect(rests == 181)
  }

  @Test(
    "a message is charged for its length, and a token for what checking it costs",
    arguments: [
      (#"{"type":"ping"}"#, 1), (#"{"type":"ping"}"# + String(repeating: " ", count: 2_032), 1),
      (#"{"type":"ping"}"# + String(repeating: " ", count: 2_033), 2),
      (#"{"type":"ping"}"# + String(repeating: " ", count: 10_240), 10), (#"{"type":"token","token":"abc"}"#, 21),
    ]
  )
  func weights(text: String, weight: Int) {
    var conversation = joined { ($0.messagesPerSecond, $0.bytesPerSecond) = (210, 1_000_000_000) }
    // Two seconds of messages may come at once.
    for number in 1...420 / weight {
      _ = say(text, &conversation)
      #expect(conversation.takeRest() == (number == 420 / weight ? 50 : nil), "\(number)")
    }
  }

  @Test("bytes have a rate, which pauses reading until all of them are allowed") func bytes() {
    var conversation = joined { ($0.bytesPerSecond, $0.messageBytes) = (1_000, 1_500) }
    let hello = UInt64(#"{"type":"hello"}"#.utf8.count)
    let message = operation + String(repeating: " ", count: 1_500 - operation.utf8.count)
    #expect(say(message, &conversation, at: 1).rejection == nil)
    #expect(conversation.takeRest() == nil)
    _ = say(message, &conversation, at: 1)
    #expect(conversation.takeRest() == 1_000 + hello)
    #expect(code(say(message + " ", &conversation, at: 1)) == .tooLarge)
  }

  @Test("a viewer's writes exceed no rate of operations, and a viewer that sends much waits like others")
  func viewersFlood() {
    var conversation = joined(roleMax: .viewer) { $0.messagesPerSecond = 100 }
    var now: UInt64 = 1
    for _ in 0..<2_000 {
      #expect(say(operation, &conversation, at: now).rejection?.code == .readOnly)
      now += conversation.takeRest() ?? 0
    }
    #expect(now > 10_000)
  }
}

extension Heard {
  private var reply: ServerMessage? { if case .session(.reply(let message)) = self { message } else { nil } }
  fileprivate var rejection: Rejection? { reply?.rejection }
  fileprivate var error: Text? { if case .error(let code, _)? = reply { code } else { nil } }
}
