import Synchronization
import TestSupport
import Testing

@testable import WebSocketLoop

@Suite("Clients that go before they are answered") struct GoneClientTests {
  /// Requests that the test answers later, and the paths of requests whose clients have disconnected.
  private final class Held: Sendable {
    let requests = Mutex<[PendingRequest]>([])
    let gone = Mutex<[String]>([])
  }

  private func holding() -> (TestServer, Held) {
    let server = TestServer()
    let held = Held()
    server.onRequest = { pending in
      pending.whenGone { held.gone.withLock { $0.append(pending.request.path) } }
      held.requests.withLock { $0.append(pending) }
    }
    return (server, held)
  }

  private static let head = " HTTP/1.1\r\nHost: l\r\n\r\n"

  @Test("Who closes the connection is known to have gone, once; who waits is not") func going() async throws {
    let (server, held) = holding()
    try await withServer(server) { port, loop in
      let waiting = RawClient(port: port, sending: "GET /waiting" + Self.head)
      do {
        let going = RawClient(port: port, sending: "GET /going" + Self.head)
        _ = await eventually { held.requests.withLock { $0.count } == 2 ? true : nil }
        #expect(held.gone.withLock { $0 }.isEmpty)
        withExtendedLifetime(going) {}
      }
      _ = await eventually { held.gone.withLock { $0.isEmpty } ? nil : true }
      #expect(held.gone.withLock { $0 } == ["/going"])
      loop.perform {
        for pending in held.requests.withLock({ $0 }) { pending.answer(Response(status: 200)) }
      }
      #expect(waiting.readAnswer()?.status == 200)
      // A client that disconnects after its answer isn't reported.
      #expect(held.gone.withLock { $0 } == ["/going"])
    }
  }

  @Test("A further request, already sent before the client closed its direction, keeps the first one") func pipelined()
    async throws
  {
    let (server, held) = holding()
    try await withServer(server) { port, loop in
      let client = RawClient(port: port, sending: "GET /first" + Self.head + "GET /second" + Self.head)
      client.finishSending()
      _ = await eventually { held.requests.withLock { $0.isEmpty } ? nil : true }
      loop.perform { held.requests.withLock { $0 }[0].answer(Response(status: 200)) }
      #expect(client.readAnswer()?.status == 200)
      #expect(!held.gone.withLock { $0 }.contains("/first"))
    }
  }
}
