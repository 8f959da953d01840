import TestSupport
import Testing
import WebSocketLoop

/// A room as an actor on the event loop, as in a real server. It collects the messages of one iteration in a buffer,
/// and sends the buffer to all clients at the end of the iteration.
private actor Room: ServerHandler, TurnObserver {
  private let loop: EventLoop
  private var members: [UInt64: Connection] = [:]
  private var gathered: [UInt8] = []
  private var timer: LoopTimer?
  private(set) var flushes = 0
  private(set) var ticks = 0

  init(loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func start() throws -> Int {
    loop.register(self)
    timer = loop.schedule(afterMilliseconds: 1) { self.ticks += 1 }
    return try loop.listen(host: "127.0.0.1", port: 0, handler: self).port
  }

  // The loop calls these functions on its own thread, which is this actor's executor.
  nonisolated func connected(_ connection: Connection, request: Request) {
    assumeIsolated { $0.members[connection.identifier] = connection }
  }
  nonisolated func received(_ message: Message, on connection: Connection) {
    assumeIsolated { $0.gather(message) }
  }
  nonisolated func writable(_ connection: Connection) {}
  nonisolated func closed(_ connection: Connection, closure: Closure) {
    assumeIsolated { $0.members[connection.identifier] = nil }
  }
  nonisolated func party(of request: Request) -> String { NetworkAddress.party(of: request.peer) }

  nonisolated func upgradeRequested(_ request: Request) -> UpgradeDecision { .accept(subprotocol: nil) }
  nonisolated func requested(_ pending: PendingRequest) { Task { await self.answer(pending) } }
  nonisolated func turnEnded() { assumeIsolated { $0.flush() } }

  private func gather(_ message: Message) { MessageFrames.append(binary: message.bytes, to: &gathered) }

  private func flush() {
    guard !gathered.isEmpty else { return }
    flushes += 1
    for member in members.values { #expect(gathered.withUnsafeBytes { member.write($0) } == gathered.count) }
    gathered.removeAll(keepingCapacity: true)
  }

  private func answer(_ pending: PendingRequest) {
    pending.answer(Response(status: 200, body: Array("\(members.count)".utf8)))
  }
}

@Suite("An actor as a server") struct ActorServerTests {
  @Test("What a turn brings goes out together, to all, in order; jobs of the actor answer requests") func room()
    async throws
  {
    let loop = try EventLoop(name: "room")
    defer { loop.stop() }
    let room = Room(loop: loop)
    let port = try await room.start()
    let clients = (0..<3).map { _ in RawClient(port: port) }
    for client in clients { client.upgrade() }
    let web = RawClient(port: port, sending: "GET / HTTP/1.1\r\nHost: l\r\n\r\n")
    #expect(web.readAnswer()?.body == "3")
    // All messages arrive in one TCP segment, and so in one iteration of the loop.
    clients[0].send((0..<100).flatMap { RawClient.masked(2, [UInt8($0)]) })
    for client in clients {
      for number in 0..<100 { #expect(client.readMessage() == [UInt8(number)]) }
    }
    #expect(await room.flushes < 20)
    await waitUntil("the room has ticked") { await room.ticks > 0 }
  }
}
