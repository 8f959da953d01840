import CanvasCRDT
import Foundation
import TestSupport
import Testing

@testable import WebSocketLoop
@testable import sync_client

/// A client whose connection the test decides.
@ClientLoop
private final class Joiner: RoomJoining {
  let waiters = Waiters()
  var lastClosure: Closure?
  var hasReachedRoom = false
  var hasEverReachedRoom = false
  var isClosedForGood = false
  var whyNot: String { "it rains" }
  var lastErrorCode: String?
  var delay: Delay { Delay(code: "slow", words: "it snows") }
  var parts: () -> Int = { 0 }
  var partsArrived: Int { parts() }
  var starts = 0
  var started: (Joiner) -> Void = { _ in }

  func start() {
    starts += 1
    started(self)
  }
}

/// How a command reaches a room, and what is said if it doesn't.
@Suite struct ConnectingTests {
  @Test @ClientLoop func `Joining ends when the room is reached, or when the server has refused it`() async throws {
    let joiner = Joiner()
    joiner.started = { $0.hasReachedRoom = true }
    try await joiner.join { _ in Issue.record("it takes no time") }
    #expect(joiner.starts == 1)
    for refuse in [
      { $0.isClosedForGood = true }, { $0.lastClosure = Closure(cause: .refused(status: 403), code: 1_006) },
      { $0.lastClosure = Closure(cause: .untrusted, code: 1_006) },
    ] as [(Joiner) -> Void] {
      let refused = Joiner()
      refused.started = refuse
      await #expect(throws: ClientFailure.couldNotConnect("it rains")) { try await refused.join { _ in } }
      #expect(refused.starts == 1)
    }
  }

  @Test @ClientLoop func `A program is told the server's name for the error with which it closed the connection`()
    async
  {
    let joiner = Joiner()
    #expect(joiner.refusal == nil)
    joiner.isClosedForGood = true
    #expect(joiner.refusal == .failed("it rains", code: "not_connected"))
    joiner.lastErrorCode = "removed"
    #expect(joiner.refusal == .failed("it rains", code: "removed") && Delay(notJoined: joiner).code == "removed")
    await #expect(throws: ClientFailure.couldNotConnect("it rains", code: "removed")) { try await joiner.join { _ in } }
    joiner.lastClosure = Closure(cause: .refused(status: 503), code: 1_006)
    #expect(joiner.errorCode == "unavailable")
  }

