import CanvasCRDT
import WebSocketLoop

/// The command line: the scenario and its size.
struct Flags: Sendable {
  static let usage = """
    canvas-load traffic   writers move shapes, all others watch: cost and latency of each delivery
    canvas-load join      fills a room and joins it again and again
    canvas-load idle      connections that say nothing, then waves of them
    canvas-load crowd     all join one room at once while somebody writes there
    canvas-load return    so many in one room and as many in others: how long until all are back, once the server has been
                          killed and started anew
    canvas-load cursors   all move their cursors in one room
    canvas-load relay     not a load but the floor: hands on messages as they are, on the server's loop, with no canvas
                          and no log

      --server URL        ws://127.0.0.1:8080; relay listens on its port
      --pid NUMBER        the server's process, whose CPU and memory are read
      --room NAME         the room, or the beginning of the rooms' names (load)
      --rooms N           over how many rooms the clients are spread (1)
      --clients N         connections in all (50); of join: how often it is joined
      --writers N         how many of them write (10)
      --rate N            operations a second from each writer (100); of cursors: movements a second of each
      --batch N           operations in a message (1)
      --window N          with --flood: messages of a writer under way (4)
      --seconds N         how long is measured (5), after a second of warming up
      --encoding E        binary or json
      --shapes N          of join: shapes of eight properties each (10000)
      --waves N           of idle: waves of connects and disconnects (10)
      --wave N            of idle: connections in a wave (2000)
      --beat N            of relay: milliseconds for which it gathers (10)
      --flood             as much as it takes
      --together          of join: all at once; only the first reads what it is sent
      --filled            of join: the room is full already
      --through-relay     of traffic: the server is a relay
    """

  enum Scenario: String {
    case traffic, join, idle, crowd, `return`, cursors, relay
  }

  var scenario = Scenario.traffic
  var server = "ws://127.0.0.1:8080"
  var pid: Int?
  var room = "load"
  var rooms = 1
  var clients = 50
  var writers = 10
  var rate = 100.0
  var batch = 1
  var window = 4
  var seconds = 5.0
  var encoding = WireEncoding.binary
  var shapes = 10_000
  var waves = 10
  var wave = 2_000
  var beat: UInt64 = 10
  var isFlood = false
  var areTogether = false
  var isThroughRelay = false
  var isFilled = false

  struct Problem: Error {
    let words: String
  }

  init(arguments: [String]) throws(Problem) {
    guard let first = arguments.first, let scenario = Scenario(rawValue: first) else {
      throw Problem(words: Flags.usage)
    }
    self.scenario = scenario
    var rest = arguments.dropFirst()
    func number(_ flag: String) throws(Problem) -> Int {
      guard let text = rest.popFirst(), let value = Int(text), value >= 0 else {
        throw Problem(words: "\(flag) needs a number")
      }
      return value
    }
    while let flag = rest.popFirst() {
      switch flag {
      case "--server": server = rest.popFirst() ?? ""
      case "--pid": pid = try number(flag)
      case "--room": room = rest.popFirst() ?? ""
      case "--rooms": rooms = max(1, try number(flag))
      case "--clients": clients = max(1, try number(flag))
      case "--writers": writers = try number(flag)
      case "--rate": rate = Double(max(1, try number(flag)))
      case "--batch": batch = max(1, try number(flag))
      case "--window": window = max(1, try number(flag))
      case "--seconds": seconds = Double(try number(flag))
      case "--shapes": shapes = try number(flag)
      case "--waves": waves = try number(flag)
      case "--wave": wave = try number(flag)
      case "--beat": beat = UInt64(try number(flag))
      case "--flood": isFlood = true
      case "--together": areTogether = true
      case "--filled": isFilled = true
      case "--through-relay": isThroughRelay = true
      case "--encoding":
        switch rest.popFirst() {
        case "binary": encoding = .binary
        case "json": encoding = .json
        default: throw Problem(words: "--encoding is binary or json")
        }
      default: throw Problem(words: "\(flag) is no flag\n\n\(Flags.usage)")
      }
    }
    guard Endpoint(server) != nil else { throw Problem(words: "--server needs a ws:// address") }
  }

  func roomName(_ index: Int) -> String { rooms == 1 ? room : "\(room)-\(index)" }

  func endpoint(room name: String) -> Endpoint {
    var endpoint = Endpoint(server)!
    endpoint.path = "/v1/rooms/\(name)/sync"
    return endpoint
  }
}

extension WireEncoding {
  func frame(_ message: ClientMessage) -> MessageFrames {
    switch self {
    case .json: MessageFrames(text: JSONEncoding.encode(message))
    case .binary: MessageFrames(binary: BinaryEncoding.encode(message))
    }
  }

  func serverMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ServerMessage {
    switch self {
    case .json: try JSONEncoding.decodeServerMessage(bytes)
    case .binary: try BinaryEncoding.decodeServerMessage(bytes)
    }
  }

  func clientMessage(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> ClientMessage {
    switch self {
    case .json: try JSONEncoding.decodeClientMessage(bytes)
    case .binary: try BinaryEncoding.decodeClientMessage(bytes)
    }
  }
}
