import CanvasCRDT
import Glibc
import RoomLog
import TestSupport
import Testing
import WebSocketLoop

@testable import SyncServer

@Suite("The server and replicas over sockets") struct ReplicaEndToEndTests {
  /// Starts a server in this process, over its own database.
  private func withServer(_ body: (Endpoint, EventLoop) async throws -> Void) async throws {
    var template = Array("/tmp/canvas-replicas-XXXXXX".utf8CString)
    let directory = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    defer {
      for name in ["canvas.db", "canvas.db-wal", "canvas.db-shm", "canvas.lock"] { unlink("\(directory)/\(name)") }
      rmdir(directory)
    }
    let loop = try EventLoop.ofHub()
    var configuration = Configuration()
    configuration.port = 0
    let hub = Hub(
      on: Machine(loop: loop),
      configuration: configuration,
      logger: Logger(level: .error, format: .text),
      files: StaticFiles(directory: "web")
    )
    let log = try SQLiteLog(directory: directory, sink: { hub.logTold($0) })
    let port = try await hub.start(log: log)
    let clients = try EventLoop(name: "clients")
    try await body(Endpoint(host: "127.0.0.1", port: port, path: "/v1/rooms/replicas/sync"), clients)
    clients.stop()
    loop.stop()
    log.close()
  }

  @Test("Replicas of both encodings edit one room through lost connections, and agree by digest") func agree()
    async throws
  {
    try await withServer { endpoint, loop in
      let replicas = (0..<4).map { index in
        ReplicaOverSocket(
          loop: loop,
          endpoint: endpoint,
          encoding: index.isMultiple(of: 2) ? .binary : .json,
          seed: UInt64(index) + 1
        )
      }
      loop.perform { for replica in replicas { replica.start() } }
      for round in 0..<50 {
        for (index, replica) in replicas.enumerated() {
          loop.perform {
            replica.edit { replica in
              var set = Properties()
              set.kind = .ellipse
              set.position = Point(x: Double(round), y: Double(index))
              return replica.add(set, at: .now()).effects
            }
            if let shape = replica.replica.canvas.shapes.first(where: { _ in true }) {
              var set = Properties()
              set.rotation = Double(round * 4 + index)
              replica.edit { $0.edit([ShapeEdit(shape: shape.id, set: set)], at: .now()) }
            }
            if round == 10 + index * 10 { replica.lose() }
          }
        }
      }
      let settled: Void? = await eventually {
        let isSettled = loop.perform {
          let first = replicas[0].replica
          return replicas.allSatisfy {
            $0.replica.state == .live && $0.replica.unsentCount == 0
              && $0.replica.confirmedDigest == first.confirmedDigest && $0.replica.canvas.liveCount == 200
          }
        }
        return isSettled ? () : nil
      }
      #expect(settled != nil, "all come to the same")
      loop.perform { for replica in replicas { replica.edit { $0.askDigest(at: .now()) } } }
      let judged: Void? = await eventually { loop.perform { replicas.allSatisfy { !$0.verdicts.isEmpty } } ? () : nil }
      #expect(judged != nil)
      loop.perform {
        for (index, replica) in replicas.enumerated() {
          #expect(replica.verdicts == [.agrees])
          #expect(replica.failures.isEmpty)
          #expect(replica.connects >= 2, "the fault has happened")
          #expect(replica.subprotocol == (index.isMultiple(of: 2) ? "canvas.v1.bin" : "canvas.v1.json"))
        }
      }
    }
  }
}
