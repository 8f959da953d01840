import RoomLog
import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

/// Requests over HTTP to a server whose log answers only when the test says so.
@Suite("Requests that wait for the log") struct WaitingRequestTests {
  /// A server with an open room, and the requests to its log that the test keeps waiting.
  private final class Bench {
    let server: VirtualServer
    private let log: LogLine
    private let memory: MemoryLog
    /// Whether questions about rooms wait.
    private var holds = false
    private(set) var held: [LogRequest] = []
    /// Whether heavy work is done as soon as there is some.
    private(set) var works = true
    private(set) var asked: [VirtualRequest] = []

    private var now = Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_000)

    init() throws {
      var configuration = Configuration()
      configuration.storage = .memory
      var line: LogLine!
      server = VirtualServer(configuration, credentials: World.credentials, seed: 1, at: now) { hub in
        line = LogLine { hub.logTold($0) }
        return (line, nil)
      }
      log = line
      memory = MemoryLog { [log] events in for event in events { log.report(event) } }
      let star = #"{"ops":[{"shape":"\#(Identifier(packed: 1)!)","set":{"kind":"star"}}]}"#
      let drawn = try ask("/v1/rooms/demo/ops", by: "POST", body: star, token: .editor)
      #expect(drawn.status == 200)
      asked = []
      holds = true
    }

    deinit {
      server.die { log.refuseAll() }
      log.end()
    }

    /// Lets the server do all that it can do now.
    private func turn() {
      // An append waits for a beat.
      now.monotonicMilliseconds += Limits().beatMilliseconds
      repeat {
        server.turn(at: now)
        for request in log.takeRequests() {
          switch request {
          case .load where holds, .list where holds: held.append(request)
          default: memory.submit(request)
          }
        }
        while works, server.workHeavily() {}
        now.monotonicMilliseconds += Limits().beatMilliseconds
      } while server.loop.hasWork || log.hasRequests
    }

    func begin(
      _ path: String,
      _ query: String = "",
      by method: String = "GET",
      body: String = "",
      from peer: String = "10.0.0.1",
      token: World.Token = .viewer
    ) {
      let headers = [("authorization", "Bearer \(token.rawValue)"), ("content-type", "application/json")]
      let request = Request(method: method, path: path, query: query, headers: headers, peer: peer)
      asked.append(server.request(request, body: Array(body.utf8)))
      turn()
    }

    /// Asks something that is answered without the log's help, or while requests to the log don't wait.
    func ask(
      _ path: String,
      _ query: String = "",
      by method: String = "GET",
      body: String = "",
      from peer: String = "10.0.0.1",
      token: World.Token = .viewer
    ) throws -> Response {
      begin(path, query, by: method, body: body, from: peer, token: token)
      return try #require(asked.last?.response)
    }

    /// The statuses of all answers so far.
    var statuses: [Int] { asked.compactMap { $0.response?.status } }

    func refuseOldest(_ error: LogError = .noSuchRoom(room: "demo")) {
      log.report(.failed(id: held.removeFirst().id, room: "demo", error))
      turn()
    }

    func stopWorking() { works = false }

    func goOnWorking() {
      works = true
      turn()
    }

    /// Does one job of heavy work.
    func work() {
      server.workHeavily()
      turn()
    }

