import CanvasCRDT
import RoomLog
import Synchronization
import TestSupport
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("Many connections that are closed for one reason")
struct HubDeparturesTests {
  /// People in the room `demo`, over sockets.
  private final class Crowd: ConnectionHandler {
    private struct State {
      var welcomed = 0
      var codes: [UInt16] = []
    }

    private let state = Mutex(State())
    private let loop: EventLoop
    let count: Int

    init(_ count: Int, to port: Int) async throws {
      self.count = count
      loop = try EventLoop(isPreferred: true)
      let endpoint = Endpoint(host: "127.0.0.1", port: port, path: "/v1/rooms/demo/sync")
      loop.perform { for _ in 0..<count { self.loop.connect(to: endpoint, handler: self) } }
      await waitUntil("\(count) are welcome") { state.withLock { $0.welcomed == count } }
    }

    func connected(_ connection: Connection, request: Request) {
      connection.send(MessageFrames(text: JSONEncoding.encode(.hello(Hello()))))
    }

    func received(_ message: Message, on connection: Connection) {
      if case .welcome? = try? JSONEncoding.decodeServerMessage(message.bytes) { state.withLock { $0.welcomed += 1 } }
    }

    func writable(_ connection: Connection) {}

    func closed(_ connection: Connection, closure: Closure) { state.withLock { $0.codes.append(closure.code) } }

    /// Waits until all connections are closed, and returns their close codes.
    func codes() async -> [UInt16] {
      await waitUntil("\(count) are closed") { state.withLock { $0.codes.count == count } }
      loop.stop()
      return state.withLock { $0.codes }
    }
  }

  private let hub: Hub
  private let crowd: Crowd

  init() async throws {
    hub = try await Hub.started { MemoryLog(sink: $0) }
    let port = await hub.perform { $0.lifetime.port }
    crowd = try await Crowd(Hub.closedInAJob * 3, to: #require(port))
  }

  /// How many connections are open after one job of the loop.
  private func open(after job: @Sendable (isolated Hub) -> Void) async -> Int {
    await hub.perform { hub in
      job(hub)
      return hub.sessions.all.count { ($0.connection as? Connection)?.isOpen == true }
    }
  }

  @Test("a deleted room lets go of its people in portions, and takes nothing from them meanwhile")
  func deletion() async throws {
    let open = try await hub.openDemo()
    let left = await self.open { hub in
      hub.removed(open)
      let areGone = hub.sessions.all.allSatisfy(\.isGone)
      #expect(areGone)
    }
    #expect(left == crowd.count - Hub.closedInAJob)
    #expect(await crowd.codes() == Array(repeating: CloseCode.noSuchRoom.rawValue, count: crowd.count))
  }

  @Test("tokens that end in the same second close their connections in portions")
  func tokens() async throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", [UInt8](repeating: 0x6B, count: 64))
    let signed = try SignedTokens(keysAt: key, terms: SignedClaims.Terms(audience: nil))
    let left = await open { hub in
      hub.credentials = Credentials(signed: signed)
      for session in hub.sessions.all { session.grant.endsAt = 1 }
      hub.lookAtEnds(now: .now())
    }
    #expect(left >= crowd.count - Hub.closedInAJob)
    #expect(await crowd.codes() == Array(repeating: CloseCode.noToken.rawValue, count: crowd.count))
  }
}
