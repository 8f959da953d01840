import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("What may be said when")
struct RoomsSessionTests {
  private func session(_ encoding: WireEncoding = .json, roleMax: Role = .editor, _ limits: Limits = Limits())
    -> Session
  {
    Session(encoding: encoding, roleMax: roleMax, limits: limits, now: time(0))
  }

  private func time(_ milliseconds: UInt64) -> Moment {
    Moment(wallMilliseconds: 1_763_650_000_000 + milliseconds, monotonicMilliseconds: milliseconds)
  }

  private func say(_ text: String, _ session: inout Session, isText: Bool = true, at milliseconds: UInt64 = 1)
    -> SessionAction
  {
    Array(text.utf8).withUnsafeBytes { session.received($0, isText: isText, now: time(milliseconds)) }
  }

  private func code(_ action: SessionAction) -> CloseCode? {
    if case .close(let code, _) = action { code } else { nil }
  }

  @Test("C4: hello comes within its time, whatever else arrives")
  func helloInTime() {
    var silent = session()
    #expect(silent.deadline == 10_000)
    #expect(silent.timePassed(now: time(9_999)) == .nothing)
    #expect(code(silent.timePassed(now: time(10_000))) == .noSignOfLife)

    var late = session()
    #expect(code(say(#"{"type":"hello"}"#, &late, at: 10_000)) == .noSignOfLife)
    var punctual = session()
    guard case .join = say(#"{"type":"hello"}"#, &punctual) else {
      Issue.record("hello is taken")
      return
    }
    #expect(punctual.deadline == nil)
    #expect(punctual.timePassed(now: time(20_000)) == .nothing)
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
    var session = session()
    #expect(code(say(text, &session)) == .badHello)
    #expect(say(#"{"type":"hello"}"#, &session) == .nothing)
  }