    func release() {
      holds = false
      for request in held { memory.submit(request) }
      held = []
      turn()
    }
  }

  @Test("Of one address, four requests at a time keep a copy of a large room while they wait for a thread")
  func copies() throws {
    let bench = try Bench()
    let squares = (0..<1_000).map { ##"{"x":\##($0 * 10),"y":0,"colour":"#FF0000","size":5}"## }
    let layout = "{\"squares\":[\(squares.joined(separator: ","))]}"
    #expect(try bench.ask("/v1/rooms/demo/layout", by: "POST", body: layout, token: .editor).status == 200)
    bench.stopWorking()
    for _ in 0..<12 { bench.begin("/v1/rooms/demo", from: "10.0.0.1") }
    #expect(bench.server.heavyWorkCount == 4)
    bench.begin("/v1/rooms/demo", from: "10.0.0.2")
    #expect(bench.server.heavyWorkCount == 5)
    bench.goOnWorking()
    #expect(bench.statuses == Array(repeating: 200, count: 14))
  }

  @Test("Overlaps of many rooms take the turns of the address that asks for them")
  func overlapTurns() throws {
    let bench = try Bench()
    bench.release()
    let star = #"{"ops":[{"shape":"\#(Identifier(packed: 1)!)","set":{"kind":"star"}}]}"#
    for room in 0..<6 {
      #expect(try bench.ask("/v1/rooms/r\(room)/ops", by: "POST", body: star, token: .operator).status == 200)
    }
    bench.stopWorking()
    for room in 0..<5 { bench.begin("/v1/rooms/r\(room)/overlaps", from: "10.0.0.1", token: .operator) }
    bench.begin("/v1/rooms/r5/overlaps", from: "10.0.0.2", token: .operator)
    // Two pieces for each address: the index, and the answer.
    for _ in 0..<4 { bench.work() }
    #expect(bench.asked.last?.response?.status == 200)
    bench.goOnWorking()
    #expect(bench.statuses == Array(repeating: 200, count: 12))
  }

  @Test(
    "H6: Of one address, four at a time are with the log, and another's doesn't wait for the rest",
    arguments: ["/v1/rooms/demo/history", "/v1/rooms"]
  )
  func turns(path: String) throws {
    let bench = try Bench()
    for _ in 1...300 { bench.begin(path, from: "10.0.0.1") }
    #expect(bench.held.count == 4)
    #expect(bench.statuses == Array(repeating: 429, count: 232))
    bench.begin(path, from: "10.0.0.2")
    #expect(bench.held.count == 5)
    for _ in 0..<5 { bench.refuseOldest() }
    #expect(bench.asked.last?.response != nil)
    while !bench.held.isEmpty {
      #expect(bench.held.count <= 4)
      bench.refuseOldest()
    }
    #expect(bench.statuses.count == 301)
  }

  @Test("The span of a room's history is asked of the log without the room's snapshot; a refusal gives its reason")
  func span() throws {
    let bench = try Bench()
    bench.begin("/v1/rooms/demo/history")
    guard case .load(let request) = bench.held.first else {
      Issue.record("the log is asked for something else")
      return
    }
    #expect(!request.wantsSnapshot)
    bench.refuseOldest(.unavailable(.database("the database is away")))
    let response = try #require(bench.asked.last?.response)
    #expect(response.status == 503)
    #expect(String(decoding: response.body, as: UTF8.self).contains("the database is away"))
  }

  @Test("H1: A parameter that the request doesn't know is refused by its name; a token is no such parameter")
  func parameters() throws {
    let bench = try Bench()
    for (method, path, query, wrong) in [
      ("GET", "/v1/rooms/demo", "att=5", "att"), ("GET", "/v1/rooms/demo/picture.svg", "stamps=1", "stamps"),
      ("GET", "/v1/rooms/demo/overlaps", "box=1,2,3,4&a%74t=5", "att"), ("GET", "/v1/rooms", "at=5", "at"),
      // Another method of the address may know it: this must not delete the room as it is now.
      ("DELETE", "/v1/rooms/demo", "at=5", "at"), ("GET", "/v1/rooms/demo/erasures", "before=5", "before"),
    ] {
      let token = World.Token.operator
      let response = try bench.ask(path, "\(query)&token=\(token.rawValue)", by: method, token: token)
      #expect(response.status == 400 && response.code == "bad_request", "\(method) \(path)?\(query)")
      let words = String(decoding: response.body, as: UTF8.self)
      #expect(words.contains("no parameter \(wrong) here"), "\(method) \(path)?\(query)")
    }
  }

  @Test("Only rooms that somebody has written to can be locked; any can be unlocked") func locks() throws {
    let bench = try Bench()
    bench.release()
    for (method, room, status) in [
      ("PUT", "demo", 204), ("PUT", "another", 404), ("DELETE", "another", 204), ("DELETE", "demo", 204),
    ] {
      let response = try bench.ask("/v1/rooms/\(room)/lock", by: method, token: .operator)
      #expect(response.status == status, "\(method) \(room)")
    }
  }

  @Test("W2: A client writes over HTTP as one actor of a room, and is told as which") func writers() throws {
    let bench = try Bench()
    bench.release()
    func writer(from peer: String, _ token: World.Token) throws -> String? {
      let body = #"{"ops":[{"shape":"\#(Identifier(packed: 1)!)","set":{"alpha":3}}]}"#
      let response = try bench.ask("/v1/rooms/demo/ops", by: "POST", body: body, from: peer, token: token)
      #expect(response.status == 200)
      return response.header("Canvas-Actor")
    }
    let ann = try #require(try writer(from: "10.0.0.1", .editor))
    #expect(try writer(from: "10.0.0.2", .editor) == ann, "a token is one writer wherever it is used")
    #expect(try writer(from: "10.0.0.1", .operator) != ann)
    let actor = try #require(Identifier(ann))
    #expect(ActorKeys.inTests.isMarked(actor, in: "demo"))
  }
}
