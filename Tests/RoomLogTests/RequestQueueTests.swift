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