  @Test @ClientLoop func `A drawing that never comes to its end is waited for no longer than twenty times as long`()
    async throws
  {
    let joiner = Joiner()
    var count = 0
    joiner.parts = {
      count += 1
      return count
    }
    await #expect(throws: ClientFailure.couldNotConnect("it rains")) {
      try await joiner.join(withinMilliseconds: 1) { _ in Issue.record("something comes") }
    }
    #expect(count == 40, "it is asked before each step and behind it")
  }

  @Test @ClientLoop func `Whoever waits goes on when the condition holds, or when the time is over`() async {
    let waiters = Waiters()
    var holds = true
    #expect(await waiters.wait { holds } == .fulfilled)
    holds = false
    #expect(await waiters.wait(withinMilliseconds: 1) { holds } == .tooLate)
    let waiting = Task { @ClientLoop in await waiters.wait { holds } }
    let other = Task { @ClientLoop in await waiters.wait { false } }
    await Task.yield()
    waiters.check()
    holds = true
    waiters.check()
    #expect(await waiting.value == .fulfilled)
    other.cancel()
    #expect(await other.value == .cancelled)
  }

  @Test func `Why a room can't be reached is said in words`() throws {
    let (server, secure) = (try ServerAddress("ws://127.0.0.1:81"), try ServerAddress("wss://127.0.0.1:81"))
    let room = try RoomName("demo")
    func why(
      _ cause: Closure.Cause?,
      _ reason: String = "",
      code: UInt16 = 1_006,
      finalCode: UInt16? = nil,
      _ error: String? = nil,
      on address: ServerAddress? = nil
    ) -> String {
      let closure = cause.map { Closure(cause: $0, code: code, reason: reason) }
      return ConnectionWords.whyNot(address ?? server, room, finalCode: finalCode, closure, lastError: error)
    }
    let place = "demo on 127.0.0.1:81"
    for (code, error, words) in [
      (.noToken, nil, "\(place): \(ConnectionWords.noToken)"),
      (.noToken, "it ended", "\(place): \(ConnectionWords.noToken): it ended"),
      (.forbidden, nil, "127.0.0.1:81: this token doesn't give access to room demo"),
      (.forbidden, "no", "127.0.0.1:81: no"),
      (.noSuchRoom, nil, "\(place): there is no such room"),
      (.actorElsewhere, nil, "\(place): the person whom the token names is there on another connection"),
      (.badHello, nil, "\(place): the server refused the connection (4400)"),
      (.badHello, "bad name", "\(place): bad name (4400)"),
    ] as [(CanvasCRDT.CloseCode, String?, String)] {
      #expect(why(.peer, finalCode: code.rawValue, error) == words)
    }
    #expect(why(nil) == "\(place): no answer")
    for (cause, words) in [
      (.refused(status: 401), "\(place): \(ConnectionWords.noToken)"),
      (.refused(status: 403), "127.0.0.1:81: this token doesn't give access to room demo"),
      (.refused(status: 503), "\(place): the server can't answer yet (HTTP status 503)"),
      (.refused(status: 302), "\(place): the server answered with HTTP status 302"),
      (.refused(status: 0), "127.0.0.1:81: no server answers there"),
      (.refused(status: 101), "127.0.0.1:81: no server answers there"),
    ] as [(Closure.Cause, String)] {
      #expect(why(cause) == words)
    }
    #expect(why(.refused(status: 0), on: secure) == "127.0.0.1:81: no server answers there, or it doesn't speak TLS")
    #expect(why(.untrusted, "it is old") == "127.0.0.1:81: \(ConnectionWords.untrusted("it is old"))")
    #expect(
      why(.lost) == "\(place): the connection was lost (1006)"
        && why(.peer, "bye", code: 1_001) == "\(place): bye (1001)"
    )
    #expect(why(.ours, "bye", "the server said so") == "\(place): the server said so (1006)")
    #expect(ConnectionWords.forbidden(nil) == "this token doesn't give access")
  }

  @Test func `A token is taken from the options, or else from the environment`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, empty) = (folder.appendingPathComponent("token").path, folder.appendingPathComponent("empty").path)
    try "  from-file\nmore\n".write(toFile: file, atomically: true, encoding: .utf8)
    try " \n".write(toFile: empty, atomically: true, encoding: .utf8)
    let variables = ["CANVAS_TOKEN": "from-variable", "CANVAS_TOKEN_FILE": file]
    let fromFile = TokenSource.file(file, first: "from-file")
    for (words, environment, token) in [
      ([], [:], .none), (["--token", "said"], variables, .given("said")),
      (["--token-file", file], variables, fromFile),
      (["--token", "said", "--token-file", file], [:], .given("said")), ([], variables, .given("from-variable")),
      ([], ["CANVAS_TOKEN_FILE": file], fromFile), ([], ["CANVAS_TOKEN": "", "CANVAS_TOKEN_FILE": file], fromFile),
      (["--token", ""], variables, .none), ([], ["CANVAS_TOKEN_FILE": ""], .none),
    ] as [([String], [String: String], TokenSource)] {
      #expect(try invocation(["show", "demo"] + words, environment).server.token == token, "\(words) \(environment)")
    }
    for path in [empty, folder.appendingPathComponent("none").path] {
      #expect(throws: ClientFailure.usage("--token-file: \(path) can't be read, or has no token")) {
        try invocation(["show", "demo", "--token-file", path])
      }
    }
    // The file is read again, and while it has none, the first one counts.
    #expect(TokenSource.none.newest == nil && TokenSource.given("a").newest == "a")
    try "later".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(fromFile.newest == "later")
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(fromFile.newest == "from-file")
    #expect(ServerAddress.headers(token: "a").map { "\($0.name): \($0.value)" } == ["Authorization: Bearer a"])
    #expect(ServerAddress.headers(token: nil).isEmpty)
  }

  @Test func `What is said once goes for every command`() throws {
    let terminal = ["TERM": "xterm-256color", "USER": "ann", "CANVAS_SERVER": "ws://127.0.0.1:82"]
    let plain = try invocation(["show", "demo"], terminal)
    #expect(
      plain.server.port == 82 && plain.ownName == "ann" && plain.colorDepth == .indexed && plain.name == nil
        && !plain.isJSON
    )
    #expect(plain.replicaConfiguration().name == "Terminal" && plain.replicaConfiguration(name: "ann").name == "ann")
    for words in [
      ["--server", "ws://127.0.0.1:83", "--json", "show", "demo", "--no-color", "--name", "Bob"],
      ["show", "--name=Bob", "demo", "--json", "--server=ws://127.0.0.1:83", "--no-color"],
    ] {
      let said = try invocation(words, terminal)
      #expect(said.server.port == 83 && said.isJSON && said.colorDepth == .none && said.name == "Bob")
      #expect(
        said.output.isJSON && said.arguments.operands == ["demo"]
          && said.replicaConfiguration(name: "ann").name == "Bob"
      )
    }
    for user in ["", "a\nb", String(repeating: "x", count: 129)] {
      #expect(try invocation(["show", "demo"], ["USER": user]).ownName == "Terminal")
    }
    #expect(try invocation(["show", "demo"]).server.isStandard)
    for (words, environment, said) in [
      (["show", "demo", "--name", ""], [:], "--name: must be"),
      (["show", "demo"], ["CANVAS_SERVER": "x y"], "CANVAS_SERVER=x y:"),
      (["show", "demo", "--server", "x y"], [:], "--server=x y:"), (["--server"], [:], "no command"),
      (["--colour", "show", "demo"], [:], "--colour: there is no such option. Did you mean --color?"),
      (["show", "demo", "more"], [:], "more is one word too many. Usage: sync-client show ROOM [options]"),
      (["move", "demo", "Sun", "1"], [:], "move needs Y. Usage: sync-client move ROOM SHAPE X Y [options]"),
      (["set", "demo", "Sun"], [:], "set needs PROPERTY=VALUE…."),
      (["--completion", "tcsh"], [:], "--completion tcsh: bash, zsh or fish"),
    ] as [([String], [String: String], String)] {
      #expect { try invocation(words, environment) } throws: { error in
        guard case ClientFailure.usage(let told)? = error as? ClientFailure else { return false }
        return told.hasPrefix(said)
      }
    }
    #expect(try invocation(["hide", "demo", "a", "b", "c"]).arguments.operands == ["demo", "a", "b", "c"])
    #expect(throws: ClientFailure.self) { try invocation(["show", "."]).room() }
    for name in ["", "..", "a/b", "ä", String(repeating: "x", count: 65)] {
      #expect(throws: ClientFailure.self) { try RoomName(name) }
    }
    #expect(
      try RoomName(String(repeating: "x", count: 64)).path("/history").hasSuffix("x/history")
        && RoomName("A-z_0.9").path() == "/v1/rooms/A-z_0.9"
    )
  }

  @Test func `Help is for what was asked`() throws {
    func help(_ words: String...) throws -> String {
      guard case .help(let text) = try CommandLineRequest(words, of: .all, environment: [:]) else { return "" }
      return text
    }
    let show = CommandTable.all.commands.first { $0.name == "show" }!.helpText
    for words in [
      ["show", "--help"], ["help", "show"], ["--help", "show"], ["show", "demo", "-h"], ["--json", "show", "--help"],
    ] {
      guard case .help(let text) = try CommandLineRequest(words, of: .all, environment: [:]) else {
        Issue.record("no help for \(words)")
        continue
      }
      #expect(text == show, "\(words)")
    }
    #expect(
      try help("--help") == CommandTable.all.helpText && help("-h") == help("help") && help("help") == help("--help")
    )
    #expect(try help("--version").hasPrefix("sync-client 0."))
    #expect(try help("--manual").hasPrefix(".TH SYNC-CLIENT 1"))
    #expect(throws: ClientFailure.self) { try help("help", "dance") }
  }

  @Test @ClientLoop func `A part of an edit that wasn't answered is told with what may have become of it`() throws {
    let desk = try Desk()
    desk.live.edit([
      ShapeEdit(shape: Identifier(packed: 7)!, set: .star), ShapeEdit(shape: Identifier(packed: 8)!, set: .star),
    ])
    func withdrawn(_ end: SettleEnd, of count: Int) -> Withdrawal {
      Withdrawal(end, of: count, in: desk.live.client, patience: 3_000)
    }
    let late = withdrawn(.tooLate, of: 2)
    #expect(
      late.words
        == "gave up after 3 s: the server has not answered. The edit is withdrawn, unless the server has stored it; no later command sends it."
    )
    #expect(late.code == "not_answered" && late.exitCode == .tryAgainLater && late.mayBeStored)
    let stopped = withdrawn(.interrupted, of: 3)
    #expect(
      stopped.words == "interrupted. 2 of the edit's 3 operations are withdrawn; no later command sends it."
        && stopped.code == "interrupted"
    )
    #expect(
      withdrawn(.closed, of: 2).words.hasPrefix("the server has not answered.")
        && withdrawn(.closed, of: 2).exitCode == .failed
    )
    // The edit was sent, and the server is gone.
    desk.live.client.socketClosed(Closure(cause: .lost, code: 1_006))
    let gone = withdrawn(.tooLate, of: 2)
    #expect(gone.code == "not_answered" && gone.words.contains("unless the server has stored it"))
    let nowhere = RoomClient(
      try ServerAddress("ws://127.0.0.1:1"),
      try RoomName("demo"),
      Replica(configuration: ReplicaConfiguration(), seed: 1)
    )
    nowhere.edit { replica, now in replica.edit([ShapeEdit(shape: Identifier(packed: 7)!, set: .star)], at: now) }
    let unsent = Withdrawal(.tooLate, of: 1, in: nowhere, patience: 500)
    #expect(
      !unsent.mayBeStored
        && unsent.words
          == "gave up after 500 ms: demo on 127.0.0.1:1: no answer. The edit is withdrawn; no later command sends it."
    )
    #expect(unsent.code == "not_connected")
  }
}
