@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

// What a single client asks too much of, at the end of a history. All others have to fare as if it weren't there.

extension HubHistory {
  /// Sends a layout with more shapes than the rate allows at once. The server takes it, because nobody has written for a
  /// while.
  func layOutAtLast() {
    let count = 3 * configuration.limits.operationsPerSecond
    guard count < configuration.limits.shapes else { return }
    for _ in 0..<50 { pass(100) }
    let squares = (0..<count).map { "{'x':\($0 * 30),'y':0,'colour':'#102030','size':20}" }
    ask(0, "POST", "/demo/layout", body: "{'squares':[\(squares.joined(separator: ","))]}")
    waitUntilQuiet()
    checkAgreement()
  }

  /// Whoever sends more messages than the limit is not read from any more, whatever becomes of the answers.
  func floodAtLast() {
    for message in [ClientMessage.digest, .ping(nil), .presence(.emptyObject)] {
      guard let connection = join() else { return }
      let virtual = servers[0].virtual
      // The answers wait, too, because the client reads nothing.
      connection.room = 0
      for _ in 0..<3 * configuration.limits.messagesPerSecond {
        virtual.receive(BinaryEncoding.encode(message), isText: false, on: connection)
      }
      virtual.turn(at: now)
      if !connection.isReadingPaused { fail("everything is read from a client that sends too much") }
      connection.room = .max
      virtual.takesMore(connection)
      virtual.turn(at: now)
      if !connection.isReadingPaused { fail("a client that sends too much is read from once it has read the answers") }
      virtual.lose(connection)
      pass(20)
    }
  }

  /// Whoever writes faster than the limit is not thrown out before it can have read that it is too fast.
  func writeTooFastAtLast() {
    let limits = configuration.limits
    guard limits.operationsPerSecond < limits.refusalsIgnored, let connection = join() else { return }
    var set = Properties()
    set.kind = .star
    let operation = ProposedOperation(shape: Identifier.random(using: &random), at: nil, set: set)
    let message = ClientMessage.operations(Submission(id: MessageIdentifier(1), operations: [operation]))
    for _ in 0..<2 * (limits.operationsPerSecond + limits.refusalsIgnored) {
      servers[0].virtual.receive(BinaryEncoding.encode(message), isText: false, on: connection)
    }
    if connection.closure != nil { fail("a client is closed that can't have read yet that it is too fast") }
    servers[0].virtual.lose(connection)
    waitUntilQuiet()
  }

  /// Opens another connection, and says hello.
  private func join() -> VirtualConnection? {
    let virtual = servers[0].virtual
    let connection = virtual.connect(.binary, to: "demo", from: "10.0.2.1", token: HubHistory.editorToken)
    guard let connection else {
      fail("a connection is refused, though nobody else connects")
      return nil
    }
    virtual.receive(BinaryEncoding.encode(.hello(Hello())), isText: false, on: connection)
    for _ in 0..<10 { pass(20) }
    return connection
  }

  /// Whoever deletes without end, at many addresses, can't take all the space that the room has for deletions.
  func fillMemoryAtLast() {
    let limits = configuration.limits
    guard limits.operationsPerMessage == 64, limits.operationsPerSecond > limits.erasures / 2 else { return }
    for address in 0..<Int(limits.erasures / 64) + 2 {
      let operations = (0..<64).map { _ in #"{"shape":"\#(Identifier.random(using: &random))","set":{"deleted":true}}"#
      }
      let body = #"{"ops":[\#(operations.joined(separator: ","))]}"#
      ask(0, "POST", "/demo/ops", body: body, token: HubHistory.editorToken, from: "192.168.1.\(address)")
      for _ in 0..<20 where !requests.isEmpty { pass(20) }
    }
    ask(
      0,
      "POST",
      "/demo/ops",
      body: #"{"ops":[{"shape":"\#(Identifier.random(using: &random))","set":{"kind":"star"}}]}"#
    ) {
      if $1.status != 200 { $0.fail("nobody can draw, because one client has deleted so much") }
    }
    waitUntilQuiet()
  }
}
