import Testing

@testable import RoomLog

@Suite("The queue of a log's requests") struct RequestQueueTests {
  private static let control: [LogRequest] = [
    .follow(FollowRequest(id: 1, room: "a", epoch: nil, after: 0)), .unfollow(id: 2, room: "a"),
    .read(ReadRequest(id: 3, room: "a", after: 0)), .load(LoadRequest(id: 4, room: "a")),
    .trim(TrimRequest(id: 5, room: "a", epoch: 1, through: 1)), .delete(id: 6, room: "a"),
    .lock(id: 7, room: "a", isLocked: true), .list(id: 8), .retain(id: 9, milliseconds: 1),
    .verify(id: 10, room: "a"),
  ]

  @Test("while as much waits as may, what carries bytes is refused as busy, and nothing else is")
  func busy() {
    let queue = RequestQueue(bytesMax: 200, snapshotBytesMax: 200)
    func append(_ id: UInt64) -> LogRequest { .append(LogBench.append(id, "a", [[UInt8](repeating: 0, count: 150)])) }
    queue.add([append(100), append(101)] + RequestQueueTests.control)
    var taken: [UInt64] = []
    var refused: [UInt64] = []
    for entry in queue.take(deadline: 0).entries {
      switch entry {
      case .request(let request): taken.append(request.id)
      case .refused(let id, _, _): refused.append(id)
      }
    }
    #expect(taken == [100] + RequestQueueTests.control.map(\.id))
    #expect(refused == [101])
    queue.release([append(100)] + RequestQueueTests.control)
    #expect(queue.queuedBytes == 0)
  }

  @Test("snapshots have a bound of their own, and one that is longer than it is taken where none waits")
  func snapshots() {
    let queue = RequestQueue(bytesMax: 200, snapshotBytesMax: 200)
    func snapshot(_ id: UInt64, _ count: Int) -> LogRequest {
      let bytes = [UInt8](repeating: 0, count: count)
      return .snapshot(SnapshotRequest(id: id, room: "a", epoch: 1, position: 1, shapes: 0, bytes: bytes))
    }
    func add(_ requests: [LogRequest]) -> [UInt64] {
      queue.add(requests)
      return queue.take(deadline: 0).entries.compactMap { if case .refused(let id, _, _) = $0 { id } else { nil } }
    }
    // Each request counts 64 bytes more than it carries.
    #expect(add([snapshot(1, 50), snapshot(2, 22), snapshot(3, 0)]) == [3])
    let append = LogRequest.append(LogBench.append(4, "a", [[UInt8](repeating: 0, count: 50)]))
    #expect(add([append]) == [] && queue.queuedBytes == 146)
    queue.release([snapshot(1, 50), snapshot(2, 22)])
    #expect(add([snapshot(5, 1_000), snapshot(6, 0)]) == [6])
    queue.release([snapshot(5, 1_000)])
    queue.retain([snapshot(7, 136)])
    #expect(add([snapshot(8, 0)]) == [8])
    queue.close()
    #expect(add([append]) == [] && queue.queuedBytes == 146 && queue.take(deadline: nil).isClosed)
  }

  @Test("a commit ends with the request that reaches one of its bounds, and the rest follows")
  func commits() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    let events = EventCollector()
    let halves = try LogHalves(directory: directory, options: SQLiteOptions()) { events.take($0) }
    let many = [[UInt8]](repeating: [1], count: WriterBounds.commitRecordsMax / 2 + 1)
    let large = [[UInt8](repeating: 1, count: WriterBounds.commitBytesMax / 2)]
    halves.writing.add((1...3).map { .append(LogBench.append($0, "a", many)) })
    for _ in 0..<2 { _ = halves.writer.turn() }
    halves.writing.add((4...6).map { .append(LogBench.append($0, "a", large)) })
    halves.writing.close()
    while halves.writer.turn() {}
    halves.letGo()
    let reports = events.all.compactMap { if case .committed(let report) = $0 { report.records } else { nil } }
    #expect(reports == [2 * many.count, many.count, 2, 1])
  }

  @Test("messages for other nodes wait up to a number of bytes, and are dropped beyond that")
  func messages() throws {
    let inbox = try PostgresInbox(bytesMax: 200)
    let message = [UInt8](repeating: 7, count: PostgresInbox.messagesBytesMax / 2)
    for _ in 0..<2 {
      for _ in 0..<5 { inbox.add(message) }
      #expect(inbox.takeMessages().map(\.count) == [message.count, message.count])
    }
    let long = message + message + message
    inbox.add(long)
    inbox.add([1])
    #expect(inbox.takeMessages().map(\.count) == [long.count])
  }

  @Test("a request that is refused as busy is answered, even if the commit ends before a request about following")
  func refusedBeforeFollowing() throws {
    let directory = temporaryDirectory()
    defer { remove(directory: directory) }
    let options = SQLiteOptions { $0.queueBytesMax = 200 }
    let events = EventCollector()
    let halves = try LogHalves(directory: directory, options: options) { events.take($0) }
    func append(_ id: UInt64) -> LogRequest { .append(LogBench.append(id, "a", [[UInt8](repeating: 0, count: 150)])) }
    halves.writing.add([append(100), append(101), .follow(FollowRequest(id: 102, room: "b", epoch: nil, after: 0))])
    halves.writing.close()
    while halves.writer.turn() {}
    halves.letGo()
    let answers = Dictionary(grouping: events.all.filter { $0.id != nil }) { $0.id ?? 0 }
    #expect(answers[100]?.first?.appended != nil)
    #expect(answers[101]?.first?.error == .busy(queuedBytes: 246))
    #expect(answers[102] == [.following(id: 102, room: "b")])
  }
}
