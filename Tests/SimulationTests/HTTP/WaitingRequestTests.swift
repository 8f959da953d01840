import RoomLog
import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

/// The HTTP routes alone, with a log that answers only when the test says so.
@Suite("Requests that wait for the log") struct WaitingRequestTests {
  private let service: SimulatedService

  init() {
    service = SimulatedService(limits: Limits(), seed: 1)
    var bench = RoomBench()
    bench.join()
    var set = Properties()
    set.kind = .star
    bench.say(
      .operations(Submission(id: nil, operations: [ProposedOperation(shape: bench.shape(1), at: nil, set: set)])),
      0
    )
    bench.settle()
    service.room = bench.room
  }

  private func ask(_ path: String, from peer: String, number: UInt64, token: SimulatedService.Token = .viewer) {
    let headers = [("authorization", "Bearer \(token.rawValue)")]
    service.take(Request(path: path, headers: headers, peer: peer), body: [], number: number)
    while service.executor.hasJobs { service.executor.runJob() }
  }

  private func newestAnswer() -> Response? { service.answers.popLast()?.response }

  private func answerOldest() {
    let question = service.questions.removeFirst()
    question.waiter.resume(returning: .failed(id: question.request.id, room: "demo", .noSuchRoom(room: "demo")))
    while service.executor.hasJobs { service.executor.runJob() }
  }

  @Test(
    "H6: Of one address, four at a time are with the log, and another's doesn't wait for the rest",
    arguments: ["/v1/rooms/demo/history", "/v1/rooms"]
  )
  func turns(path: String) {
    for number in 1...300 as ClosedRange<UInt64> { ask(path, from: "10.0.0.1", number: number) }
    #expect(service.questions.count == 4)
    #expect(service.answers.allSatisfy { $0.response.status == 429 } && service.answers.count == 232)
    ask(path, from: "10.0.0.2", number: 301)
    #expect(service.questions.count == 5)
    for _ in 0..<4 { answerOldest() }
    answerOldest()
    #expect(service.answers.contains { $0.number == 301 })
    while !service.questions.isEmpty {
      #expect(service.questions.count <= 4)
      answerOldest()
    }
    #expect(service.answers.count == 301)
  }

  @Test("The span of a room's history is asked of the log without the room's snapshot") func span() {
    ask("/v1/rooms/demo/history", from: "10.0.0.1", number: 1)
    guard case .load(let request) = service.questions[0].request else {
      Issue.record("the log is asked for something else")
      return
    }
    #expect(!request.wantsSnapshot)
    answerOldest()
  }

  @Test("A parameter that the address doesn't know is refused by its name; a token is no such parameter")
  func parameters() throws {
    for (path, query, wrong) in [
      ("/v1/rooms/demo", "att=5", "att"), ("/v1/rooms/demo/picture.svg", "stamps=1", "stamps"),
      ("/v1/rooms/demo/overlaps", "box=1,2,3,4&a%74t=5", "att"), ("/v1/rooms", "at=5", "at"),
    ] {
      let token = SimulatedService.Token.viewer.rawValue
      service.take(Request(path: path, query: "\(query)&token=\(token)", peer: "10.0.0.1"), body: [], number: 1)
      while service.executor.hasJobs { service.executor.runJob() }
      let response = try #require(newestAnswer())
      #expect(response.status == 400 && response.code == "bad_request", "\(path)?\(query)")
      #expect(String(decoding: response.body, as: UTF8.self).contains("no parameter \(wrong) here"), "\(path)?\(query)")
    }
  }

  @Test("Only rooms that somebody has written to can be locked; any can be unlocked") func locks() {
    for (method, room, status) in [
      ("PUT", "demo", 204), ("PUT", "another", 404), ("DELETE", "another", 204), ("DELETE", "demo", 204),
    ] {
      let headers = [("authorization", "Bearer \(SimulatedService.Token.operator.rawValue)")]
      let request = Request(method: method, path: "/v1/rooms/\(room)/lock", headers: headers, peer: "10.0.0.1")
      service.take(request, body: [], number: 1)
      while service.executor.hasJobs { service.executor.runJob() }
      #expect(newestAnswer()?.status == status, "\(method) \(room)")
    }
  }

  @Test("W2: A client writes over HTTP as one actor of a room, and is told as which") func writers() throws {
    func writer(from peer: String, _ room: Room, _ token: SimulatedService.Token) throws -> String? {
      let body = Array(#"{"ops":[{"shape":"\#(Identifier(packed: 9_999)!)","set":{"alpha":3}}]}"#.utf8)
      let headers = [("authorization", "Bearer \(token.rawValue)"), ("content-type", "application/json")]
      service.room = room
      service.take(
        Request(method: "POST", path: "/v1/rooms/demo/ops", headers: headers, peer: peer),
        body: body,
        number: 1
      )
      while service.executor.hasJobs { service.executor.runJob() }
      for number in 0...100 as ClosedRange<UInt64> { service.storing.answer(number, with: .success(room.cursor)) }
      while service.executor.hasJobs { service.executor.runJob() }
      let response = try #require(newestAnswer())
      #expect(response.status == 200)
      return response.header("Canvas-Actor")
    }
    let room = try #require(service.room)
    let ann = try #require(try writer(from: "10.0.0.1", room, .editor))
    #expect(try writer(from: "10.0.0.2", room, .editor) == ann, "a token is one writer wherever it is used")
    #expect(try writer(from: "10.0.0.1", room, .operator) != ann)
    let actor = try #require(Identifier(ann))
    #expect(service.keys.isMarked(actor, in: "demo"))
  }
}