  @Test("closing: a second hello", arguments: [#"{"type":"hello"}"#, #"{"type":"hello","name":7}"#])
  func secondHello(text: String) {
    var session = session()
    _ = say(#"{"type":"hello"}"#, &session)
    #expect(code(say(text, &session)) == .badHello)
  }

  @Test("R8: a bad field after hello is answered, and the connection goes on")
  func badFields() {
    var session = session()
    _ = say(#"{"type":"hello"}"#, &session)
    for text in [#"{"type":"presence"}"#, #"{"type":"ping","id":[]}"#] {
      guard case .reply(.error(let code, _)) = say(text, &session) else {
        Issue.record("an error is answered")
        return
      }
      #expect(code == "bad_field")
    }
    #expect(say(#"{"type":"digest"}"#, &session) == .digest)
  }

  @Test("closing: a frame of the wrong type, and what is no message at all")
  func malformed() {
    for (bytes, isText, encoding, wanted) in [
      ("{}", false, WireEncoding.json, CloseCode.wrongFrameType), ("x", true, .binary, .wrongFrameType),
      ("[]", true, .json, .malformed), ("{", true, .json, .malformed), ("", false, .binary, .malformed),
      (String(repeating: " ", count: 1_048_577), true, .json, .tooLarge),
    ] {
      var session = session(encoding)
      #expect(code(say(bytes, &session, isText: isText)) == wanted)
    }
  }

  @Test("R7: a message of a type that there is not is answered, and the connection goes on")
  func unknownType() {
    var session = session()
    _ = say(#"{"type":"hello"}"#, &session)
    guard case .reply(.error(let code, _)) = say(#"{"type":"dance"}"#, &session) else {
      Issue.record("an error is answered")
      return
    }
    #expect(code == "unknown_type")
    guard case .reply(.pong(let id, let milliseconds)) = say(#"{"type":"ping","id":1.50}"#, &session, at: 5) else {
      Issue.record("the connection goes on")
      return
    }
    #expect(id.map { String(decoding: $0.json.bytes, as: UTF8.self) } == "1.50")
    #expect(milliseconds == 1_763_650_000_005)
  }

  private let operation =
    #"{"type":"ops","id":3,"ops":[{"shape":"afy-kw5-t7o","set":{"position":[50,44]}}]}"#

  @Test("W6: a viewer is refused, by its own wish or by its token's")
  func readOnly() {
    var shy = session()
    guard case .join(_, .viewer) = say(#"{"type":"hello","readonly":true}"#, &shy) else {
      Issue.record("it becomes a viewer")
      return
    }
    var guest = session(.json, roleMax: .viewer)
    _ = say(#"{"type":"hello","readonly":false}"#, &guest)
    for text in [operation, #"{"type":"ops","id":3,"ops":[]}"#] {
      for session in [shy, guest] {
        var session = session
        guard case .reply(.rejection(let rejection)) = say(text, &session) else {
          Issue.record("it is rejected")
          return
        }
        #expect(rejection.code == .readOnly)
        #expect(rejection.id == MessageIdentifier(3))
      }
    }
  }

  @Test("W6: too many operations in one message, and too many a second; ignored for long, 4429")
  func rates() {
    var limits = Limits()
    limits.operationsPerSecond = 10
    limits.operationsPerMessage = 2
    limits.refusalsIgnored = 5
    var session = session(.json, limits)
    _ = say(#"{"type":"hello"}"#, &session)
    let three =
      #"{"type":"ops","ops":["#
      + Array(repeating: #"{"shape":"afy-kw5-t7o","set":{"alpha":1}}"#, count: 3)
      .joined(separator: ",") + "]}"
    guard case .reply(.rejection(let tooMany)) = say(three, &session) else {
      Issue.record("three are too many")
      return
    }
    #expect(tooMany.code == .tooManyOperations)

    var taken = 0
    var limited = 0
    var closed: CloseCode?
    for _ in 0..<60 {
      switch say(operation, &session) {
      case .submit: taken += 1
      case .reply(.rejection(let rejection)):
        #expect(rejection.code == .rateLimited)
        limited += 1
      case .close(let code, _): closed = code
      default: break
      }
    }
    // Two seconds' worth, of which the refused message took one.
    #expect(taken == 19)
    #expect(limited == 20)
    #expect(closed == .tooMany)
  }

  @Test("a client that waits after a refusal is never closed")
  func patience() {
    var limits = Limits()
    limits.operationsPerSecond = 10
    var session = session(.json, limits)
    _ = say(#"{"type":"hello"}"#, &session)
    for step in 0..<2_000 {
      if case .close = say(operation, &session, at: UInt64(step) * 100) { Issue.record("closed at \(step)") }
    }
  }

  @Test("R1: presence that is too large is refused, and the connection goes on")
  func presence() {
    var limits = Limits()
    limits.presenceBytes = 10
    var session = session(.json, limits)
    _ = say(#"{"type":"hello"}"#, &session)
    guard case .reply(.error(let code, _)) = say(#"{"type":"presence","state":{"x":12345}}"#, &session) else {
      Issue.record("eleven bytes are too many")
      return
    }
    #expect(code == "presence_too_large")
    // What stands between the parts does not count.
    guard case .presence = say(#"{"type":"presence","state":{ "x" : 1234 }}"#, &session) else {
      Issue.record("ten are not")
      return
    }
  }

  @Test("messages beside operations have a rate too")
  func flood() {
    var limits = Limits()
    limits.messagesPerSecond = 10
    limits.refusalsIgnored = 50
    var session = session(.json, limits)
    _ = say(#"{"type":"hello"}"#, &session)
    var answered = 0
    var closed: CloseCode?
    for _ in 0..<200 {
      switch say(#"{"type":"ping"}"#, &session) {
      case .reply: answered += 1
      case .close(let code, _): closed = code
      default: break
      }
    }
    #expect(answered == 20)
    #expect(closed == .tooMany)
  }
}
