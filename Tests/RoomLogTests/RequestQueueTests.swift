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
    queue.add([append(100), append(101), .tell(id: 102, room: "a", bytes: [1])] + RequestQueueTests.control)
    var taken: [UInt64] = []
    var refused: [UInt64] = []
    for entry in queue.take(deadline: 0).entries {
      switch entry {
      case .request(let request): taken.append(request.id)
      case .refused(let id, _, _): refused.append(id)
      }
    }
    #expect(taken == [100] + RequestQueueTests.control.map(\.id))
    #expect(refused == [101, 102])
    queue.release([append(100)] + RequestQueueTests.control)
    #expect(queue.waiting == (bytes: 0, snapshotBytes: 0))
  }
}
