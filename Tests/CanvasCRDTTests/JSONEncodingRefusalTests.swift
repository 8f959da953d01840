import Testing

@testable import CanvasCRDT

@Suite("Refusals of JSON")
struct JSONEncodingRefusalTests {
  private func failure(of text: String, operationsMax: UInt64 = UInt64.max) -> MessageError? {
    failure(of: Array(text.utf8), operationsMax: operationsMax)
  }

  private func failure(of bytes: [UInt8], operationsMax: UInt64 = UInt64.max) -> MessageError? {
    do throws(MessageError) {
      _ = try JSONEncoding.decodeClientMessage(bytes, operationsMax: operationsMax)
      return nil
    } catch { return error }
  }

  private func serverFailure(of text: String) -> MessageError? {
    do throws(MessageError) {
      _ = try JSONEncoding.decodeServerMessage(Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test("a state that is deeper than one that can be passed on is refused")
  func deep() {
    let nested = String(repeating: "[", count: 90) + String(repeating: "]", count: 90)
    #expect(failure(of: #"{"type":"presence","state":{"a":"# + nested + "}}")?.kind == "badField")
  }

  @Test(
    "J1: each message that can't be read has the kind of error of what is wrong",
    arguments: [
      (
        "malformed",
        ["", " ", "{", "[]", "12", #""ops""#, "null", #"{"type":"digest"}x"#, "{type:1}", "{'type':'digest'}"]
      ),
      (
        "unknownType",
        [
          "{}", #"{"type":1}"#, #"{"type":null}"#, #"{"type":"HELLO"}"#, #"{"type":"welcome"}"#, #"{"types":"hello"}"#,
          #"{"type":""}"#,
        ]
      ),
      (
        "badHello",
        [
          #"{"type":"hello","name":""}"#, #"{"type":"hello","name":7}"#, #"{"type":"hello","name":"a\u0007"}"#,
          #"{"type":"hello","name":"\u0085"}"#, #"{"type":"hello","name":"\#(String(repeating: "n", count: 129))"}"#,
          #"{"type":"hello","color":"red"}"#, ##"{"type":"hello","color":"#12345"}"##,
          #"{"type":"hello","actor":"K3J-9x2-m1p"}"#, #"{"type":"hello","since":5}"#, #"{"type":"hello","overlaps":1}"#,
          #"{"type":"hello","readonly":"true"}"#, #"{"type":"hello","crowd":1}"#, #"{"type":"hello","key":7}"#,
          #"{"type":"hello","key":"\#(String(repeating: "k", count: 129))"}"#,
        ]
      ),
      (
        "badField",
        [
          #"{"type":"presence"}"#, #"{"type":"presence","state":[]}"#, #"{"type":"presence","state":null}"#,
          #"{"type":"ping","id":{}}"#, #"{"type":"ping","id":true}"#,
        ]
      ),
    ] as [(String, [String])]
  )
  func kinds(kind: String, texts: [String]) {
    for text in texts {
      #expect(failure(of: text)?.kind == kind, "\(text)")
      if kind == "malformed" { #expect(serverFailure(of: text)?.kind == kind, "\(text)") }
    }
  }

  @Test("J3: a member that is null counts as left out, but not in a set")
  func nullIsLeftOut() throws {
    let hello = #"{"type":"hello","name":null,"color":null,"actor":null,"since":null,"overlaps":null,"readonly":null}"#
    #expect(try JSONEncoding.decodeClientMessage(Array(hello.utf8)) == .hello(Hello()))
    #expect(try JSONEncoding.decodeClientMessage(Array(#"{"type":"ping","id":null}"#.utf8)) == .ping(nil))
    let unstamped = #"{"type":"ops","id":null,"ops":[{"shape":"afy-kw5-t7o","at":null,"set":{"alpha":3}}]}"#
    let operation = ProposedOperation(shape: WireSamples.shape, at: nil, set: Properties { $0.alpha = 3 })
    let submission = Submission(id: nil, operations: [operation])
    #expect(try JSONEncoding.decodeClientMessage(Array(unstamped.utf8)) == .operations(submission))
  }

  @Test("a name and a key may have 128 bytes")
  func allowedHello() {
    let longest = String(repeating: "ö", count: 64)
    #expect(failure(of: "{\"type\":\"hello\",\"name\":\"\(longest)\",\"key\":\"\(longest)\"}") == nil)
  }

  // MARK: - Operations

  private static let good = #"{"shape":"afy-kw5-t7o","set":{"alpha":3}}"#

  private func rejection(of operations: String, operationsMax: UInt64 = UInt64.max) -> Rejection? {
    failure(of: "{\"type\":\"ops\",\"ops\":\(operations),\"id\":\"m\"}", operationsMax: operationsMax)?.rejection
  }

  @Test(
    "W5, W6: each refusal of an operation has its code, its index and the message's id",
    arguments: [
      ("7", .badMessage), ("null", .badMessage), ("[]", .badMessage), (#"{"shape":"afy-kw5-t7o"}"#, .badMessage),
      (#"{"shape":"afy-kw5-t7o","set":{}}"#, .badMessage), (#"{"shape":"afy-kw5-t7o","set":[]}"#, .badMessage),
      (#"{"shape":"afy-kw5-t7o","set":null}"#, .badMessage), (#"{"set":{"alpha":3}}"#, .badShape),
      (#"{"shape":"afykw5t7o","set":{"alpha":3}}"#, .badShape), (#"{"shape":7,"set":{"alpha":3}}"#, .badShape),
      (#"{"shape":null,"set":{"alpha":3}}"#, .badShape), (#"{"shape":"AFY-kw5-t7o","set":{"alpha":3}}"#, .badShape),
      (#"{"shape":"afy-kw5-t7o","at":"1.2","set":{"alpha":3}}"#, .badStamp),
      (#"{"shape":"afy-kw5-t7o","at":"01.0.k3j-9x2-m1p","set":{"alpha":3}}"#, .badStamp),
      (#"{"shape":"afy-kw5-t7o","at":"1.65536.k3j-9x2-m1p","set":{"alpha":3}}"#, .badStamp),
      (#"{"shape":"afy-kw5-t7o","at":"281474976710656.0.k3j-9x2-m1p","set":{"alpha":3}}"#, .badStamp),
      (##"{"shape":"afy-kw5-t7o","set":{"alpha":3,"colour":"#000000"}}"##, .badProperty),
      (#"{"shape":"afy-kw5-t7o","set":{"Alpha":3}}"#, .badProperty),
      (#"{"shape":"afy-kw5-t7o","set":{"":3}}"#, .badProperty),
    ] as [(String, RejectCode)]
  )
  func operation(text: String, code: RejectCode) {
    let rejection = rejection(of: "[\(JSONEncodingRefusalTests.good),\(text)]")
    #expect(rejection?.code == code, "\(text)")
    #expect(rejection?.operation == 1, "\(text)")
    #expect(rejection?.id == WireSamples.id("\"m\""), "\(text)")
  }

  @Test(
    "J3, W6: a value that the property's rule doesn't allow is refused with the words of the rule",
    arguments: [
      (.kind, ["\"square\"", "\"Rectangle\"", "1", "null", "\"\""]),
      (.name, ["\"\"", "\"a\\nb\"", "5", "null", "\"\(String(repeating: "x", count: 129))\"", "\"\\u009f\""]),
      (.position, ["[1]", "[1,2,3]", "[1,null]", "[1,\"2\"]", "{}", "5", "[1e7,10000000.1]", "[-1e400,0]", "null"]),
      (.size, ["[0,5]", "[0.99,5]", "[5,1000001]", "[5]", "[[5],5]", "null"]),
      (.rotation, ["1e999", "-1e999", "1000000.1", "\"5\"", "true", "null", "[5]"]),
      (.fill, ["\"red\"", "\"#12345\"", "\"#1234567\"", "\"#GG0000\"", "0", "null", "[1,2,3]"]),
      (.stroke, ["\"#00000g\"", "null"]), (.strokeWidth, ["-0.1", "1000.1", "\"1\"", "null"]),
      (.alpha, ["0", "11", "5.5", "-1", "1e300", "\"5\"", "null", "true"]), (.visible, ["1", "\"true\"", "null"]),
      (.z, ["\"\"", "\"V0\"", "\"a-b\"", "5", "null", "\"\(String(repeating: "z", count: 65))\""]),
      (.cornerRadius, ["-1", "1000000.5", "null"]), (.points, ["2", "65", "3.5", "null", "99999"]),
      (.innerRatio, ["0.04", "1.01", "null", "-0.5"]), (.deleted, ["false", "1", "\"true\"", "null"]),
      (.text, ["5", "null", "\"a\\tb\""]), (.textSize, ["0.9", "1000.1", "null"]),
      (.dash, ["\"wavy\"", "\"\"", "1", "null"]),
      (.filled, ["1", "null"]), (.group, ["\"afy-kw5\"", "5", "null"]),
      (
        .path,
        [
          "5", "null", "[[0,0]]", "[[0,0],[1]]", "[[0,0],[1,2,3,4]]", "[[0,0],[1,2,0]]", "[[0,0],[1,2,201]]",
          "[[0,0],[1,65536]]", "[[0,0],[-1,0]]", "[[0,0],[0.5,0]]", "[[0,0],5]",
          "[" + String(repeating: "[0,0],", count: 1_024) + "[0,0]]",
        ]
      ),
      (
        .to,
        [
          "null", "[\"afy-kw5-t7o\"]", "[\"afy-kw5-t7o\",1]", "[\"afy-kw5-t7o\",1,2,3]", "[\"afy-kw5-t7o\",65536,0]",
          "[\"afy-kw5-t7o\",0,-1]", "[\"\",1,2]", "[null]",
        ]
      ),
    ] as [(Property, [String])]
  )
  func value(property: Property, values: [String]) {
    for value in values {
      let operation = "{\"shape\":\"afy-kw5-t7o\",\"set\":{\"\(property.wireName)\":\(value)}}"
      let rejection = rejection(of: "[\(JSONEncodingRefusalTests.good),\(operation)]")
      #expect(rejection?.code == .badValue, "\(operation)")
      #expect(rejection?.operation == 1)
      #expect(rejection?.message == PropertyProblem(property).message, "\(operation)")
      #expect(failure(of: "{\"type\":\"ops\",\"ops\":[\(operation)]}")?.words == rejection?.message, "\(operation)")
    }
  }

  @Test("J4: values at the ends of their ranges are accepted, and minus zero is 0")
  func bounds() throws {
    let set = """
      {"position":[-1e7,10000000.0],"size":[1,1e6],"rotation":-0,"strokeWidth":1000,"alpha":1e1,"points":3.0,\
      "cornerRadius":-0.0,"innerRatio":5e-2,"z":"\(String(repeating: "z", count: 64))","deleted":true}
      """
    let submission = try JSONEncoding.decodeSubmission(
      Array("{\"ops\":[{\"shape\":\"afy-kw5-t7o\",\"set\":\(set)}]}".utf8)
    )
    let values = submission.operations[0].set
    #expect(values.rotation.sign == .plus && values.cornerRadius.sign == .plus)
    #expect(values.alpha == 10 && values.points == 3 && values.innerRatio == 0.05 && values.deleted)
    #expect(values.position == Point(x: -1e7, y: 1e7) && values.size == Size(width: 1, height: 1e6))
  }

  @Test("operations that are missing or no list have no index", arguments: ["null", "{}", "\"\"", "[]"])
  func noOperations(list: String) {
    let rejection = rejection(of: list)
    #expect(rejection?.code == .badMessage)
    #expect(rejection?.operation == nil)
    #expect(rejection?.id == WireSamples.id("\"m\""))
  }

  @Test("a message without ops is refused with its id")
  func missingOperations() {
    let rejection = failure(of: #"{"id":-1.50,"type":"ops"}"#)?.rejection
    #expect(rejection?.code == .badMessage && rejection?.operation == nil)
    #expect(rejection?.id == WireSamples.id("-1.50"))
  }

  @Test("as many operations as allowed are accepted, one more is refused")
  func tooMany() {
    let good = JSONEncodingRefusalTests.good
    #expect(rejection(of: "[\(good),\(good)]", operationsMax: 2) == nil)
    let refused = rejection(of: "[\(good),\(good),\(good)]", operationsMax: 2)
    #expect(refused?.code == .tooManyOperations && refused?.operation == nil)
    #expect(refused?.id == WireSamples.id("\"m\""))
  }

  @Test("a message whose id is neither number nor text is refused without an id", arguments: ["true", "[1]", "{}"])
  func badIdentifier(id: String) {
    for text in ["{\"type\":\"ops\",\"id\":\(id),\"ops\":[5]}", "{\"type\":\"ops\",\"ops\":[5],\"id\":\(id)}"] {
      let rejection = failure(of: text)?.rejection
      #expect(rejection?.code == .badMessage && rejection?.id == nil && rejection?.operation == nil, "\(text)")
    }
  }

  // MARK: - Server messages

  @Test("each of a server's messages with any one of its members missing or of another type is refused")
  func serverFields() throws {
    for (name, message) in WireSamples.serverMessages where !["server-ops-empty", "overlaps-none"].contains(name) {
      let text = String(decoding: JSONEncoding.encode(message), as: UTF8.self)
      for member in [
        "room", "actor", "role", "time", "limits", "cursor", "ops", "code", "began", "ended", "hash", "peer", "name",
        "color", "people", "message", "property", "by",
      ]
      // `cursor` is not checked in presence, because a presence's `state` may have any members.
      where text.contains("\"\(member)\":") && !(member == "cursor" && text.contains("\"state\":")) {
        let missing = text.replacing("\"\(member)\":", with: "\"other\":")
        #expect(serverFailure(of: missing) != nil, "\(missing)")
        let wrong = text.replacing("\"\(member)\":", with: "\"\(member)\":null,\"other\":")
        #expect(serverFailure(of: wrong) != nil, "\(wrong)")
      }
    }
  }

  @Test(
    "a server's pairs, indexes, hashes and flags have to follow the contract",
    arguments: [
      #"{"type":"overlaps","began":[["b00-000-00z","afy-kw5-t7o"]],"ended":[]}"#,
      #"{"type":"overlaps","began":[["afy-kw5-t7o"]],"ended":[]}"#,
      #"{"type":"overlaps","began":[["afy-kw5-t7o","afy-kw5-t7o"]],"ended":[]}"#,
      #"{"type":"overlaps","began":{},"ended":[]}"#, #"{"type":"overlaps","began":[],"ended":7}"#,
      #"{"type":"overlaps","began":[],"ended":[],"more":1}"#,
      #"{"type":"digest","cursor":"c","hash":"00C0FFEE01234567"}"#, #"{"type":"digest","cursor":"c","hash":"12"}"#,
      #"{"type":"reject","op":-1,"code":"bad_value","message":""}"#,
      #"{"type":"reject","op":0.5,"code":"bad_value","message":""}"#,
      #"{"type":"reject","op":1e30,"code":"bad_value","message":""}"#,
      #"{"type":"reject","code":"bad_luck","message":""}"#, #"{"type":"pong","time":18446744073709551616}"#,
      #"{"type":"pong","time":-1}"#, #"{"type":"leave","actor":"nobody"}"#,
      #"{"type":"ops","cursor":"c","ops":[{"shape":"afy-kw5-t7o","set":{"alpha":3}}]}"#,
      #"{"type":"ops","cursor":"c","ops":[],"more":"yes"}"#,
    ]
  )
  func serverValues(text: String) {
    #expect(serverFailure(of: text)?.kind == "badField")
  }

  @Test("a message cut anywhere is malformed")
  func damage() {
    let clients = WireSamples.clientMessages.map { JSONEncoding.encode($0.message) }
    let servers = WireSamples.serverMessages.map { JSONEncoding.encode($0.message) }
    for bytes in clients + servers {
      for length in bytes.indices {
        #expect(failure(of: Array(bytes[..<length]))?.kind == "malformed", "\(length) of \(bytes.count) bytes")
      }
    }
  }
}

extension MessageError {
  /// The name of the case, without the words.
  var kind: String {
    switch self {
    case .malformed: "malformed"
    case .unknownType: "unknownType"
    case .badHello: "badHello"
    case .badField: "badField"
    case .rejected: "rejected"
    }
  }

  var rejection: Rejection? { if case .rejected(let rejection) = self { rejection } else { nil } }
}
