import Glibc
import Testing

@testable import WebSocketLoop

@Suite("Watching somebody else's descriptor")
struct DescriptorWatchTests {
  /// Reads one end of a pipe whenever the watch reports it readable.
  ///
  /// `@unchecked Sendable`: only its loop's thread uses it.
  private final class Reader: @unchecked Sendable {
    private var watch: DescriptorWatch?
    private(set) var bytes: [UInt8] = []
    private(set) var isAtEnd = false

    init(_ loop: EventLoop, _ descriptor: Int32) {
      watch = DescriptorWatch(loop: loop, descriptor: descriptor) { [unowned self] readable, _ in
        guard readable else { return }
        var room = [UInt8](repeating: 0, count: 8)
        let count = read(descriptor, &room, room.count)
        if count > 0 { bytes += room[..<count] }
        guard count == 0 else { return }
        isAtEnd = true
        watch?.close()
      }
      watch?.want(readable: true, writable: false)
    }
  }

  private final class Deaf: SocketWatcher {
    func socketIsReady(readable: Bool, writable: Bool) {}
  }

  @Test("A descriptor that the system doesn't watch is refused, and the process goes on") func unwatched() throws {
    let loop = try EventLoop(name: "watch")
    // Linux refuses to watch a regular file. It refuses in the same way if there are too many watches, so this file
    // tests both cases.
    let file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
    let isRefused = loop.perform {
      let deaf = Deaf()
      return withExtendedLifetime(deaf) { SocketWatch(loop: loop, descriptor: file, watcher: deaf) == nil }
    }
    #expect(isRefused)
    loop.stop()
    close(file)
  }

  @Test("It hears of input for as long as there is some, and of the end")
  func reading() async throws {
    let loop = try EventLoop(name: "watch")
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (from, to) = (ends[0], ends[1])
    let reader = loop.perform { Reader(loop, from) }
    let sent = Array("more than is read at once".utf8)
    #expect(write(to, sent, sent.count) == sent.count)
    close(to)
    let end = ContinuousClock.now + .seconds(10)
    while !loop.perform({ reader.isAtEnd }), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    #expect(loop.perform { reader.bytes } == sent)
    #expect(loop.perform { reader.isAtEnd })
    loop.stop()
    close(from)
  }
}
